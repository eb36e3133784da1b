#include "archive/pax.h"

#include <stdlib.h>
#include <string.h>

#include "archive/tar_header.h"

/* One record; key and value end with a NUL each. */
struct record {
  char *key, *value;
  size_t key_len, len; /* len: of the value */
  uint64_t at;         /* offset in the stream */
};

void tarn_pax_init(struct tarn_pax *p)
{
  memset(p, 0, sizeof *p);
}

void tarn_pax_close(struct tarn_pax *p)
{
  free(p->xattrs);
  tarn_pax_init(p);
}

void tarn_pax_clear(struct tarn_pax *p)
{
  p->has = p->erased = 0;
  p->n_xattrs = 0;
}

/* ---- numbers ---- */

/* Decimal digits from *i on; false when there is none or they do not fit. */
static bool digits(const struct record *r, size_t *i, uint64_t *out)
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

static bool parse_size(const struct record *r, uint64_t *out)
{
  size_t i = 0;

  return digits(r, &i, out) && i == r->len && *out <= TARN_TAR_MAX_SIZE;
}

static bool parse_id(const struct record *r, uint64_t *out)
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
static uint32_t fraction(const struct record *r, size_t *i, bool *rest)
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
static bool parse_time(const struct record *r, struct tarn_time *out)
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

/* ---- extended attributes ---- */

/* "%3D" is '=' and "%25" is '%' in a keyword, as GNU tar writes them. */
static void decode_name(char *name)
{
  char *to = name;

  while (*name) {
    if (strncmp(name, "%3D", 3) == 0) {
      *to++ = '=';
      name += 3;
    } else if (strncmp(name, "%25", 3) == 0) {
      *to++ = '%';
      name += 3;
    } else {
      *to++ = *name++;
    }
  }
  *to = '\0';
}

static struct tarn_xattr *find_xattr(struct tarn_pax *p, const char *name)
{
  size_t i;

  for (i = 0; i < p->n_xattrs; i++)
    if (strcmp(p->xattrs[i].name, name) == 0)
      return &p->xattrs[i];
  return NULL;
}

static int grow_xattrs(struct tarn_pax *p, struct tarn_err *err)
{
  size_t cap = p->cap_xattrs ? 2 * p->cap_xattrs : 8;
  struct tarn_xattr *bigger = realloc(p->xattrs, cap * sizeof *bigger);

  if (!bigger)
    return tarn_err_nomem(err, "pax header");
  p->xattrs = bigger;
  p->cap_xattrs = cap;
  return 0;
}

static int put_xattr(struct tarn_pax *p, const struct record *r, char *name,
                     struct tarn_err *err)
{
  struct tarn_xattr *x;
  int rc;

  decode_name(name);
  if (name[0] == '\0')
    return 0;
  x = find_xattr(p, name);
  if (!x) {
    if (p->n_xattrs == TARN_PAX_MAX_XATTRS)
      return tarn_err_at(err, TARN_ELIMIT, r->at,
                         "pax record at offset %llu: more than %d extended "
                         "attributes",
                         (unsigned long long)r->at, TARN_PAX_MAX_XATTRS);
    if (p->n_xattrs == p->cap_xattrs && (rc = grow_xattrs(p, err)) < 0)
      return rc;
    x = &p->xattrs[p->n_xattrs++];
  }
  x->name = name;
  x->value = (const uint8_t *)r->value;
  x->len = r->len;
  return 0;
}

/* ---- keywords ---- */

static const struct {
  const char *key;
  size_t len;
  unsigned bit;
} keywords[] = {
    {"path", 4, TARN_PAX_PATH},
    {"mtime", 5, TARN_PAX_MTIME},
    {"size", 4, TARN_PAX_SIZE},
    {"linkpath", 8, TARN_PAX_LINKPATH},
    {"uid", 3, TARN_PAX_UID},
    {"gid", 3, TARN_PAX_GID},
    {"uname", 5, TARN_PAX_UNAME},
    {"gname", 5, TARN_PAX_GNAME},
    {"GNU.sparse.name", 15, TARN_PAX_SPARSE_NAME},
};

static unsigned keyword_bit(const struct record *r)
{
  size_t i;

  for (i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
    if (r->key_len == keywords[i].len &&
        memcmp(r->key, keywords[i].key, r->key_len) == 0)
      return keywords[i].bit;
  return 0;
}

static bool has_prefix(const struct record *r, const char *prefix, size_t len)
{
  return r->key_len >= len && memcmp(r->key, prefix, len) == 0;
}

static struct tarn_pax_text *text_of(struct tarn_pax *p, unsigned bit)
{
  switch (bit) {
  case TARN_PAX_PATH:
    return &p->path;
  case TARN_PAX_LINKPATH:
    return &p->linkpath;
  case TARN_PAX_UNAME:
    return &p->uname;
  case TARN_PAX_GNAME:
    return &p->gname;
  default:
    return &p->sparse_name;
  }
}

static bool set_value(struct tarn_pax *p, unsigned bit, const struct record *r)
{
  struct tarn_pax_text *text;

  switch (bit) {
  case TARN_PAX_SIZE:
    return parse_size(r, &p->size);
  case TARN_PAX_UID:
    return parse_id(r, &p->uid);
  case TARN_PAX_GID:
    return parse_id(r, &p->gid);
  case TARN_PAX_MTIME:
    return parse_time(r, &p->mtime);
  default:
    text = text_of(p, bit);
    text->ptr = r->value;
    text->len = r->len;
    return true;
  }
}

static int use_record(struct tarn_pax *p, const struct record *r,
                      struct tarn_err *err)
{
  static const char xattr[] = "SCHILY.xattr.", sparse[] = "GNU.sparse.";
  unsigned bit = keyword_bit(r);

  if (has_prefix(r, sparse, sizeof sparse - 1))
    p->has |= TARN_PAX_SPARSE;
  if (bit && r->len == 0) {
    p->has &= ~bit;
    p->erased |= bit;
    return 0;
  }
  if (bit) {
    if (!set_value(p, bit, r))
      return tarn_err_at(err, TARN_EDATA, r->at,
                         "pax record %s at offset %llu: wrong value", r->key,
                         (unsigned long long)r->at);
    p->has |= bit;
    return 0;
  }
  if (has_prefix(r, xattr, sizeof xattr - 1))
    return put_xattr(p, r, r->key + sizeof xattr - 1, err);
  return 0;
}

/* ---- records ---- */

/*
 * The record at `buf`, of at most `len` bytes. Its '=' and its newline become
 * NULs. Returns its whole length, 0 when there is no record.
 */
static size_t cut_record(char *buf, size_t len, struct record *r)
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

static bool only_zeros(const char *buf, size_t len)
{
  return buf[0] == '\0' && memcmp(buf, buf + 1, len - 1) == 0;
}

int tarn_pax_parse(struct tarn_pax *p, char *buf, size_t len, uint64_t at,
                   struct tarn_err *err)
{
  struct record r;
  size_t i, n;
  int rc;

  for (i = 0; i < len; i += n) {
    if (only_zeros(buf + i, len - i))
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
