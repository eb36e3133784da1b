#include "tar_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the buffer ---- */

static uint8_t *grow(struct tar_make *t, size_t n)
{
  uint8_t *at;

  if (n > t->cap - t->len) {
    size_t cap = 2 * t->cap + n + 4096;
    uint8_t *bigger = realloc(t->data, cap);

    if (!bigger)
      abort();
    t->data = bigger;
    t->cap = cap;
  }
  at = t->data + t->len;
  t->len += n;
  return at;
}

void tar_make_free(struct tar_make *t)
{
  free(t->data);
  memset(t, 0, sizeof *t);
}

size_t tar_make_bytes(struct tar_make *t, const void *ptr, size_t len)
{
  size_t at = t->len;

  if (len > 0)
    memcpy(grow(t, len), ptr, len);
  return at;
}

size_t tar_make_zeros(struct tar_make *t, size_t len)
{
  size_t at = t->len;

  if (len > 0)
    memset(grow(t, len), 0, len);
  return at;
}

static void pad(struct tar_make *t, size_t len)
{
  (void)tar_make_zeros(t, (TAR_MAKE_BLOCK - len % TAR_MAKE_BLOCK) %
                              TAR_MAKE_BLOCK);
}

size_t tar_make_body(struct tar_make *t, const void *ptr, size_t len)
{
  size_t at = tar_make_bytes(t, ptr, len);

  pad(t, len);
  return at;
}

uint8_t tar_make_pattern(uint64_t i)
{
  return (uint8_t)(i * 31 + (i >> 8) * 7 + 1);
}

size_t tar_make_filler(struct tar_make *t, size_t len)
{
  size_t at = t->len, i;
  uint8_t *to = grow(t, len);

  for (i = 0; i < len; i++)
    to[i] = tar_make_pattern(i);
  pad(t, len);
  return at;
}

size_t tar_make_end(struct tar_make *t)
{
  return tar_make_zeros(t, 2 * TAR_MAKE_BLOCK);
}

/* ---- headers ---- */

static void put_text(uint8_t *field, size_t width, const char *text)
{
  if (text)
    memcpy(field, text, strnlen(text, width));
}

/* Octal with a NUL, or base-256 when it does not fit. */
static void put_number(uint8_t *field, size_t width, int64_t value)
{
  uint64_t v = (uint64_t)value;
  size_t i;

  if (value >= 0 && value >> (3 * (width - 1)) == 0) {
    field[width - 1] = '\0';
    for (i = width - 1; i-- > 0; v >>= 3)
      field[i] = (uint8_t)('0' + (v & 7));
    return;
  }
  for (i = width; i-- > 0; v = v >> 8 | (value < 0 ? 0xffull << 56 : 0))
    field[i] = (uint8_t)v;
  field[0] |= 0x80;
}

static void put_sum(uint8_t *block, int is_signed)
{
  int sum = 0;
  size_t i;

  memset(block + TAR_MAKE_SUM_AT, ' ', 8);
  for (i = 0; i < TAR_MAKE_BLOCK; i++)
    sum += is_signed ? (int8_t)block[i] : block[i];
  if (sum < 0) {
    put_number(block + TAR_MAKE_SUM_AT, 8, sum);
    return;
  }
  put_number(block + TAR_MAKE_SUM_AT, 7, sum);
}

void tar_make_sum(struct tar_make *t, size_t at)
{
  put_sum(t->data + at, 0);
}

void tar_make_patch(struct tar_make *t, size_t at, size_t field,
                    const void *ptr, size_t len)
{
  memcpy(t->data + at + field, ptr, len);
  tar_make_sum(t, at);
}

static void put_magic(uint8_t *block, enum tar_make_magic magic)
{
  uint8_t *to = block + TAR_MAKE_MAGIC_AT;

  switch (magic) {
  case TAR_MAKE_V7:
    break;
  case TAR_MAKE_GNU:
    memcpy(to, "ustar  ", 8);
    break;
  case TAR_MAKE_STAR:
    memcpy(block + 508, "tar", 4);
    memcpy(to, "ustar\00000", 8);
    break;
  case TAR_MAKE_USTAR:
    memcpy(to, "ustar\00000", 8);
    break;
  }
}

