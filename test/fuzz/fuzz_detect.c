/*
 * Any bytes as the beginning of a stream, and as a file's name: what detection
 * says once it has seen enough does not change when more bytes come, and it
 * never asks for more than it promised to.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "codec/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct verdict {
  enum tarn_compression kind;
  uint64_t skip;
};

/* Judges the first `len` bytes, in a block of just that size. */
static struct verdict judge(const uint8_t *data, size_t len, bool at_end)
{
  uint8_t *ptr = malloc(len ? len : 1);
  struct verdict v;
  const char *guess;

  TARN_CHECK(ptr);
  if (len)
    memcpy(ptr, data, len);
  v.kind = tarn_codec_detect(ptr, len, at_end, &v.skip);
  guess = tarn_codec_guess(ptr, len);
  TARN_CHECK(!guess || guess[0]);
  (void)tarn_codec_by_name((const char *)ptr, len);
  free(ptr);
  TARN_CHECK(v.kind == TARN_COMPRESSION_AUTO || tarn_codec_by_kind(v.kind));
  TARN_CHECK(!v.skip || v.skip >= 8);
  return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct verdict now, before = {TARN_COMPRESSION_AUTO, 0};
  size_t len;

  for (len = 0; len <= size && len <= TARN_DETECT_MAX + 2; len++) {
    now = judge(data, len, true);
    TARN_CHECK(now.kind != TARN_COMPRESSION_AUTO);
    now = judge(data, len, false);
    TARN_CHECK(now.kind != TARN_COMPRESSION_AUTO || len < TARN_DETECT_MAX);
    if (before.kind != TARN_COMPRESSION_AUTO)
      TARN_CHECK(now.kind == before.kind && now.skip == before.skip);
    before = now;
  }
  (void)judge(data, size, true);
  return 0;
}
