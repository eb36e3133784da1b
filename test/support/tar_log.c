#include "tar_log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
  struct tar_log *log;
  struct tarn_tar_read *r;
  uint64_t body_len, hash; /* FNV-1a */
  uint64_t size;           /* of the entry */
  uint8_t *sparse;         /* content of a small sparse entry, or NULL */
  bool is_sparse;
};

enum { MAX_SPARSE = 1024 * 1024 };

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
  if (e->acl_access[0] || e->acl_default[0])
    say(log, " acl %s default %s", e->acl_access, e->acl_default);
  say(log, e->sparse ? " sparse\n" : "\n");
  d->body_len = log->n_written = 0;
  d->size = e->size;
  d->is_sparse = e->sparse;
  free(d->sparse);
  d->sparse = NULL;
  if (e->sparse && e->size <= MAX_SPARSE)
    d->sparse = calloc(1, (size_t)e->size + 1);
  d->hash = 14695981039346656037u;
}

static void mix(struct reading *d, const uint8_t *ptr, size_t len)
{
  size_t i;

  for (i = 0; i < len; i++)
    d->hash = (d->hash ^ ptr[i]) * 1099511628211u;
}

/*
 * What is in a file must not depend on how its input was cut, though the pieces
 * do: content of sparse files is put together, or for large ones summed with
 * the place of every byte.
 */
static void on_body(struct reading *d, const uint8_t *ptr, size_t len)
{
  uint64_t at = tarn_tar_read_body_at(d->r);
  size_t i;

  if (len == 0 || at < d->body_len || (!d->is_sparse && at != d->body_len) ||
      len > d->size || at > d->size - len)
    say(d->log, "body at a wrong offset\n");
  else if (d->sparse)
    memcpy(d->sparse + at, ptr, len);
  else if (d->is_sparse)
    for (i = 0; i < len; i++)
      d->hash += (at + i + 1) * 0x9e3779b97f4a7c15u * ptr[i];
  else
    mix(d, ptr, len);
  d->body_len = at + len;
  d->log->n_written += len;
}

static void on_finish(struct reading *d)
{
  struct tar_log *log = d->log;

  log->n_finished++;
  if (d->sparse)
    mix(d, d->sparse, (size_t)d->size);
  say(log, "finish %llu %016llx\n",
      (unsigned long long)(d->is_sparse ? d->size : d->body_len),
      (unsigned long long)d->hash);
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
    on_finish(d);
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
  free(d.sparse);
}

void tar_log_free(struct tar_log *log)
{
  free(log->text);
  free(log->names);
  memset(log, 0, sizeof *log);
}
