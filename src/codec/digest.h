/*
 * Digests of a stream, by OpenSSL's EVP (which uses SHA instructions), and one
 * fast fingerprint for finding out that bytes were not the same twice.
 *
 *   tarn_digest_parse("sha256:9f86...", &want, &err);
 *   tarn_digest_new(&d, want.kind, &err);
 *   tarn_digest_put(d, ptr, len);
 *   tarn_digest_take(d, &have);
 *
 * Memory: one small object. Threads: a digest belongs to whoever feeds it and
 * may move between threads from one call to the next.
 */
#ifndef TARN_CODEC_DIGEST_H
#define TARN_CODEC_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum tarn_digest_kind {
  TARN_DIGEST_SHA256 = 1,
  TARN_DIGEST_SHA512,
  TARN_DIGEST_PRINT /* XXH3 128 bits; zlib's sums where libxxhash is missing */
};

#define TARN_DIGEST_MAX 64

struct tarn_digest_value {
  enum tarn_digest_kind kind;
  size_t len;
  uint8_t bytes[TARN_DIGEST_MAX];
};

struct tarn_digest;

/* "sha256:HEX", "sha512:HEX", hex in either case. TARN_EINVAL. */
int tarn_digest_parse(const char *text, struct tarn_digest_value *value,
                      struct tarn_err *err);
/* Writes "sha256:hex" and a terminator; `cap` of 160 is always enough. */
void tarn_digest_format(const struct tarn_digest_value *value, char *text,
                        size_t cap);
bool tarn_digest_equal(const struct tarn_digest_value *a,
                       const struct tarn_digest_value *b);

/* TARN_ENOTSUP when the build has no library for `kind`; TARN_ENOMEM. */
int tarn_digest_new(struct tarn_digest **d, enum tarn_digest_kind kind,
                    struct tarn_err *err);
/* 0 or TARN_EINTERNAL. */
int tarn_digest_put(struct tarn_digest *d, const void *ptr, size_t len);
/* The value so far; more may be put behind it. 0 or TARN_EINTERNAL. */
int tarn_digest_peek(const struct tarn_digest *d,
                     struct tarn_digest_value *value);
void tarn_digest_free(struct tarn_digest *d); /* NULL is fine */

/* Name and version of the library for SHA digests, or NULL. */
const char *tarn_digest_library(void);

#endif
