#include "archive/tar_sparse.h"

#include <string.h>

#include "base/err.h"
#include "base/num.h"

/* Blocks behind a header of type S. */
enum { ENTRIES_IN_BLOCK = 21, MORE_AT = 504, MAX_DIGITS = 20 };

void tarn_tar_sparse_init(struct tarn_tar_sparse *s)
{
  memset(s, 0, sizeof *s);
}

void tarn_tar_sparse_close(struct tarn_tar_sparse *s)
{
  tarn_sparse_close(&s->map);
}

static int bad(const char *text, const char **why)
{
  *why = text;
  return TARN_EDATA;
}

static int seal(struct tarn_tar_sparse *s, const char **why)
{
  enum tarn_sparse_layout layout = TARN_SPARSE_BLOCKS;
  uint64_t map_len = s->form == TARN_TAR_SPARSE_GNU ? 0 : s->map_len;

  if (s->form == TARN_TAR_SPARSE_PAX0)
    layout = TARN_SPARSE_PACKED;
  else if (s->form == TARN_TAR_SPARSE_SUN)
    layout = TARN_SPARSE_WHOLE;
  if (map_len > s->stored)
    return bad("its sparse map is longer than what is stored", why);
  return tarn_sparse_seal(&s->map, s->size, s->stored - map_len, layout, why);
}

/* ---- type S ---- */

/*
 * Entries up to the first without a length field, which ends the map. Some
 * readers go on behind it and others do not: no block may follow then.
 */
static int add_entries(struct tarn_tar_sparse *s, const uint8_t *entries,
                       size_t n, const char **why)
{
  enum { WIDTH = TARN_TAR_SPARSE_ENTRY / 2 };
  int64_t at, len;
  size_t i;
  int rc;

  for (i = 0; i < n; i++, entries += TARN_TAR_SPARSE_ENTRY) {
    if (entries[WIDTH] == '\0')
      return s->announced ? bad("its sparse map ends and goes on", why)
                          : seal(s, why);
    if (!tarn_tar_number(entries, WIDTH, &at) ||
        !tarn_tar_number(entries + WIDTH, WIDTH, &len) || at < 0 || len < 0)
      return bad("a wrong number in its sparse map", why);
    rc = tarn_sparse_add(&s->map, (uint64_t)at, (uint64_t)len, why);
    if (rc < 0)
      return rc;
    if (s->map.end > s->size)
      return bad("its sparse map ends beyond its size", why);
  }
  return s->announced ? TARN_TAR_SPARSE_MORE : seal(s, why);
}

/* ---- text ---- */

static bool put_digit(struct tarn_tar_sparse_number *n, uint8_t c)
{
  return c >= '0' && c <= '9' && n->n_digits++ < MAX_DIGITS &&
         !__builtin_mul_overflow(n->value, 10u, &n->value) &&
         !__builtin_add_overflow(n->value, (uint64_t)(c - '0'), &n->value);
}

/* A line of version 1.0 is complete: the count, an offset or a length. */
static int end_line(struct tarn_tar_sparse *s, const char **why)
{
  uint64_t value = s->number.value;

  if (s->number.n_digits == 0)
    return bad("a wrong number in its sparse map", why);
  s->number.value = s->number.n_digits = 0;
  if (!s->has_count) {
    s->has_count = true;
    s->n_left = value;
    return 0;
  }
  s->has_offset = !s->has_offset;
  if (s->has_offset) {
    s->offset = value;
    return 0;
  }
  s->n_left--;
  return tarn_sparse_add(&s->map, s->offset, value, why);
}

static int put_text(struct tarn_tar_sparse *s, const uint8_t *block,
                    const char **why)
{
  size_t i;
  int rc;

  for (i = 0; i < TARN_TAR_BLOCK; i++) {
    if (block[i] != '\n') {
      if (!put_digit(&s->number, block[i]))
        return bad("a wrong number in its sparse map", why);
      continue;
    }
    rc = end_line(s, why);
    if (rc < 0)
      return rc;
    /* The rest of the block is padding. */
    if (s->n_left == 0)
      return seal(s, why);
  }
  return TARN_TAR_SPARSE_MORE;
}

/* ---- records ---- */

/* Decimal digits from *ptr on. */
static bool take_number(const char **ptr, uint64_t *out)
{
  struct tarn_tar_sparse_number n = {0};

  for (; **ptr >= '0' && **ptr <= '9'; (*ptr)++)
    if (!put_digit(&n, (uint8_t) * *ptr))
      return false;
  *out = n.value;
  return n.n_digits > 0;
}

static int add_pairs(struct tarn_tar_sparse *s, const struct tarn_pax *p,
                     const char **why)
{
  size_t i;
  int rc;

  if (p->bad_pairs || p->half_pair)
    return bad("offsets and lengths of its sparse map do not alternate", why);
  for (i = 0; i < p->n_pairs; i++) {
    rc = tarn_sparse_add(&s->map, p->pairs[i].at, p->pairs[i].len, why);
    if (rc < 0)
      return rc;
  }
  return 0;
}

