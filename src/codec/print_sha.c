/* In place of print_xxh3.c where the build has no libxxhash. */
#include "codec/digest_impl.h"

static int print_open(void **state, enum tarn_digest_kind kind,
                      struct tarn_err *err)
{
  (void)kind;
  return tarn_digest_sha.open(state, TARN_DIGEST_SHA256, err);
}

static int print_put(void *state, const void *ptr, size_t len)
{
  return tarn_digest_sha.put(state, ptr, len);
}

static int print_peek(const void *state, struct tarn_digest_value *value)
{
  return tarn_digest_sha.peek(state, value);
}

static void print_close(void *state)
{
  tarn_digest_sha.close(state);
}

static const char *print_version(void)
{
  return tarn_digest_sha.version();
}

const struct tarn_digest_kit tarn_digest_print = {
    .open = print_open,
    .put = print_put,
    .peek = print_peek,
    .close = print_close,
    .version = print_version,
};
