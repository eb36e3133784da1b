#include "tar_make_sparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- content ---- */

static uint64_t stored_len(const struct tar_sparse *s)
{
  uint64_t sum = 0;
  size_t i;

  for (i = 0; i < s->n; i++)
    sum += s->map[i].len;
  return sum;
}

static void put_packed(struct tar_make *t, const struct tar_sparse *s)
{
  struct tar_make body = {0};
  size_t i, k;
  uint8_t byte;

  for (i = 0; i < s->n; i++)
    for (k = 0; k < s->map[i].len; k++) {
      byte = tar_make_pattern(s->map[i].at + k);
      (void)tar_make_bytes(&body, &byte, 1);
    }
  (void)tar_make_body(t, body.data, body.len);
  tar_make_free(&body);
}

uint8_t *tar_sparse_content(const struct tar_sparse *s)
{
  uint8_t *data = calloc(1, (size_t)s->size + 1);
  size_t i, k;

  if (!data)
    abort();
  for (i = 0; i < s->n; i++)
    for (k = 0; k < s->map[i].len; k++)
      data[s->map[i].at + k] = tar_make_pattern(s->map[i].at + k);
  return data;
}

uint64_t tar_sparse_hash(const struct tar_sparse *s)
{
  uint8_t *data = tar_sparse_content(s);
  uint64_t hash = 14695981039346656037u;
  size_t i;

  for (i = 0; i < s->size; i++)
    hash = (hash ^ data[i]) * 1099511628211u;
  free(data);
  return hash;
}

/* ---- type S ---- */

/* Octal behind zeros and a blank at the end, or base-256. */
static void put_number(uint8_t *field, uint64_t value)
{
  char text[32];
  size_t i;

  if (value >> 33 == 0) {
    (void)snprintf(text, sizeof text, "%011llo", (unsigned long long)value);
    memcpy(field, text, 11);
    field[11] = ' ';
    return;
  }
  for (i = 12; i-- > 1; value >>= 8)
    field[i] = (uint8_t)value;
  field[0] = 0x80;
}

static size_t put_entries(uint8_t *to, const struct tar_sparse *s, size_t from,
                          size_t room)
{
  size_t n = s->n - from < room ? s->n - from : room, i;

  for (i = 0; i < n; i++, to += 24) {
    put_number(to, s->map[from + i].at);
    put_number(to + 12, s->map[from + i].len);
  }
  return from + n;
}

static size_t make_header_s(struct tar_make *t, const struct tar_sparse *s)
{
  bool gnu = s->form == TAR_GNU_S;
  size_t in_header = s->form == TAR_XUSTAR_S ? 0 : 4, done, at, n_blocks;
  struct tar_make_header h = {.name = s->name, .type = 'S'};
  uint8_t *block;

  n_blocks = s->n > in_header ? (s->n - in_header + 20) / 21 : 0;
  if (s->form == TAR_XUSTAR_S && n_blocks == 0)
    n_blocks = 1;
  h.magic = gnu ? TAR_MAKE_GNU
                : (s->form == TAR_STAR_S ? TAR_MAKE_STAR : TAR_MAKE_USTAR);
  h.size = (int64_t)stored_len(s) + s->more_stored;
  if (!gnu)
    h.size += 512 * (int64_t)n_blocks;
  at = tar_make_header(t, &h);
  block = t->data + at;
  done = put_entries(block + (gnu ? 386 : 356), s, 0, in_header);
  if (s->form != TAR_XUSTAR_S) {
    block[gnu ? 482 : 355] = n_blocks > 0;
    put_number(block + (gnu ? 483 : 452), s->size);
  }
  tar_make_sum(t, at);
  for (; n_blocks > 0; n_blocks--) {
    block = t->data + tar_make_zeros(t, 512);
    done = put_entries(block, s, done, 21);
    block[504] = n_blocks > 1;
  }
  return at;
}

/* ---- pax ---- */