size_t tar_make_header(struct tar_make *t, const struct tar_make_header *h)
{
  size_t at = t->len;
  uint8_t *b = grow(t, TAR_MAKE_BLOCK);

  memset(b, 0, TAR_MAKE_BLOCK);
  put_text(b + TAR_MAKE_NAME_AT, 100, h->name);
  put_number(b + TAR_MAKE_MODE_AT, 8, h->mode ? h->mode : 0644);
  put_number(b + TAR_MAKE_UID_AT, 8, h->uid);
  put_number(b + TAR_MAKE_GID_AT, 8, h->gid);
  put_number(b + TAR_MAKE_SIZE_AT, 12, h->size);
  put_number(b + TAR_MAKE_MTIME_AT, 12, h->mtime);
  b[TAR_MAKE_TYPE_AT] = (uint8_t)(h->type || h->type_is_nul ? h->type : '0');
  put_text(b + TAR_MAKE_LINK_AT, 100, h->link);
  put_magic(b, h->magic);
  if (h->magic != TAR_MAKE_V7) {
    put_text(b + TAR_MAKE_UNAME_AT, 32, h->uname);
    put_text(b + TAR_MAKE_GNAME_AT, 32, h->gname);
    put_number(b + TAR_MAKE_MAJOR_AT, 8, h->dev_major);
    put_number(b + TAR_MAKE_MINOR_AT, 8, h->dev_minor);
    put_text(b + TAR_MAKE_PREFIX_AT, 155, h->prefix);
  }
  put_sum(b, h->signed_sum);
  return at;
}

size_t tar_make_file(struct tar_make *t, const char *name, const void *ptr,
                     size_t len)
{
  struct tar_make_header h = {.name = name, .size = (int64_t)len};
  size_t at = tar_make_header(t, &h);

  (void)tar_make_body(t, ptr, len);
  return at;
}

size_t tar_make_link(struct tar_make *t, char type, const char *name,
                     const char *target)
{
  struct tar_make_header h = {
      .name = name, .link = target, .type = type, .mode = 0777};

  return tar_make_header(t, &h);
}

size_t tar_make_long(struct tar_make *t, char type, const char *name)
{
  struct tar_make_header h = {.name = "././@LongLink",
                              .magic = TAR_MAKE_GNU,
                              .type = type,
                              .size = (int64_t)strlen(name) + 1};
  size_t at = tar_make_header(t, &h);

  (void)tar_make_body(t, name, strlen(name) + 1);
  return at;
}

/* ---- pax ---- */

static size_t n_digits(size_t n)
{
  size_t d = 1;

  while (n >= 10) {
    n /= 10;
    d++;
  }
  return d;
}

void tar_make_record_bytes(struct tar_make_records *r, const char *key,
                           const void *value, size_t len)
{
  /* " key=value\n" and its own length, which counts itself. */
  size_t rest = strlen(key) + len + 3, whole = rest + n_digits(rest);
  char head[32];
  int n;

  whole = rest + n_digits(whole);
  n = snprintf(head, sizeof head, "%zu ", whole);
  (void)tar_make_bytes(&r->buf, head, (size_t)n);
  (void)tar_make_bytes(&r->buf, key, strlen(key));
  (void)tar_make_bytes(&r->buf, "=", 1);
  (void)tar_make_bytes(&r->buf, value, len);
  (void)tar_make_bytes(&r->buf, "\n", 1);
}

void tar_make_record(struct tar_make_records *r, const char *key,
                     const char *value)
{
  tar_make_record_bytes(r, key, value, strlen(value));
}

size_t tar_make_pax(struct tar_make *t, char type, struct tar_make_records *r)
{
  struct tar_make_header h = {
      .name = "PaxHeaders/0", .type = type, .size = (int64_t)r->buf.len};
  size_t at = tar_make_header(t, &h);

  (void)tar_make_body(t, r->buf.data, r->buf.len);
  tar_make_free(&r->buf);
  return at;
}

size_t tar_make_pax1(struct tar_make *t, char type, const char *key,
                     const char *value)
{
  struct tar_make_records r = {0};

  tar_make_record(&r, key, value);
  return tar_make_pax(t, type, &r);
}
