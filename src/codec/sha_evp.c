#include "codec/digest_impl.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

static int sha_open(void **state, enum tarn_digest_kind kind,
                    struct tarn_err *err)
{
  const EVP_MD *md = kind == TARN_DIGEST_SHA512 ? EVP_sha512() : EVP_sha256();
  EVP_MD_CTX *ctx = EVP_MD_CTX_new();

  if (!ctx)
    return tarn_err_nomem(err, "digest");
  if (!EVP_DigestInit_ex(ctx, md, NULL)) {
    EVP_MD_CTX_free(ctx);
    return tarn_err_set(err, TARN_EINTERNAL, "digest: libcrypto refuses %s",
                        kind == TARN_DIGEST_SHA512 ? "sha512" : "sha256");
  }
  *state = ctx;
  return 0;
}

static int sha_put(void *state, const void *ptr, size_t len)
{
  return EVP_DigestUpdate(state, ptr, len) ? 0 : TARN_EINTERNAL;
}

/* Ends a copy, so that more may follow in the original. */
static int sha_peek(const void *state, struct tarn_digest_value *value)
{
  EVP_MD_CTX *copy = EVP_MD_CTX_new();
  unsigned len = 0;
  int rc = TARN_EINTERNAL;

  if (!copy)
    return rc;
  if (EVP_MD_CTX_copy_ex(copy, state) &&
      EVP_DigestFinal_ex(copy, value->bytes, &len)) {
    value->len = len;
    rc = 0;
  }
  EVP_MD_CTX_free(copy);
  return rc;
}

static void sha_close(void *state)
{
  EVP_MD_CTX_free(state);
}

static const char *sha_version(void)
{
  return OpenSSL_version(OPENSSL_VERSION);
}

const struct tarn_digest_kit tarn_digest_sha = {
    .open = sha_open,
    .put = sha_put,
    .peek = sha_peek,
    .close = sha_close,
    .version = sha_version,
};
