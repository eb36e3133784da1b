/*
 * What the public header tells of the library itself. The calls that do work
 * are where their work is: job/context.c, job/job.c, job/get.c.
 */
#include <tarn/tarn.h>

#include <curl/curl.h>

#include "codec/crc64.h"
#include "codec/digest.h"
#include "codec/table.h"

#define TEXT_OF(x)  #x
#define VALUE_OF(x) TEXT_OF(x)

const char *tarn_version(void)
{
  return VALUE_OF(TARN_VERSION_MAJOR) "." VALUE_OF(
      TARN_VERSION_MINOR) "." VALUE_OF(TARN_VERSION_PATCH);
}

int tarn_features(unsigned index, struct tarn_feature *f)
{
  size_t n_codecs;
  const struct tarn_codec_library *codecs = tarn_codec_libraries(&n_codecs);
  const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
  const struct tarn_feature others[] = {
      {"transfer", "libcurl", curl->version},
      {"loop", "libuv", uv_version_string()},
      {"tls", "libcurl's", curl->ssl_version},
      {"digests", "libcrypto", tarn_digest_library()},
      {"fa1", "liblzma", tarn_crc64_library()},
  };
  size_t n_others = sizeof others / sizeof others[0];

  if (!f)
    return TARN_EINVAL;
  if (index < n_others) {
    *f = others[index];
    return 0;
  }
  index -= (unsigned)n_others;
  if (index >= n_codecs)
    return TARN_EINVAL;
  f->name = codecs[index].codec;
  f->library = codecs[index].library;
  f->version = codecs[index].version ? codecs[index].version() : NULL;
  return 0;
}
