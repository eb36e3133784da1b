#include "http/reply.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"

void tarn_reply_init(struct tarn_reply *reply, int status)
{
  memset(reply, 0, sizeof *reply);
  reply->status = status;
  reply->retry_after_ms = -1;
}

/* Digits at *p, no overflow; *p moves behind them. */
static bool take_number(const char **p, uint64_t *out)
{
  const char *s = *p;
  uint64_t n = 0;

  if (*s < '0' || *s > '9')
    return false;
  for (; *s >= '0' && *s <= '9'; s++)
    if (__builtin_mul_overflow(n, 10u, &n) ||
        !tarn_add_u64(n, (uint64_t)(*s - '0'), &n))
      return false;
  *p = s;
  *out = n;
  return true;
}

static void skip_blanks(const char **p)
{
  while (**p == ' ' || **p == '\t')
    (*p)++;
}

static void copy_value(char *to, size_t cap, const char *value)
{
  size_t len = strlen(value);

  while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
    len--;
  if (len >= cap)
    return;
  memcpy(to, value, len);
  to[len] = '\0';
}

/* RFC 9110 section 14.4: bytes first-last/total, where total may be "*". */
static bool read_range(struct tarn_reply *reply, const char *value)
{
  const char *p = value;

  if (strncasecmp(p, "bytes", 5) != 0)
    return false;
  p += 5;
  if (*p != ' ' && *p != '\t' && *p != '=')
    return false;
  p++;
  skip_blanks(&p);
  if (*p == '*') {
    reply->unsatisfied = true;
    p++;
  } else if (!take_number(&p, &reply->first) || *p++ != '-' ||
             !take_number(&p, &reply->last) || reply->last < reply->first ||
             reply->last == UINT64_MAX) {
    return false;
  }
  if (*p++ != '/')
    return false;
  if (*p == '*')
    p++;
  else if (take_number(&p, &reply->total))
    reply->has_total = true;
  else
    return false;
  skip_blanks(&p);
  if (*p != '\0')
    return false;
  if (reply->unsatisfied)
    return reply->has_total;
  return !reply->has_total || reply->last < reply->total;
}

static void take_range(struct tarn_reply *reply, const char *value)
{
  struct tarn_reply copy = *reply;

  if (read_range(&copy, value)) {
    copy.has_range = !copy.unsatisfied;
    *reply = copy;
  } else {
    reply->bad_range = true;
  }
}

/* A tag longer than any buffer must still tell two objects apart. */
static void fold_etag(struct tarn_reply *reply, const char *value, size_t len)
{
  uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
  size_t i;

  for (i = 0; i < len; i++)
    hash = (hash ^ (unsigned char)value[i]) * 0x100000001b3u;
  (void)snprintf(reply->etag, sizeof reply->etag, "%zu %016llx", len,
                 (unsigned long long)hash);
  reply->etag_folded = true;
}

/* RFC 9110 section 8.8.3. */
static void take_etag(struct tarn_reply *reply, const char *value)
{
  if (strncmp(value, "W/", 2) == 0) {
    reply->etag_weak = true;
    value += 2;
  }
  copy_value(reply->etag, sizeof reply->etag, value);
  if (strlen(value) >= sizeof reply->etag)
    fold_etag(reply, value, strlen(value));
}

static void take_length(struct tarn_reply *reply, const char *value)
{
  const char *p = value;

  reply->has_length = take_number(&p, &reply->length);
  skip_blanks(&p);
  if (*p != '\0')
    reply->has_length = false;
}

static void take_coding(struct tarn_reply *reply, const char *value)
{
  size_t i;

  copy_value(reply->coding, sizeof reply->coding, value);
  for (i = 0; reply->coding[i]; i++)
    if (reply->coding[i] >= 'A' && reply->coding[i] <= 'Z')
      reply->coding[i] = (char)(reply->coding[i] - 'A' + 'a');
  if (strcmp(reply->coding, "identity") == 0)
    reply->coding[0] = '\0';
}

static void take_modified(struct tarn_reply *reply, const char *value)
{
  copy_value(reply->last_modified, sizeof reply->last_modified, value);
}

static void take_type(struct tarn_reply *reply, const char *value)
{
  copy_value(reply->content_type, sizeof reply->content_type, value);
}

void tarn_reply_field(struct tarn_reply *reply, const char *name,
                      const char *value)
{
  static const struct {
    const char *name;
    void (*take)(struct tarn_reply *reply, const char *value);
  } fields[] = {
      {"Content-Range", take_range},
      {"Content-Length", take_length},
      {"ETag", take_etag},
      {"Last-Modified", take_modified},
      {"Content-Encoding", take_coding},
      {"Content-Type", take_type},
  };
  size_t i;

  skip_blanks(&value);
  for (i = 0; i < sizeof fields / sizeof fields[0]; i++)
    if (strcasecmp(name, fields[i].name) == 0)
      fields[i].take(reply, value);
}