/* "OFFSET,LENGTH,OFFSET,LENGTH..." */
static int add_list(struct tarn_tar_sparse *s, const struct tarn_pax_text *text,
                    const char **why)
{
  const char *ptr = text->ptr, *end = text->ptr + text->len;
  uint64_t at, len;
  int rc;

  for (;;) {
    if (!take_number(&ptr, &at) || *ptr++ != ',' || !take_number(&ptr, &len))
      return bad("a wrong number in its sparse map", why);
    rc = tarn_sparse_add(&s->map, at, len, why);
    if (rc < 0 || ptr == end)
      return rc;
    if (*ptr++ != ',')
      return bad("a wrong number in its sparse map", why);
  }
}

/* " DATA HOLE DATA HOLE...", as lseek told with SEEK_DATA and SEEK_HOLE. */
static int add_holes(struct tarn_tar_sparse *s,
                     const struct tarn_pax_text *text, const char **why)
{
  const char *ptr = text->ptr, *end = text->ptr + text->len;
  uint64_t data, hole;
  int rc = 0;

  while (ptr < end && rc == 0) {
    if (*ptr++ != ' ' || !take_number(&ptr, &data) || *ptr++ != ' ' ||
        !take_number(&ptr, &hole))
      return bad("a wrong number in its sparse map", why);
    if (hole < data)
      return bad("its sparse map goes backward or overlaps", why);
    rc = tarn_sparse_add(&s->map, data, hole - data, why);
  }
  return rc;
}

static int add_records(struct tarn_tar_sparse *s, const struct tarn_pax *p,
                       const char **why)
{
  int rc;

  if (s->form == TARN_TAR_SPARSE_SUN)
    rc = add_holes(s, &p->sun_holes, why);
  else if (p->has & TARN_PAX_SPARSE_MAP)
    rc = add_list(s, &p->sparse_map, why);
  else
    rc = add_pairs(s, p, why);
  if (rc < 0)
    return rc;
  if (s->form == TARN_TAR_SPARSE_PAX0 && (p->has & TARN_PAX_SPARSE_BLOCKS) &&
      p->sparse_blocks != s->map.n_entries)
    return bad("its sparse map has another number of entries than told", why);
  return seal(s, why);
}

/* ---- public ---- */

bool tarn_tar_sparse_is_fatal(const struct tarn_tar_sparse *s)
{
  uint64_t map_len = s->form == TARN_TAR_SPARSE_GNU ? 0 : s->map_len;

  if (s->form == TARN_TAR_SPARSE_SUN)
    return false;
  if (s->form == TARN_TAR_SPARSE_GNU && s->announced)
    return true;
  return map_len > s->stored || s->map.sum > s->stored - map_len;
}

int tarn_tar_sparse_begin(struct tarn_tar_sparse *s,
                          enum tarn_tar_sparse_form form,
                          const struct tarn_tar_header *h,
                          const struct tarn_pax *p, uint64_t size,
                          uint64_t stored, const char **why)
{
  tarn_sparse_clear(&s->map);
  s->form = form;
  s->size = size;
  s->stored = stored;
  s->map_len = s->at = 0;
  s->number.value = s->number.n_digits = 0;
  s->has_count = s->has_offset = s->announced = false;
  switch (form) {
  case TARN_TAR_SPARSE_GNU:
  case TARN_TAR_SPARSE_STAR:
    s->announced = h->sparse.more;
    return add_entries(s, h->sparse.entries, h->sparse.n_entries, why);
  case TARN_TAR_SPARSE_PAX1:
    return TARN_TAR_SPARSE_MORE;
  default:
    return add_records(s, p, why);
  }
}

int tarn_tar_sparse_block(struct tarn_tar_sparse *s, const uint8_t *block,
                          const char **why)
{
  if (s->map_len >= TARN_TAR_SPARSE_MAX_MAP) {
    *why = "its sparse map is larger than 1 MiB";
    return TARN_ELIMIT;
  }
  s->map_len += TARN_TAR_BLOCK;
  if (s->form == TARN_TAR_SPARSE_PAX1)
    return put_text(s, block, why);
  s->announced = block[MORE_AT] != 0;
  return add_entries(s, block, ENTRIES_IN_BLOCK, why);
}

/*
 * Holes are stored, and readers that do not know the map write them as they
 * are. So does this one, unless they are zeros to the end of the input: what is
 * in the file depends on the stored bytes alone.
 */
static size_t whole_body(struct tarn_tar_sparse *s, const uint8_t *ptr,
                         size_t len, uint64_t *at, bool *is_hole)
{
  uint64_t end;
  size_t n;

  *at = s->at;
  tarn_sparse_look(&s->map, s->at, is_hole, &end);
  n = (size_t)tarn_min_u64(len, end - s->at);
  if (*is_hole && (n < len || !tarn_tar_only_zeros(ptr, n)))
    *is_hole = false;
  s->at += n;
  return n;
}

size_t tarn_tar_sparse_body(struct tarn_tar_sparse *s, const uint8_t *ptr,
                            size_t len, uint64_t *at, bool *is_hole)
{
  if (s->form == TARN_TAR_SPARSE_SUN)
    return whole_body(s, ptr, len, at, is_hole);
  *is_hole = false;
  return tarn_sparse_take(&s->map, len, at);
}
