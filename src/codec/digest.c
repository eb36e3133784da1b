#include "codec/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "codec/digest_impl.h"

static const struct {
  enum tarn_digest_kind kind;
  const char *name;
  size_t len; /* 0: not something a user may ask for */
} kinds[] = {
    {TARN_DIGEST_SHA256, "sha256", 32},
    {TARN_DIGEST_SHA512, "sha512", 64},
    {TARN_DIGEST_PRINT, "print", 0},
};

struct tarn_digest {
  enum tarn_digest_kind kind;
  const struct tarn_digest_kit *kit;
  void *state;
};

static int hex_of(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

static bool parse_hex(const char *hex, struct tarn_digest_value *value)
{
  size_t i;

  if (strlen(hex) != 2 * value->len)
    return false;
  for (i = 0; i < value->len; i++) {
    int high = hex_of(hex[2 * i]), low = hex_of(hex[2 * i + 1]);

    if (high < 0 || low < 0)
      return false;
    value->bytes[i] = (uint8_t)(high << 4 | low);
  }
  return true;
}

int tarn_digest_parse(const char *text, struct tarn_digest_value *value,
                      struct tarn_err *err)
{
  const char *colon = strchr(text, ':');
  size_t i;

  for (i = 0; colon && i < sizeof kinds / sizeof kinds[0]; i++) {
    size_t len = strlen(kinds[i].name);

    if (!kinds[i].len || (size_t)(colon - text) != len ||
        strncasecmp(text, kinds[i].name, len) != 0)
      continue;
    memset(value, 0, sizeof *value);
    value->kind = kinds[i].kind;
    value->len = kinds[i].len;
    if (parse_hex(colon + 1, value))
      return 0;
    return tarn_err_set(err, TARN_EINVAL,
                        "digest %.160s: %s has %zu hexadecimal digits", text,
                        kinds[i].name, 2 * kinds[i].len);
  }
  return tarn_err_set(err, TARN_EINVAL,
                      "digest %.160s: neither sha256:HEX nor sha512:HEX", text);
}

void tarn_digest_format(const struct tarn_digest_value *value, char *text,
                        size_t cap)
{
  const char *name = "unknown";
  size_t i, at;
  int n;

  for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (kinds[i].kind == value->kind)
      name = kinds[i].name;
  if (!cap)
    return;
  n = snprintf(text, cap, "%s:", name);
  at = n < 0 ? cap : (size_t)n;
  for (i = 0; i < value->len && at + 2 < cap; i++, at += 2)
    (void)snprintf(text + at, cap - at, "%02x", value->bytes[i]);
}

bool tarn_digest_equal(const struct tarn_digest_value *a,
                       const struct tarn_digest_value *b)
{
  return a->kind == b->kind && a->len == b->len &&
         memcmp(a->bytes, b->bytes, a->len) == 0;
}

int tarn_digest_new(struct tarn_digest **d, enum tarn_digest_kind kind,
                    struct tarn_err *err)
{
  struct tarn_digest *digest;
  int rc;

  *d = NULL;
  digest = calloc(1, sizeof *digest);
  if (!digest)
    return tarn_err_nomem(err, "digest");
  digest->kind = kind;
  digest->kit =
      kind == TARN_DIGEST_PRINT ? &tarn_digest_print : &tarn_digest_sha;
  rc = digest->kit->open(&digest->state, kind, err);
  if (rc < 0) {
    free(digest);
    return rc;
  }
  *d = digest;
  return 0;
}

int tarn_digest_put(struct tarn_digest *d, const void *ptr, size_t len)
{
  return len ? d->kit->put(d->state, ptr, len) : 0;
}

int tarn_digest_peek(const struct tarn_digest *d,
                     struct tarn_digest_value *value)
{
  memset(value, 0, sizeof *value);
  value->kind = d->kind;
  return d->kit->peek(d->state, value);
}

void tarn_digest_free(struct tarn_digest *d)
{
  if (!d)
    return;
  d->kit->close(d->state);
  free(d);
}

const char *tarn_digest_library(void)
{
  return tarn_digest_sha.version();
}
