#include "archive/pax.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "archive/pax_xattr.h"
#include "archive/tar_header.h"

void tarn_pax_init(struct tarn_pax *p)
{
  memset(p, 0, sizeof *p);
}

void tarn_pax_close(struct tarn_pax *p)
{
  free(p->xattrs);
  free(p->pairs);
  tarn_pax_init(p);
}

void tarn_pax_clear(struct tarn_pax *p)
{
  p->has = p->erased = 0;
  tarn_pax_clear_lists(p);
}

void tarn_pax_clear_lists(struct tarn_pax *p)
{
  p->n_xattrs = 0;
  p->n_pairs = 0;
  p->half_pair = p->bad_pairs = false;
}

/* ---- numbers ---- */

/* Decimal digits from *i on; false when there is none or they do not fit. */
static bool digits(const struct tarn_pax_record *r, size_t *i, uint64_t *out)
{
  const char *s = r->value;
  size_t first = *i;
  uint64_t v = 0;

  for (; *i < r->len && s[*i] >= '0' && s[*i] <= '9'; (*i)++) {
    if (__builtin_mul_overflow(v, 10u, &v) ||
        __builtin_add_overflow(v, (uint64_t)(s[*i] - '0'), &v))
      return false;
  }
  *out = v;
  return *i > first;
}

static bool parse_size(const struct tarn_pax_record *r, uint64_t *out)
{
  size_t i = 0;

  return digits(r, &i, out) && i == r->len && *out <= TARN_TAR_MAX_SIZE;
}

static bool parse_count(const struct tarn_pax_record *r, uint64_t *out)
{
  size_t i = 0;

  return digits(r, &i, out) && i == r->len;
}

static bool parse_id(const struct tarn_pax_record *r, uint64_t *out)
{
  size_t i = r->value[0] == '-';
  bool negative = i > 0;

  if (!digits(r, &i, out) || i != r->len)
    return false;
  if (negative)
    *out = 0 - *out;
  return true;
}

/* Digits behind the point; *rest tells that some were beyond nanoseconds. */
static uint32_t fraction(const struct tarn_pax_record *r, size_t *i, bool *rest)
{
  uint32_t nsec = 0, scale = 100000000;

  for (; *i < r->len && r->value[*i] >= '0' && r->value[*i] <= '9'; (*i)++) {
    uint32_t digit = (uint32_t)(r->value[*i] - '0');

    nsec += digit * scale;
    *rest |= scale == 0 && digit > 0;
    scale /= 10;
  }
  return nsec;
}

/* Rounds down, also before 1970: -1.5 is second -2 and half a second. */
static bool parse_time(const struct tarn_pax_record *r, struct tarn_time *out)
{
  bool negative = r->value[0] == '-', rest = false;
  size_t i = negative;
  uint64_t sec;
  uint32_t nsec = 0;

  if (!digits(r, &i, &sec) || sec >= INT64_MAX)
    return false;
  if (i < r->len && r->value[i] == '.') {
    i++;
    nsec = fraction(r, &i, &rest);
  }
  if (i != r->len)
    return false;
  out->sec = negative ? -(int64_t)sec : (int64_t)sec;
  out->nsec = nsec;
  if (negative) {
    nsec += rest;
    out->sec -= nsec > 0;
    out->nsec = nsec > 0 ? 1000000000u - nsec : 0;
  }
  return true;
}

/* ---- sparse files ---- */

/* The numbytes belongs to the offset before it. */
static void add_number(struct tarn_pax *p, bool is_offset, uint64_t value)
{
  if (is_offset == p->half_pair)
    p->bad_pairs = true;
  p->half_pair = is_offset;
  if (is_offset) {
    p->pairs[p->n_pairs].at = value;
  } else if (!p->bad_pairs) {
    p->pairs[p->n_pairs++].len = value;
  }
}

static int put_number(struct tarn_pax *p, const struct tarn_pax_record *r,
                      struct tarn_err *err)
{
  bool is_offset = r->key[sizeof "GNU.sparse." - 1] == 'o';
  size_t cap = p->cap_pairs ? 2 * p->cap_pairs : 64;
  struct tarn_pax_pair *bigger;
  uint64_t value;

  if (!parse_size(r, &value))
    return TARN_EDATA;
  if (p->n_pairs == p->cap_pairs) {
    bigger = realloc(p->pairs, cap * sizeof *bigger);
    if (!bigger)
      return tarn_err_nomem(err, "pax header");
    p->pairs = bigger;
    p->cap_pairs = cap;
  }
  add_number(p, is_offset, value);
  return 0;
}

/* ---- keywords ---- */

enum kind { TEXT, SIZE, COUNT, ID, TIME, NUMBER };

struct keyword {
  const char *key;
  unsigned bit;
  enum kind kind;
  size_t at; /* of its value in struct tarn_pax */
};

