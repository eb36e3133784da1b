#include "cli/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/utf8.h"

void tarn_cli_json_init(struct cli_json *j)
{
  memset(j, 0, sizeof *j);
}

void tarn_cli_json_close(struct cli_json *j)
{
  free(j->buf);
  tarn_cli_json_init(j);
}

static void put(struct cli_json *j, const char *ptr, size_t len)
{
  char *grown;
  size_t cap;

  if (j->failed)
    return;
  if (len > j->cap - j->len) {
    cap = j->cap ? j->cap : 512;
    while (len > cap - j->len)
      cap *= 2;
    grown = realloc(j->buf, cap);
    if (!grown) {
      j->failed = true;
      return;
    }
    j->buf = grown;
    j->cap = cap;
  }
  memcpy(j->buf + j->len, ptr, len);
  j->len += len;
}

static void put_literal(struct cli_json *j, const char *s)
{
  put(j, s, strlen(s));
}

static void put_key(struct cli_json *j, const char *key)
{
  if (j->len > 1)
    put(j, ",", 1);
  put(j, "\"", 1);
  put_literal(j, key);
  put(j, "\":", 2);
}

/* RFC 8259, section 7; DEL too, for those who read lines on a terminal. */
static void put_char(struct cli_json *j, char c)
{
  static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
  const char *at = c ? strchr(plain, c) : NULL;
  char esc[8];

  if (at) {
    esc[0] = '\\';
    esc[1] = letter[at - plain];
    put(j, esc, 2);
  } else if ((unsigned char)c < 0x20 || c == 0x7f) {
    (void)snprintf(esc, sizeof esc, "\\u%04x", (unsigned)(unsigned char)c);
    put(j, esc, 6);
  } else {
    put(j, &c, 1);
  }
}

static void put_string(struct cli_json *j, const char *s, size_t len)
{
  size_t n;

  put(j, "\"", 1);
  while (len > 0) {
    n = tarn_cli_utf8_len(s, len);
    if (n == 1)
      put_char(j, *s);
    else if (n > 1)
      put(j, s, n);
    else
      put_literal(j, "\\ufffd");
    n = n ? n : 1;
    s += n;
    len -= n;
  }
  put(j, "\"", 1);
}

static void put_base64(struct cli_json *j, const char *s, size_t len)
{
  static const char alphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *u = (const unsigned char *)s;
  unsigned group;
  char quad[4];
  size_t n;

  put(j, "\"", 1);
  for (; len > 0; u += n, len -= n) {
    n = len < 3 ? len : 3;
    group = (unsigned)u[0] << 16;
    group |= n > 1 ? (unsigned)u[1] << 8 : 0;
    group |= n > 2 ? (unsigned)u[2] : 0;
    quad[0] = alphabet[group >> 18];
    quad[1] = alphabet[group >> 12 & 63];
    quad[2] = n > 1 ? alphabet[group >> 6 & 63] : '=';
    quad[3] = n > 2 ? alphabet[group & 63] : '=';
    put(j, quad, sizeof quad);
  }
  put(j, "\"", 1);
}

void tarn_cli_json_begin(struct cli_json *j)
{
  j->len = 0;
  j->failed = false;
  put(j, "{", 1);
}

const char *tarn_cli_json_end(struct cli_json *j, size_t *len)
{
  put(j, "}\n", 2);
  *len = j->failed ? 0 : j->len;
  return j->failed ? NULL : j->buf;
}

void tarn_cli_json_text(struct cli_json *j, const char *key, const char *text)
{
  if (!text) {
    tarn_cli_json_null(j, key);
    return;
  }
  put_key(j, key);
  put_string(j, text, strlen(text));
}

void tarn_cli_json_name(struct cli_json *j, const char *key, const char *text)
{
  size_t len = strlen(text);
  char raw_key[32];

  tarn_cli_json_text(j, key, text);
  if (tarn_cli_utf8_valid(text, len))
    return;
  (void)snprintf(raw_key, sizeof raw_key, "%s_b64", key);
  put_key(j, raw_key);
  put_base64(j, text, len);
}

void tarn_cli_json_count(struct cli_json *j, const char *key, uint64_t n)
{
  char text[24];

  put_key(j, key);
  (void)snprintf(text, sizeof text, "%" PRIu64, n);
  put_literal(j, text);
}

void tarn_cli_json_seconds(struct cli_json *j, const char *key, uint64_t ns)
{
  char text[32];

  put_key(j, key);
  (void)snprintf(text, sizeof text, "%" PRIu64 ".%06u", ns / 1000000000u,
                 (unsigned)(ns % 1000000000u / 1000u));
  put_literal(j, text);
}

void tarn_cli_json_whole(struct cli_json *j, const char *key, int64_t n)
{
  char text[24];

  put_key(j, key);
  (void)snprintf(text, sizeof text, "%" PRId64, n);
  put_literal(j, text);
}

void tarn_cli_json_int(struct cli_json *j, const char *key, int n)
{
  tarn_cli_json_whole(j, key, n);
}

void tarn_cli_json_bool(struct cli_json *j, const char *key, bool yes)
{
  put_key(j, key);
  put_literal(j, yes ? "true" : "false");
}

void tarn_cli_json_null(struct cli_json *j, const char *key)
{
  put_key(j, key);
  put_literal(j, "null");
}
