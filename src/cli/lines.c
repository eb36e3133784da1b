#include "cli/lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/rate.h"
#include "cli/size.h"
#include "cli/term.h"

/* A line that grows by parts, each whole or not at all. */
struct line {
  char *out;
  size_t cap, width, len;
};

static void add(struct line *l, const char *fmt, ...) TARN_CLI_PRINTF(2, 3);

static void add(struct line *l, const char *fmt, ...)
{
  char part[512];
  va_list args;
  size_t n;
  int rc;

  va_start(args, fmt);
  rc = vsnprintf(part, sizeof part, fmt, args);
  va_end(args);
  if (rc <= 0)
    return;
  n = strlen(part);
  if (l->len + n > l->width || l->len + n >= l->cap)
    return;
  memcpy(l->out + l->len, part, n + 1);
  l->len += n;
}

static void start(struct line *l, char *out, size_t cap, size_t width)
{
  l->out = out;
  l->cap = cap;
  l->width = width;
  l->len = 0;
  out[0] = '\0';
}

const char *tarn_cli_lines_limit(enum tarn_limit limit)
{
  switch (limit) {
  case TARN_LIMIT_NETWORK:
    return "network";
  case TARN_LIMIT_DECODE:
    return "decode";
  case TARN_LIMIT_DISK:
    return "disk";
  case TARN_LIMIT_OUTPUT:
    return "output";
  default:
    return NULL;
  }
}

/* The first stage is called by what it does. */
static const char *limit_shown(const struct cli_view *v)
{
  return v->is_local && v->limit == TARN_LIMIT_NETWORK
             ? "input"
             : tarn_cli_lines_limit(v->limit);
}

uint64_t tarn_cli_lines_eta(const struct cli_view *v)
{
  const struct tarn_progress *p = v->p;

  if (!p->has_total || v->wire_speed == 0 || p->wire_total <= p->wire_bytes)
    return 0;
  return (uint64_t)((double)(p->wire_total - p->wire_bytes) * 1e9 /
                    (double)v->wire_speed);
}

static unsigned percent(const struct tarn_progress *p)
{
  if (p->wire_bytes >= p->wire_total)
    return 100;
  return (unsigned)((double)p->wire_bytes * 100 / (double)p->wire_total);
}

size_t tarn_cli_lines_progress(char *out, size_t cap, size_t width,
                               const struct cli_view *v)
{
  const struct tarn_progress *p = v->p;
  const char *limit = limit_shown(v);
  uint64_t eta = tarn_cli_lines_eta(v);
  char a[TARN_CLI_SIZE_TEXT], b[TARN_CLI_SIZE_TEXT];
  struct line l;

  start(&l, out, cap, width);
  tarn_cli_size_text(a, p->wire_bytes);
  if (p->has_total) {
    add(&l, "%3u%%", percent(p));
    add(&l, "  %s/%s", a, tarn_cli_size_text(b, p->wire_total));
  } else {
    add(&l, "%s", a);
  }
  add(&l, "  %s/s", tarn_cli_size_text(a, v->wire_speed));
  if (eta)
    add(&l, "  ETA %s", tarn_cli_time_text(a, eta));
  if (p->decoded_bytes)
    add(&l, "  decoded %s/s", tarn_cli_size_text(a, v->decoded_speed));
  if (p->files)
    add(&l, "  %" PRIu64 " files", p->files);
  if (!v->is_local)
    add(&l, "  %u conn", p->connections);
  if (limit)
    add(&l, "  limit: %s", limit);
  if (p->failed)
    add(&l, "  %" PRIu64 " failed", p->failed);
  if (p->retries)
    add(&l, "  %" PRIu64 " retr%s", p->retries, p->retries == 1 ? "y" : "ies");
  return l.len;
}

/* What was the limit, and what lifts it. */
static void add_limit(struct line *l, const struct cli_view *v)
{
  const struct tarn_progress *p = v->p;
  const char *codec = p->compression ? p->compression : "archive";
  bool one_core = p->decode.busy_ns < p->elapsed_ns + p->elapsed_ns / 4;

  switch (v->limit) {
  case TARN_LIMIT_NETWORK:
    add(l, "; limit: %s%s", limit_shown(v),
        v->fixed_connections ? " (try more --connections)" : "");
    break;
  case TARN_LIMIT_DECODE:
    if (one_core)
      add(l, "; limit: one %s stream decodes on one core", codec);
    else
      add(l, "; limit: decoding %s (try more --threads)", codec);
    break;
  case TARN_LIMIT_DISK:
    add(l, "; limit: disk");
    break;
  case TARN_LIMIT_OUTPUT:
    add(l, "; limit: the reader of standard output");
    break;
  default:
    if (p->network.wait_out_ns > p->elapsed_ns / 2)
      add(l, "; limit: memory (try --memory=1Gi)");
    break;
  }
}

size_t tarn_cli_lines_closing(char *out, size_t cap, const char *where,
                              const struct cli_view *v)
{
  const struct tarn_progress *p = v->p;
  char a[TARN_CLI_SIZE_TEXT], b[TARN_CLI_SIZE_TEXT], c[TARN_CLI_SIZE_TEXT];
  uint64_t speed = tarn_cli_rate_of(p->wire_bytes, p->elapsed_ns);
  struct line l;

  start(&l, out, cap, cap);
  if (p->files)
    add(&l, "%" PRIu64 " file%s, ", p->files, p->files == 1 ? "" : "s");
  add(&l, "%s ",
      tarn_cli_size_text(a,
                         p->decoded_bytes ? p->decoded_bytes : p->wire_bytes));
  add(&l, "%s", where);
  add(&l, "; %s %s in %s, %s/s", tarn_cli_size_text(a, p->wire_bytes),
      v->is_local ? "read" : "received", tarn_cli_time_text(b, p->elapsed_ns),
      tarn_cli_size_text(c, speed));
  if (p->failed)
    add(&l, "; %" PRIu64 " failed", p->failed);
  if (p->retries)
    add(&l, "; %" PRIu64 " retr%s", p->retries, p->retries == 1 ? "y" : "ies");
  add_limit(&l, v);
  return l.len;
}

static void add_stage(struct line *l, const char *name,
                      const struct tarn_stage_time *t)
{
  char a[TARN_CLI_SIZE_TEXT], b[TARN_CLI_SIZE_TEXT], c[TARN_CLI_SIZE_TEXT];

  add(l, "%s%s busy %s, waiting for input %s, for output %s",
      l->len ? "; " : "time: ", name, tarn_cli_time_text(a, t->busy_ns),
      tarn_cli_time_text(b, t->wait_in_ns),
      tarn_cli_time_text(c, t->wait_out_ns));
}

size_t tarn_cli_lines_stages(char *out, size_t cap, const struct cli_view *v)
{
  const struct tarn_progress *p = v->p;
  struct line l;

  start(&l, out, cap, cap);
  add_stage(&l, v->is_local ? "input" : "network", &p->network);
  add_stage(&l, "decode", &p->decode);
  add_stage(&l, "disk", &p->disk);
  return l.len;
}
