/*
 * What a library behind digest.h implements. One file of sha_*.c and one of
 * print_*.c is in the build; each exports its kit.
 */
#ifndef TARN_CODEC_DIGEST_IMPL_H
#define TARN_CODEC_DIGEST_IMPL_H

#include "codec/digest.h"

struct tarn_digest_kit {
  /* 0, TARN_ENOMEM, TARN_ENOTSUP, TARN_EINTERNAL, with *err filled. */
  int (*open)(void **state, enum tarn_digest_kind kind, struct tarn_err *err);
  int (*put)(void *state, const void *ptr, size_t len);
  /* Fills bytes and len. */
  int (*peek)(const void *state, struct tarn_digest_value *value);
  void (*close)(void *state);
  const char *(*version)(void); /* name and version, or NULL */
};

extern const struct tarn_digest_kit tarn_digest_sha;
extern const struct tarn_digest_kit tarn_digest_print;

#endif
