#include "fa1_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"

enum { SHOWN = 16 };

/* What the reader is handed for each file. */
struct told {
  char name[64];
  uint64_t len, hash; /* FNV-1a */
  char start[SHOWN + 1];
  struct told *next;
};

struct reading {
  struct fa1_log *log;
  struct tarn_fa1_read *r;
  struct told *all; /* freed at the end, whatever became of them */
};

static void say(struct fa1_log *log, const char *fmt, ...) TARN_PRINTF(2, 3);

static void say(struct fa1_log *log, const char *fmt, ...)
{
  va_list args;
  int n;

  va_start(args, fmt);
  n = vsnprintf(log->text + log->len, sizeof log->text - log->len, fmt, args);
  va_end(args);
  if (n < 0 || (size_t)n >= sizeof log->text - log->len)
    abort();
  log->len += (size_t)n;
}

static void on_member(struct reading *d)
{
  const struct tarn_entry *e = tarn_fa1_read_entry(d->r);
  struct told *t = calloc(1, sizeof *t);

  if (!t || tarn_fa1_read_user(d->r) || strlen(e->path) != e->path_len)
    abort();
  t->next = d->all;
  t->hash = 14695981039346656037u;
  d->all = t;
  tarn_path_escape(e->path, e->path_len, t->name, sizeof t->name);
  tarn_fa1_read_set_user(d->r, t);
  say(d->log, "member %s %s %o %llu/%llu%s\n",
      e->type == TARN_ENTRY_DIR ? "dir" : "file", t->name, (unsigned)e->mode,
      (unsigned long long)e->uid, (unsigned long long)e->gid,
      e->no_mtime ? "" : " with a time");
}

static void on_body(struct reading *d, const uint8_t *ptr, size_t used)
{
  struct told *t = tarn_fa1_read_user(d->r);
  size_t len = tarn_fa1_read_body_len(d->r), i;

  ptr += used - len;
  if (len == 0 || len > used || tarn_fa1_read_body_at(d->r) != t->len)
    say(d->log, "body at a wrong offset\n");
  for (i = 0; i < len; i++, t->len++) {
    t->hash = (t->hash ^ ptr[i]) * 1099511628211u;
    if (t->len < SHOWN)
      t->start[t->len] = (char)ptr[i];
  }
}

static void on_finish(struct reading *d)
{
  const struct told *t = tarn_fa1_read_user(d->r);

  if (t->len <= SHOWN)
    say(d->log, "finish %s %llu %s\n", t->name, (unsigned long long)t->len,
        t->start);
  else
    say(d->log, "finish %s %llu hash %016llx\n", t->name,
        (unsigned long long)t->len, (unsigned long long)t->hash);
}

static void on_event(struct reading *d, const uint8_t *ptr, size_t used)
{
  switch (d->log->rc) {
  case TARN_FA1_MEMBER:
    on_member(d);
    break;
  case TARN_FA1_BODY:
    on_body(d, ptr, used);
    break;
  case TARN_FA1_FINISH:
    on_finish(d);
    break;
  case TARN_FA1_WARNING:
    say(d->log, "warning %s\n", tarn_fa1_read_warning(d->r));
    break;
  case TARN_FA1_REFUSED:
    say(d->log, "refused %s\n", d->log->err.text);
    break;
  default:
    break;
  }
}

static bool feed(struct reading *d, const uint8_t *data, size_t len)
{
  uint8_t *copy = malloc(len ? len : 1);
  size_t at = 0, used;

  if (!copy)
    abort();
  memcpy(copy, data, len);
  do {
    d->log->rc =
        tarn_fa1_read_step(d->r, copy + at, len - at, &used, &d->log->err);
    if (used > len - at)
      abort();
    on_event(d, copy + at, used);
    at += used;
  } while (d->log->rc > 0);
  if (d->log->rc == 0 && at != len)
    say(d->log, "MORE left something\n");
  free(copy);
  return d->log->rc == 0;
}

static size_t next_piece(enum fa1_log_cut cut, unsigned *seed, size_t left)
{
  size_t n = left;

  *seed = *seed * 1103515245u + 12345u;
  if (cut == FA1_LOG_BYTES)
    n = 1;
  else if (cut == FA1_LOG_RANDOM)
    n = *seed >> 16 & 3 ? (*seed >> 18) % 20 + 1 : (*seed >> 18) % 9000 + 1;
  return n < left ? n : left;
}

void fa1_log_read(struct fa1_log *log, const uint8_t *data, size_t len,
                  enum fa1_log_cut cut, unsigned seed, bool proven,
                  tarn_crc64_fn crc)
{
  struct reading d = {.log = log};
  struct told *t;
  bool ok = true;
  size_t n;

  memset(log, 0, sizeof *log);
  if (tarn_fa1_read_new(&d.r, crc, NULL) < 0)
    abort();
  for (; ok && len > 0; data += n, len -= n) {
    n = next_piece(cut, &seed, len);
    ok = feed(&d, data, n);
  }
  while (ok && (log->rc = tarn_fa1_read_end(d.r, proven, &log->err)) > 0)
    on_event(&d, NULL, 0);
  if (log->rc < 0)
    say(log, "error %s %s\n", tarn_err_name(log->rc), log->err.text);
  tarn_fa1_read_free(d.r);
  while ((t = d.all)) {
    d.all = t->next;
    free(t);
  }
}
