#include "codec/digest_impl.h"

#include <string.h>
#include <xxhash.h>

static int print_open(void **state, enum tarn_digest_kind kind,
                      struct tarn_err *err)
{
  XXH3_state_t *xxh = XXH3_createState();

  (void)kind;
  if (!xxh)
    return tarn_err_nomem(err, "fingerprint");
  if (XXH3_128bits_reset(xxh) != XXH_OK) {
    XXH3_freeState(xxh);
    return tarn_err_set(err, TARN_EINTERNAL, "fingerprint: libxxhash");
  }
  *state = xxh;
  return 0;
}

static int print_put(void *state, const void *ptr, size_t len)
{
  return XXH3_128bits_update(state, ptr, len) == XXH_OK ? 0 : TARN_EINTERNAL;
}

static int print_peek(const void *state, struct tarn_digest_value *value)
{
  XXH128_canonical_t bytes;

  XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(state));
  value->len = sizeof bytes.digest;
  memcpy(value->bytes, bytes.digest, sizeof bytes.digest);
  return 0;
}

static void print_close(void *state)
{
  XXH3_freeState(state);
}

static const char *print_version(void)
{
  return "libxxhash";
}

const struct tarn_digest_kit tarn_digest_print = {
    .open = print_open,
    .put = print_put,
    .peek = print_peek,
    .close = print_close,
    .version = print_version,
};