static void put_record(struct tar_make_records *r, const char *key,
                       uint64_t value)
{
  char text[32];

  (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  tar_make_record(r, key, text);
}

/* "AT" between LEN "BEHIND", for each piece; SUN has an end for a length. */
static void put_list(struct tar_make *text, const struct tar_sparse *s,
                     const char *before, const char *between,
                     const char *behind)
{
  bool sun = s->form == TAR_SUN_HOLES;
  char item[80];
  size_t i;
  int n;

  for (i = 0; i < s->n; i++) {
    n = snprintf(
        item, sizeof item, "%s%llu%s%llu%s", i == 0 && !sun ? "" : before,
        (unsigned long long)s->map[i].at, between,
        (unsigned long long)(s->map[i].len + (sun ? s->map[i].at : 0)), behind);
    (void)tar_make_bytes(text, item, (size_t)n);
  }
}

static void put_version_0(struct tar_make_records *r,
                          const struct tar_sparse *s)
{
  struct tar_make text = {0};
  size_t i;

  put_record(r, "GNU.sparse.size", s->size);
  put_record(r, "GNU.sparse.numblocks", s->n);
  if (s->form == TAR_PAX_0_1) {
    tar_make_record(r, "GNU.sparse.name", s->name);
    put_list(&text, s, ",", ",", "");
    tar_make_record_bytes(r, "GNU.sparse.map", text.data, text.len);
    tar_make_free(&text);
    return;
  }
  for (i = 0; i < s->n; i++) {
    put_record(r, "GNU.sparse.offset", s->map[i].at);
    put_record(r, "GNU.sparse.numbytes", s->map[i].len);
  }
}

static void put_version_1(struct tar_make_records *r,
                          const struct tar_sparse *s)
{
  put_record(r, "GNU.sparse.major", 1);
  put_record(r, "GNU.sparse.minor", 0);
  tar_make_record(r, "GNU.sparse.name", s->name);
  put_record(r, "GNU.sparse.realsize", s->size);
}

static void make_text(struct tar_make *text, const struct tar_sparse *s)
{
  char count[32];
  int n = snprintf(count, sizeof count, "%zu\n", s->n);

  (void)tar_make_bytes(text, count, (size_t)n);
  put_list(text, s, "", "\n", "\n");
  (void)tar_make_zeros(text, (512 - text->len % 512) % 512);
}

static size_t make_pax(struct tar_make *t, const struct tar_sparse *s)
{
  bool has_name = s->form == TAR_PAX_0_1 || s->form == TAR_PAX_1_0;
  struct tar_make_header h = {.name = has_name ? "GNUSparseFile.0/f" : s->name};
  struct tar_make_records r = {0};
  struct tar_make map = {0};
  uint8_t *content;
  size_t at;

  h.size = (int64_t)stored_len(s) + s->more_stored;
  if (s->form == TAR_SUN_HOLES) {
    put_list(&map, s, " ", " ", "");
    tar_make_record_bytes(&r, "SUN.holesdata", map.data, map.len);
    tar_make_free(&map);
    h.size = (int64_t)s->size + s->more_stored;
  } else if (s->form == TAR_PAX_1_0) {
    put_version_1(&r, s);
    make_text(&map, s);
    h.size += (int64_t)map.len;
  } else {
    put_version_0(&r, s);
  }
  (void)tar_make_pax(t, 'x', &r);
  at = tar_make_header(t, &h);
  (void)tar_make_bytes(t, map.data, map.len);
  tar_make_free(&map);
  if (s->form != TAR_SUN_HOLES) {
    put_packed(t, s);
    return at;
  }
  content = tar_sparse_content(s);
  (void)tar_make_body(t, content, (size_t)s->size);
  free(content);
  return at;
}

size_t tar_make_sparse(struct tar_make *t, const struct tar_sparse *s)
{
  struct tar_make_records r = {0};
  size_t at;

  if (s->form > TAR_XUSTAR_S)
    return make_pax(t, s);
  if (s->form == TAR_XUSTAR_S) {
    put_record(&r, "SCHILY.realsize", s->size);
    (void)tar_make_pax(t, 'x', &r);
  }
  at = make_header_s(t, s);
  put_packed(t, s);
  return at;
}
