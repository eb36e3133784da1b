#include "tar_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
  struct tar_log *log;
  struct tarn_tar_read *r;
  uint64_t body_len, hash; /* FNV-1a */
};

static void append(char **to, size_t *len, const char *ptr, size_t n)
{
  char *bigger = realloc(*to, *len + n + 1);

  if (!bigger)
    abort();
  memcpy(bigger + *len, ptr, n);
  bigger[*len + n] = '\0';
  *to = bigger;
  *len += n;
}

static void say(struct tar_log *log, const char *fmt, ...) TARN_PRINTF(2, 3);

static void say(struct tar_log *log, const char *fmt, ...)
{
  char line[2048];
  va_list args;
  int n;

  va_start(args, fmt);
  n = vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  if ((size_t)n >= sizeof line)
    n = (int)sizeof line - 1;
  append(&log->text, &log->text_len, line, (size_t)n);
}

static const char *type_name(enum tarn_entry_type type)
{
  static const char *const names[] = {"none", "file", "dir",   "symlink",
                                      "hard", "char", "block", "fifo"};

  return (size_t)type < sizeof names / sizeof names[0] ? names[type] : "none";
}

static void on_member(struct reading *d)
{
  const struct tarn_entry *e = tarn_tar_read_entry(d->r);
  struct tar_log *log = d->log;
  size_t i;

  log->n_members++;
  append(&log->names, &log->names_len, e->path, e->path_len);
  append(&log->names, &log->names_len, "\n", 1);
  say(log, "member %s ", type_name(e->type));
  append(&log->text, &log->text_len, e->path, e->path_len);
  say(log, " %o %llu/%llu %s/%s %lld.%09u %llu", (unsigned)e->mode,
      (unsigned long long)e->uid, (unsigned long long)e->gid, e->uname,
      e->gname, (long long)e->mtime.sec, (unsigned)e->mtime.nsec,
      (unsigned long long)e->size);
  if (e->link_len > 0)
    say(log, " -> %s", e->link);
  if (e->type == TARN_ENTRY_CHAR || e->type == TARN_ENTRY_BLOCK)
    say(log, " dev %u,%u", (unsigned)e->dev_major, (unsigned)e->dev_minor);
  for (i = 0; i < e->n_xattrs; i++) {
    say(log, " %s=", e->xattrs[i].name);
    append(&log->text, &log->text_len, (const char *)e->xattrs[i].value,
           e->xattrs[i].len);
  }
  say(log, "\n");
  d->body_len = 0;
  d->hash = 14695981039346656037u;
}

static void on_body(struct reading *d, const uint8_t *ptr, size_t len)
{
  size_t i;

  if (tarn_tar_read_body_at(d->r) != d->body_len || len == 0)
    say(d->log, "body at a wrong offset\n");
  for (i = 0; i < len; i++)
    d->hash = (d->hash ^ ptr[i]) * 1099511628211u;
  d->body_len += len;
}

static void on_event(struct reading *d, const uint8_t *ptr, size_t used)
{
  struct tar_log *log = d->log;

  switch (log->rc) {
  case TARN_TAR_MEMBER:
    on_member(d);
    break;
  case TARN_TAR_BODY:
    on_body(d, ptr, used);
    break;
  case TARN_TAR_FINISH:
    log->n_finished++;
    say(log, "finish %llu %016llx\n", (unsigned long long)d->body_len,
        (unsigned long long)d->hash);
    break;
  case TARN_TAR_WARNING:
    log->n_warnings++;
    say(log, "warning %s\n", tarn_tar_read_warning(d->r));
    break;
  case TARN_TAR_REFUSED:
    log->n_refused++;
    say(log, "refused %s %s\n", tarn_err_name(log->err.code), log->err.text);
    break;
  default:
    break;
  }
}

/* Steps over one piece until it is consumed; false after an error. */
static bool feed(struct reading *d, const uint8_t *data, size_t len)
{
  uint8_t *copy = malloc(len ? len : 1);
  size_t at = 0, used;

  if (!copy)
    abort();
  memcpy(copy, data, len);
  do {
    d->log->rc =
        tarn_tar_read_step(d->r, copy + at, len - at, &used, &d->log->err);
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

size_t tar_log_whole(size_t left, void *state)
{
  (void)state;
  return left;
}

size_t tar_log_byte(size_t left, void *state)
{
  (void)left;
  (void)state;
  return 1;
}

size_t tar_log_random(size_t left, void *state)
{
  unsigned *seed = state;
  size_t n;

  *seed = *seed * 1103515245u + 12345u;
  n = *seed >> 16 & 7 ? (*seed >> 19) % 1500 + 1 : 512;
  return n < left ? n : left;
}

void tar_log_read(struct tar_log *log, const uint8_t *data, size_t len,
                  tar_log_cut cut, void *state,
                  const struct tarn_tar_options *opts, bool proven)
{
  struct reading d = {.log = log};
  bool ok = true;
  size_t n;

  memset(log, 0, sizeof *log);
  append(&log->text, &log->text_len, "", 0);
  append(&log->names, &log->names_len, "", 0);
  if (tarn_tar_read_new(&d.r, opts, NULL) < 0)
    abort();
  for (; ok && len > 0; data += n, len -= n) {
    n = cut(len, state);
    ok = feed(&d, data, n);
  }
  while (ok && (log->rc = tarn_tar_read_end(d.r, proven, &log->err)) > 0)
    on_event(&d, NULL, 0);
  if (log->rc < 0)
    say(log, "error %s %s\n", tarn_err_name(log->rc), log->err.text);
  tarn_tar_read_free(d.r);
}

void tar_log_free(struct tar_log *log)
{
  free(log->text);
  free(log->names);
  memset(log, 0, sizeof *log);
}
