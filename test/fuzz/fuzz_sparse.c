/*
 * Any bytes as the map of a sparse file. The first byte chooses the form, the
 * next 16 the size of the file and what is stored; the rest is the map: blocks
 * of type S, text of version 1.0, or the value of a record. A map that is
 * accepted must lead every stored byte to a place of its own in the file, in
 * ascending order, and the same in whatever pieces it is taken.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/tar_sparse.h"
#include "base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 17, MOST = 1 << 16 };

static int begin_s(struct tarn_tar_sparse *s, enum tarn_tar_sparse_form form,
                   const uint8_t *map, size_t len, const uint64_t *sizes,
                   const char **why)
{
  struct tarn_tar_header h;

  memset(&h, 0, sizeof h);
  h.sparse.star = form == TARN_TAR_SPARSE_STAR;
  h.sparse.n_entries = TARN_TAR_SPARSE_IN_HEADER;
  h.sparse.more = len > sizeof h.sparse.entries;
  if (len > sizeof h.sparse.entries)
    len = sizeof h.sparse.entries;
  if (len > 0)
    memcpy(h.sparse.entries, map, len);
  return tarn_tar_sparse_begin(s, form, &h, NULL, sizes[0], sizes[1], why);
}

/* "offset,length,..." as the records of version 0.0. */
static void set_pairs(struct tarn_pax *p, const uint8_t *map, size_t len)
{
  size_t n = len / sizeof *p->pairs;

  p->has = TARN_PAX_SPARSE_LIST;
  p->pairs = malloc(n * sizeof *p->pairs + 1);
  if (!p->pairs)
    abort();
  if (n > 0)
    memcpy(p->pairs, map, n * sizeof *p->pairs);
  p->n_pairs = p->cap_pairs = n;
}

static int begin_records(struct tarn_tar_sparse *s,
                         enum tarn_tar_sparse_form form, unsigned bit,
                         const uint8_t *map, size_t len, const uint64_t *sizes,
                         const char **why)
{
  struct tarn_pax p;
  char *text = malloc(len + 1);
  int rc;

  if (!text)
    abort();
  if (len > 0)
    memcpy(text, map, len);
  text[len] = '\0';
  tarn_pax_init(&p);
  p.has = bit;
  p.sparse_map.ptr = p.sun_holes.ptr = text;
  p.sparse_map.len = p.sun_holes.len = len;
  if (bit == TARN_PAX_SPARSE_LIST)
    set_pairs(&p, map, len);
  rc = tarn_tar_sparse_begin(s, form, NULL, &p, sizes[0], sizes[1], why);
  tarn_pax_close(&p);
  free(text);
  return rc;
}

static int begin(struct tarn_tar_sparse *s, uint8_t choice, const uint8_t *map,
                 size_t len, const uint64_t *sizes, const char **why)
{
  switch (choice % 6) {
  case 0:
    return begin_s(s, TARN_TAR_SPARSE_GNU, map, len, sizes, why);
  case 1:
    return begin_s(s, TARN_TAR_SPARSE_STAR, map, len, sizes, why);
  case 2:
    return begin_records(s, TARN_TAR_SPARSE_PAX0, TARN_PAX_SPARSE_MAP, map, len,
                         sizes, why);
  case 3:
    return begin_records(s, TARN_TAR_SPARSE_PAX0, TARN_PAX_SPARSE_LIST, map,
                         len, sizes, why);
  case 4:
    return begin_records(s, TARN_TAR_SPARSE_SUN, TARN_PAX_SUN_HOLES, map, len,
                         sizes, why);
  default:
    return tarn_tar_sparse_begin(s, TARN_TAR_SPARSE_PAX1, NULL, NULL, sizes[0],
                                 sizes[1], why);
  }
}

/* Hands on blocks until the map is complete, wrong or at its end. */
static int read_map(struct tarn_tar_sparse *s, const uint8_t *data, size_t size,
                    const uint64_t *sizes, const char **why)
{
  const uint8_t *map = data + HEAD;
  size_t len = size - HEAD, at = 0, n;
  uint8_t *block = malloc(TARN_TAR_BLOCK);
  int rc = begin(s, data[0], map, len, sizes, why);

  if (!block)
    abort();
  if (data[0] % 6 < 2)
    at = len < 96 ? len : 96;
  while (rc == TARN_TAR_SPARSE_MORE && at < len) {
    n = len - at < TARN_TAR_BLOCK ? len - at : TARN_TAR_BLOCK;
    memset(block, 0, TARN_TAR_BLOCK);
    memcpy(block, map + at, n);
    at += n;
    rc = tarn_tar_sparse_block(s, block, why);
  }
  free(block);
  return rc;
}

/* Takes the stored bytes, zeros, in pieces; a hash of where they go. */
static uint64_t take_all(struct tarn_tar_sparse *s, uint64_t left, size_t piece)
{
  static const uint8_t zeros[MOST];
  uint64_t hash = 0, at, next = 0;
  bool is_hole;
  size_t n;

  while (left > 0) {
    n = left < piece ? (size_t)left : piece;
    n = tarn_tar_sparse_body(s, zeros, n, &at, &is_hole);
    TARN_CHECK(n > 0 && n <= left);
    TARN_CHECK(at >= next && at <= s->size && n <= s->size - at);
    next = at + n;
    left -= n;
    for (; !is_hole && n > 0; n--)
      hash = hash * 31 + at++;
  }
  return hash;
}

static void check_map(const struct tarn_tar_sparse *s)
{
  const struct tarn_sparse_piece *p = s->map.pieces;
  uint64_t end = 0;
  size_t i;

  TARN_CHECK(s->map.n <= s->map.n_entries);
  TARN_CHECK(s->map.n_entries <= TARN_SPARSE_MAX_ENTRIES);
  for (i = 0; i < s->map.n; i++) {
    TARN_CHECK(p[i].len > 0 && p[i].at >= end && p[i].at <= s->size);
    TARN_CHECK(p[i].len <= s->size - p[i].at);
    end = p[i].at + p[i].len;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct tarn_tar_sparse s;
  const char *why = NULL;
  uint64_t sizes[2], left, whole = 0;
  size_t piece;
  int rc, turn;

  if (size < HEAD)
    return 0;
  memcpy(sizes, data + 1, sizeof sizes);
  for (turn = 0; turn < 2; turn++)
    if (sizes[turn] > TARN_TAR_MAX_SIZE)
      sizes[turn] = TARN_TAR_MAX_SIZE;
  tarn_tar_sparse_init(&s);
  for (turn = 0; turn < 2; turn++) {
    rc = read_map(&s, data, size, sizes, &why);
    TARN_CHECK((rc < 0) == (why != NULL));
    if (rc != 0)
      break;
    check_map(&s);
    left = sizes[1] - (s.form == TARN_TAR_SPARSE_GNU ? 0 : s.map_len);
    TARN_CHECK(left <= sizes[1]);
    if (left > MOST)
      break;
    piece =
        turn == 0 || s.form == TARN_TAR_SPARSE_SUN ? MOST : data[0] % 7 + 1u;
    if (turn == 0)
      whole = take_all(&s, left, piece);
    else
      TARN_CHECK(take_all(&s, left, piece) == whole);
  }
  tarn_tar_sparse_close(&s);
  return 0;
}