static const struct keyword keywords[] = {
    {"path", TARN_PAX_PATH, TEXT, offsetof(struct tarn_pax, path)},
    {"mtime", TARN_PAX_MTIME, TIME, offsetof(struct tarn_pax, mtime)},
    {"size", TARN_PAX_SIZE, SIZE, offsetof(struct tarn_pax, size)},
    {"linkpath", TARN_PAX_LINKPATH, TEXT, offsetof(struct tarn_pax, linkpath)},
    {"uid", TARN_PAX_UID, ID, offsetof(struct tarn_pax, uid)},
    {"gid", TARN_PAX_GID, ID, offsetof(struct tarn_pax, gid)},
    {"uname", TARN_PAX_UNAME, TEXT, offsetof(struct tarn_pax, uname)},
    {"gname", TARN_PAX_GNAME, TEXT, offsetof(struct tarn_pax, gname)},
    {"SCHILY.acl.access", TARN_PAX_ACL_ACCESS, TEXT,
     offsetof(struct tarn_pax, acl_access)},
    {"SCHILY.acl.default", TARN_PAX_ACL_DEFAULT, TEXT,
     offsetof(struct tarn_pax, acl_default)},
    {"GNU.sparse.name", TARN_PAX_SPARSE_NAME, TEXT,
     offsetof(struct tarn_pax, sparse_name)},
    {"GNU.sparse.major", TARN_PAX_SPARSE_MAJOR, COUNT,
     offsetof(struct tarn_pax, sparse_major)},
    {"GNU.sparse.minor", TARN_PAX_SPARSE_MINOR, COUNT,
     offsetof(struct tarn_pax, sparse_minor)},
    {"GNU.sparse.size", TARN_PAX_SPARSE_SIZE, SIZE,
     offsetof(struct tarn_pax, sparse_size)},
    {"GNU.sparse.realsize", TARN_PAX_SPARSE_REAL, SIZE,
     offsetof(struct tarn_pax, sparse_real)},
    {"GNU.sparse.numblocks", TARN_PAX_SPARSE_BLOCKS, COUNT,
     offsetof(struct tarn_pax, sparse_blocks)},
    {"GNU.sparse.map", TARN_PAX_SPARSE_MAP, TEXT,
     offsetof(struct tarn_pax, sparse_map)},
    {"GNU.sparse.offset", TARN_PAX_SPARSE_LIST, NUMBER,
     offsetof(struct tarn_pax, pairs)},
    {"GNU.sparse.numbytes", TARN_PAX_SPARSE_LIST, NUMBER,
     offsetof(struct tarn_pax, pairs)},
    {"SCHILY.realsize", TARN_PAX_STAR_REAL, SIZE,
     offsetof(struct tarn_pax, star_real)},
    {"SUN.holesdata", TARN_PAX_SUN_HOLES, TEXT,
     offsetof(struct tarn_pax, sun_holes)},
};

static const struct keyword *find_keyword(const struct tarn_pax_record *r)
{
  size_t i;

  for (i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
    if (strcmp(r->key, keywords[i].key) == 0)
      return &keywords[i];
  return NULL;
}

static bool set_value(void *field, enum kind kind,
                      const struct tarn_pax_record *r)
{
  struct tarn_pax_text *text;

  switch (kind) {
  case SIZE:
    return parse_size(r, field);
  case COUNT:
    return parse_count(r, field);
  case ID:
    return parse_id(r, field);
  case TIME:
    return parse_time(r, field);
  default:
    text = field;
    text->ptr = r->value;
    text->len = r->len;
    return true;
  }
}

static void erase(struct tarn_pax *p, unsigned bit)
{
  p->has &= ~bit;
  p->erased |= bit;
  if (bit == TARN_PAX_SPARSE_LIST) {
    p->n_pairs = 0;
    p->half_pair = p->bad_pairs = false;
  }
}

static int use_record(struct tarn_pax *p, const struct tarn_pax_record *r,
                      struct tarn_err *err)
{
  const struct keyword *k = find_keyword(r);
  int rc = 0;

  if (k && r->len == 0) {
    erase(p, k->bit);
    return 0;
  }
  if (!k)
    rc = tarn_pax_xattr(p, r, err);
  else if (k->kind == NUMBER)
    rc = put_number(p, r, err);
  else if (!set_value((char *)p + k->at, k->kind, r))
    rc = TARN_EDATA;
  if (rc == TARN_EDATA)
    return tarn_err_at(err, TARN_EDATA, r->at,
                       "pax record %s at offset %llu: wrong value", r->key,
                       (unsigned long long)r->at);
  if (k && rc == 0)
    p->has |= k->bit;
  return rc;
}

/* ---- records ---- */

/*
 * The record at `buf`, of at most `len` bytes. Its '=' and its newline become
 * NULs. Returns its whole length, 0 when there is no record.
 */
static size_t cut_record(char *buf, size_t len, struct tarn_pax_record *r)
{
  size_t i = 0, whole = 0;
  char *equals;

  while (i < len && buf[i] >= '0' && buf[i] <= '9') {
    whole = whole * 10 + (size_t)(buf[i++] - '0');
    if (whole > len)
      return 0;
  }
  /* The least is "N k=\n". */
  if (i == 0 || whole < i + 4 || buf[i] != ' ' || buf[whole - 1] != '\n')
    return 0;
  i++;
  equals = memchr(buf + i, '=', whole - 1 - i);
  if (!equals || equals == buf + i)
    return 0;
  r->key = buf + i;
  r->key_len = (size_t)(equals - r->key);
  if (memchr(r->key, '\0', r->key_len))
    return 0;
  r->value = equals + 1;
  r->len = (size_t)(buf + whole - 1 - r->value);
  *equals = '\0';
  buf[whole - 1] = '\0';
  return whole;
}

int tarn_pax_parse(struct tarn_pax *p, char *buf, size_t len, uint64_t at,
                   struct tarn_err *err)
{
  struct tarn_pax_record r;
  size_t i, n;
  int rc;

  for (i = 0; i < len; i += n) {
    if (tarn_tar_only_zeros(buf + i, len - i))
      break;
    n = cut_record(buf + i, len - i, &r);
    r.at = at + i;
    if (n == 0)
      return tarn_err_at(err, TARN_EDATA, r.at,
                         "damaged pax record at offset %llu",
                         (unsigned long long)r.at);
    rc = use_record(p, &r, err);
    if (rc < 0)
      return rc;
  }
  return 0;
}
