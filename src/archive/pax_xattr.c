#include "archive/pax_xattr.h"

#include <stdlib.h>
#include <string.h>

/* ---- decoding ---- */

static int hex(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte behind a '%', or -1. */
static int escaped(const char *s)
{
  int high = hex(s[0]), low = high < 0 ? -1 : hex(s[1]);

  return low < 0 ? -1 : high << 4 | low;
}

/*
 * Decodes "%XX". GNU tar writes but '=' and '%' so, and leaves other names as
 * they are: with `few` only those two are meant. False for an encoded NUL.
 */
static bool decode_name(char *name, bool few)
{
  char *to = name;
  int byte;

  while (*name) {
    byte = *name == '%' ? escaped(name + 1) : -1;
    if (byte == 0 && !few)
      return false;
    if (byte > 0 && (!few || strncmp(name, "%3D", 3) == 0 ||
                     strncmp(name, "%25", 3) == 0)) {
      *to++ = (char)byte;
      name += 3;
    } else {
      *to++ = *name++;
    }
  }
  *to = '\0';
  return true;
}

static int base64_digit(char c)
{
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  if (c == '+')
    return 62;
  return c == '/' ? 63 : -1;
}

/* In place; with or without '=' at the end (RFC 4648). False for others. */
static bool decode_base64(char *s, size_t *len)
{
  size_t n = *len, i, out = 0;
  unsigned bits = 0;
  int digit;

  while (n > 0 && *len - n < 2 && s[n - 1] == '=')
    n--;
  if (n % 4 == 1 || (n < *len && *len % 4 != 0))
    return false;
  for (i = 0; i < n; i++) {
    digit = base64_digit(s[i]);
    if (digit < 0)
      return false;
    bits = bits << 6 | (unsigned)digit;
    if (i % 4 != 0)
      s[out++] = (char)(bits >> (6 - 2 * (i % 4)) & 0xff);
  }
  s[out] = '\0';
  *len = out;
  return true;
}

/* ---- the list ---- */

static bool is_weak(const struct tarn_pax *p, size_t i)
{
  return p->weak[i / 8] & 1u << i % 8;
}

static void set_weak(struct tarn_pax *p, size_t i, bool weak)
{
  uint8_t bit = (uint8_t)(1u << i % 8);

  p->weak[i / 8] =
      (uint8_t)(weak ? p->weak[i / 8] | bit : p->weak[i / 8] & ~(unsigned)bit);
}

/* Its place in the list, n_xattrs when it is not there. */
static size_t find_xattr(const struct tarn_pax *p, const char *name)
{
  size_t i;

  for (i = 0; i < p->n_xattrs; i++)
    if (strcmp(p->xattrs[i].name, name) == 0)
      break;
  return i;
}

static int make_room(struct tarn_pax *p, struct tarn_err *err)
{
  size_t cap = p->cap_xattrs ? 2 * p->cap_xattrs : 8;
  struct tarn_xattr *bigger;

  if (p->n_xattrs < p->cap_xattrs)
    return 0;
  bigger = realloc(p->xattrs, cap * sizeof *bigger);
  if (!bigger)
    return tarn_err_nomem(err, "pax header");
  p->xattrs = bigger;
  p->cap_xattrs = cap;
  return 0;
}

static int put(struct tarn_pax *p, const struct tarn_pax_record *r,
               const char *name, size_t len, bool weak, struct tarn_err *err)
{
  size_t i = find_xattr(p, name);
  int rc;

  if (name[0] == '\0')
    return 0;
  if (i < p->n_xattrs && weak && !is_weak(p, i))
    return 0;
  if (i == TARN_PAX_MAX_XATTRS)
    return tarn_err_at(err, TARN_ELIMIT, r->at,
                       "pax record at offset %llu: more than %d extended "
                       "attributes",
                       (unsigned long long)r->at, TARN_PAX_MAX_XATTRS);
  if (i == p->n_xattrs) {
    rc = make_room(p, err);
    if (rc < 0)
      return rc;
    p->n_xattrs++;
  }
  p->xattrs[i].name = name;
  p->xattrs[i].value = (const uint8_t *)r->value;
  p->xattrs[i].len = len;
  set_weak(p, i, weak);
  return 0;
}

/* The rest of the keyword behind `prefix`, NULL when it has another. */
static char *behind(const struct tarn_pax_record *r, const char *prefix,
                    size_t len)
{
  if (r->key_len < len || memcmp(r->key, prefix, len) != 0)
    return NULL;
  return r->key + len;
}

int tarn_pax_xattr(struct tarn_pax *p, const struct tarn_pax_record *r,
                   struct tarn_err *err)
{
  static const char schily[] = "SCHILY.xattr.", bsd[] = "LIBARCHIVE.xattr.";
  size_t len = r->len;
  char *name;

  name = behind(r, schily, sizeof schily - 1);
  if (name)
    return decode_name(name, true) ? put(p, r, name, len, false, err)
                                   : TARN_EDATA;
  name = behind(r, bsd, sizeof bsd - 1);
  if (name)
    return decode_name(name, false) && decode_base64(r->value, &len)
               ? put(p, r, name, len, true, err)
               : TARN_EDATA;
  if (strcmp(r->key, "RHT.security.selinux") == 0 && len > 0)
    return put(p, r, "security.selinux", len, true, err);
  return 0;
}
