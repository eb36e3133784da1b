/* In place of sha_evp.c where the build has no libcrypto. */
#include "codec/digest_impl.h"

static int sha_open(void **state, enum tarn_digest_kind kind,
                    struct tarn_err *err)
{
  (void)state;
  (void)kind;
  return tarn_err_set(err, TARN_ENOTSUP, "digest: this build has no libcrypto");
}

static int sha_put(void *state, const void *ptr, size_t len)
{
  (void)state;
  (void)ptr;
  (void)len;
  return TARN_EINTERNAL;
}

static int sha_peek(const void *state, struct tarn_digest_value *value)
{
  (void)state;
  (void)value;
  return TARN_EINTERNAL;
}

static void sha_close(void *state)
{
  (void)state;
}

static const char *sha_version(void)
{
  return NULL;
}

const struct tarn_digest_kit tarn_digest_sha = {
    .open = sha_open,
    .put = sha_put,
    .peek = sha_peek,
    .close = sha_close,
    .version = sha_version,
};
