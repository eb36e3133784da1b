#include "base/path.h"

#include <stdint.h>
#include <string.h>

/* What one file name holds on Linux, and how deep a path may go. */
#define MAX_COMPONENT  255
#define MAX_COMPONENTS 4096

/* The next component at *at, without slashes; 0 when there is none. */
static size_t next_component(const char *path, size_t len, size_t *at)
{
  const char *slash;

  while (*at < len && path[*at] == '/')
    (*at)++;
  if (*at == len)
    return 0;
  slash = memchr(path + *at, '/', len - *at);
  return slash ? (size_t)(slash - (path + *at)) : len - *at;
}

static bool is_dots(const char *name, size_t len, size_t n_dots)
{
  return len == n_dots && memcmp(name, "..", n_dots) == 0;
}

static enum tarn_path_verdict refuse(enum tarn_path_verdict why, char *out,
                                     size_t *out_len)
{
  out[0] = '\0';
  *out_len = 0;
  return why;
}

enum tarn_path_verdict tarn_path_clean(const char *path, size_t len,
                                       unsigned strip, char *out,
                                       size_t *out_len)
{
  size_t at = 0, n, used = 0, seen = 0, kept = 0;
  bool too_long = false;

  if (len > 0 && memchr(path, '\0', len))
    return refuse(TARN_PATH_NUL, out, out_len);
  for (; (n = next_component(path, len, &at)) > 0; at += n) {
    if (is_dots(path + at, n, 2))
      return refuse(TARN_PATH_DOTDOT, out, out_len);
    if (seen++ < strip || is_dots(path + at, n, 1))
      continue;
    too_long |= n > MAX_COMPONENT || ++kept > MAX_COMPONENTS;
    if (used > 0)
      out[used++] = '/';
    memcpy(out + used, path + at, n);
    used += n;
  }
  if (too_long)
    return refuse(TARN_PATH_TOO_LONG, out, out_len);
  out[used] = '\0';
  *out_len = used;
  if (strip > 0 && seen <= strip)
    return TARN_PATH_STRIPPED;
  return len > 0 && path[0] == '/' ? TARN_PATH_WAS_ABSOLUTE : TARN_PATH_OK;
}

size_t tarn_path_parent_len(const char *path, size_t len)
{
  while (len > 0 && path[len - 1] != '/')
    len--;
  return len > 0 ? len - 1 : 0;
}

/*
 * Length of the UTF-8 character at `s` (Unicode 15, table 3-7), or 0 for a
 * stray byte and for the controls U+0080 to U+009F, which terminals obey.
 */
static size_t utf8_len(const uint8_t *s, size_t len)
{
  uint8_t low = 0x80, high = 0xbf;
  size_t n, i;

  if (s[0] >= 0xc2 && s[0] <= 0xdf)
    n = 2;
  else if (s[0] >= 0xe0 && s[0] <= 0xef)
    n = 3;
  else if (s[0] >= 0xf0 && s[0] <= 0xf4)
    n = 4;
  else
    return 0;
  if (s[0] == 0xc2 || s[0] == 0xe0)
    low = 0xa0;
  else if (s[0] == 0xed)
    high = 0x9f;
  else if (s[0] == 0xf0)
    low = 0x90;
  else if (s[0] == 0xf4)
    high = 0x8f;
  if (len < n || s[1] < low || s[1] > high)
    return 0;
  for (i = 2; i < n; i++)
    if (s[i] < 0x80 || s[i] > 0xbf)
      return 0;
  return n;
}

/* Writes the escape of one byte; returns its length, at most 4. */
static size_t escape_byte(uint8_t byte, char *to)
{
  static const char from[] = "\a\b\t\n\v\f\r\\";
  static const char letters[] = "abtnvfr\\";
  const char *known = byte ? strchr(from, byte) : NULL;

  to[0] = '\\';
  if (known) {
    to[1] = letters[known - from];
    return 2;
  }
  to[1] = (char)('0' + (byte >> 6));
  to[2] = (char)('0' + (byte >> 3 & 7));
  to[3] = (char)('0' + (byte & 7));
  return 4;
}

void tarn_path_escape(const char *path, size_t len, char *out, size_t cap)
{
  const uint8_t *s = (const uint8_t *)path;
  size_t used = 0, n, take;
  char piece[4];

  if (cap == 0)
    return;
  for (; len > 0; s += take, len -= take) {
    take = 1;
    if (*s >= 0x20 && *s < 0x7f && *s != '\\') {
      piece[0] = (char)*s;
      n = 1;
    } else if ((n = utf8_len(s, len)) > 0) {
      memcpy(piece, s, n);
      take = n;
    } else {
      n = escape_byte(*s, piece);
    }
    if (n > cap - 1 - used)
      break;
    memcpy(out + used, piece, n);
    used += n;
  }
  out[used] = '\0';
}
