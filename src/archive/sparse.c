#include "archive/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"

enum { BLOCK = 512 };

void tarn_sparse_init(struct tarn_sparse *s)
{
  memset(s, 0, sizeof *s);
}

void tarn_sparse_close(struct tarn_sparse *s)
{
  free(s->pieces);
  tarn_sparse_init(s);
}

void tarn_sparse_clear(struct tarn_sparse *s)
{
  s->n = s->n_entries = s->next = 0;
  s->end = s->sum = s->taken = 0;
  s->uneven = s->backward = false;
}

static int bad(int code, const char *text, const char **why)
{
  *why = text;
  return code;
}

static int make_room(struct tarn_sparse *s, const char **why)
{
  size_t cap = s->cap ? 2 * s->cap : 16;
  struct tarn_sparse_piece *bigger;

  if (s->n < s->cap)
    return 0;
  bigger = realloc(s->pieces, cap * sizeof *bigger);
  if (!bigger)
    return bad(TARN_ENOMEM, "out of memory for its sparse map", why);
  s->pieces = bigger;
  s->cap = cap;
  return 0;
}

int tarn_sparse_add(struct tarn_sparse *s, uint64_t at, uint64_t len,
                    const char **why)
{
  int rc;

  if (s->n_entries == TARN_SPARSE_MAX_ENTRIES)
    return bad(TARN_ELIMIT, "its sparse map has too many entries", why);
  if (at > INT64_MAX || len > (uint64_t)INT64_MAX - at)
    return bad(TARN_EDATA, "its sparse map goes beyond what a file can hold",
               why);
  s->n_entries++;
  if (__builtin_add_overflow(s->sum, len, &s->sum))
    s->sum = UINT64_MAX;
  s->backward |= at < s->end;
  s->end = tarn_max_u64(s->end, at + len);
  if (len == 0 || s->backward)
    return 0;
  rc = make_room(s, why);
  if (rc < 0)
    return rc;
  if (s->n > 0 && s->pieces[s->n - 1].len % BLOCK != 0)
    s->uneven = true;
  s->pieces[s->n].at = at;
  s->pieces[s->n++].len = len;
  return 0;
}

int tarn_sparse_seal(struct tarn_sparse *s, uint64_t size, uint64_t stored,
                     enum tarn_sparse_layout layout, const char **why)
{
  s->next = 0;
  s->taken = 0;
  if (layout != TARN_SPARSE_WHOLE && s->sum > stored)
    return bad(TARN_EDATA, "its sparse map holds more than is stored", why);
  if (s->backward)
    return bad(TARN_EDATA, "its sparse map goes backward or overlaps", why);
  if (s->end > size)
    return bad(TARN_EDATA, "its sparse map ends beyond its size", why);
  if (layout == TARN_SPARSE_WHOLE && size != stored)
    return bad(TARN_EDATA, "its size is not what is stored", why);
  if (layout != TARN_SPARSE_WHOLE && s->sum != stored)
    return bad(TARN_EDATA, "its sparse map does not add up to what is stored",
               why);
  if (layout == TARN_SPARSE_BLOCKS && s->uneven)
    return bad(TARN_EDATA, "its sparse map cuts blocks", why);
  return 0;
}

size_t tarn_sparse_take(struct tarn_sparse *s, size_t len, uint64_t *at)
{
  const struct tarn_sparse_piece *piece;

  if (len == 0 || s->next == s->n)
    return 0;
  piece = &s->pieces[s->next];
  *at = piece->at + s->taken;
  len = (size_t)tarn_min_u64(len, piece->len - s->taken);
  s->taken += len;
  if (s->taken == piece->len) {
    s->next++;
    s->taken = 0;
  }
  return len;
}

void tarn_sparse_look(struct tarn_sparse *s, uint64_t at, bool *is_hole,
                      uint64_t *end)
{
  const struct tarn_sparse_piece *piece;

  while (s->next < s->n && s->pieces[s->next].at + s->pieces[s->next].len <= at)
    s->next++;
  if (s->next == s->n) {
    *is_hole = true;
    *end = UINT64_MAX;
    return;
  }
  piece = &s->pieces[s->next];
  *is_hole = at < piece->at;
  *end = *is_hole ? piece->at : piece->at + piece->len;
}
