#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/lines.h"
#include "cli/size.h"
#include "cli/term.h"

#define BAR_MS      100
#define SAMPLE_MS   1000
#define PLAIN_TICKS 10
#define PLAIN_WIDTH (TARN_CLI_LINE - 1)
#define CLEAR_LINE  "\r\033[K"

static enum cli_progress_mode mode_of(const struct cli_args *args, int fd)
{
  enum cli_progress_mode mode = (enum cli_progress_mode)args->progress;

  if (mode != CLI_PROGRESS_AUTO)
    return mode;
  if (args->quiet)
    return CLI_PROGRESS_NONE;
  return tarn_cli_term_can_redraw(fd) ? CLI_PROGRESS_BAR : CLI_PROGRESS_PLAIN;
}

int tarn_cli_progress_init(struct cli_progress *p, uv_loop_t *loop,
                           const struct cli_args *args)
{
  memset(p, 0, sizeof *p);
  p->args = args;
  p->fd = args->has_progress_fd ? (int)args->progress_fd : STDERR_FILENO;
  p->mode = mode_of(args, p->fd);
  p->human = tarn_cli_args_human(args);
  p->error_terminal = isatty(STDERR_FILENO);
  tarn_cli_json_init(&p->json);
  p->timer.data = p;
  return uv_timer_init(loop, &p->timer);
}

void tarn_cli_progress_close(struct cli_progress *p)
{
  tarn_cli_json_close(&p->json);
  uv_close((uv_handle_t *)&p->timer, NULL);
}

/* ---- lines ---- */

void tarn_cli_progress_clear(struct cli_progress *p)
{
  if (p->drawn)
    (void)tarn_cli_term_write(p->fd, CLEAR_LINE, strlen(CLEAR_LINE));
  p->drawn = false;
}

void tarn_cli_progress_say(struct cli_progress *p, const char *fmt, ...)
{
  char text[TARN_CLI_LINE * 2];
  va_list args;

  if (!p->human)
    return;
  va_start(args, fmt);
  (void)vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  tarn_cli_progress_clear(p);
  tarn_cli_say("%s", text);
}

/* An entry's name, alone on its line as tar -v writes it. */
static void say_entry(struct cli_progress *p, const char *name)
{
  char shown[4 * TARN_CLI_LINE];
  size_t len;

  if (!p->human)
    return;
  tarn_cli_progress_clear(p);
  if (p->error_terminal) {
    len = tarn_cli_term_escape(shown, sizeof shown - 1, name);
    shown[len++] = '\n';
    (void)tarn_cli_term_write(STDERR_FILENO, shown, len);
    return;
  }
  (void)tarn_cli_term_write(STDERR_FILENO, name, strlen(name));
  (void)tarn_cli_term_write(STDERR_FILENO, "\n", 1);
}

static void draw(struct cli_progress *p, const struct cli_view *v)
{
  char line[TARN_CLI_LINE + sizeof CLEAR_LINE];
  size_t head = strlen(CLEAR_LINE), width = tarn_cli_term_width(p->fd);

  /* A full last column would wrap on some terminals. */
  width = width > 1 ? width - 1 : 1;
  memcpy(line, CLEAR_LINE, head);
  head += tarn_cli_lines_progress(line + head, TARN_CLI_LINE, width, v);
  if (tarn_cli_term_writable(p->fd)) {
    (void)tarn_cli_term_write(p->fd, line, head);
    p->drawn = true;
  }
}

static void write_plain(struct cli_progress *p, const struct cli_view *v)
{
  char line[TARN_CLI_LINE + 8];
  size_t len = 6;

  memcpy(line, "tarn: ", len);
  len += tarn_cli_lines_progress(line + len, TARN_CLI_LINE, PLAIN_WIDTH, v);
  line[len++] = '\n';
  tarn_cli_progress_clear(p);
  if (tarn_cli_term_writable(p->fd))
    (void)tarn_cli_term_write(p->fd, line, len);
}

static struct cli_view view_of(const struct cli_progress *p,
                               const struct tarn_progress *figures)
{
  struct cli_view v = {figures,
                       tarn_cli_rate_wire(&p->rate),
                       tarn_cli_rate_decoded(&p->rate),
                       figures->limit,
                       p->args->get.connections > 0,
                       p->about.is_local};

  return v;
}

/* ---- while a job runs ---- */

static int sample(struct cli_progress *p, struct tarn_progress *figures)
{
  memset(figures, 0, sizeof *figures);
  figures->size = sizeof *figures;
  if (!p->job || tarn_job_progress(p->job, figures) != 0)
    return -1;
  tarn_cli_rate_put(&p->rate, figures);
  return 0;
}

static void on_tick(uv_timer_t *timer)
{
  struct cli_progress *p = timer->data;
  struct tarn_progress figures;
  struct cli_view v;

  if (sample(p, &figures) != 0)
    return;
  p->ticks++;
  v = view_of(p, &figures);
  if (p->mode == CLI_PROGRESS_BAR)
    draw(p, &v);
  else if (p->mode == CLI_PROGRESS_PLAIN && p->ticks % PLAIN_TICKS == 0)
    write_plain(p, &v);
  else if (p->mode == CLI_PROGRESS_JSON)
    tarn_cli_progress_json_view(p, &v);
}

void tarn_cli_progress_begin(struct cli_progress *p,
                             const struct cli_about *about,
                             const struct tarn_job *job)
{
  p->retry_told = false;
  uint64_t ms = p->mode == CLI_PROGRESS_BAR ? BAR_MS : SAMPLE_MS;

  p->about = *about;
  p->job = job;
  p->ticks = 0;
  tarn_cli_rate_init(&p->rate);
  if (job)
    (void)uv_timer_start(&p->timer, on_tick, ms, ms);
}

void tarn_cli_progress_now(struct cli_progress *p)
{
  struct tarn_progress figures;
  struct cli_view v;

  if (sample(p, &figures) != 0)
    return;
  v = view_of(p, &figures);
  if (p->mode == CLI_PROGRESS_JSON)
    tarn_cli_progress_json_view(p, &v);
  else
    write_plain(p, &v);
}

static void say_retry(struct cli_progress *p, const struct tarn_event *event)
{
  const char *why = event->err.text[0] ? event->err.text : event->text;
  char wait[TARN_CLI_SIZE_TEXT];

  /* The text names the URL and the offset already. */
  tarn_cli_progress_say(
      p, "%s; retry %u in %s%s", why ? why : "request failed", event->attempt,
      tarn_cli_time_text(wait, event->wait_ms * 1000000u),
      p->args->verbose || p->retry_told ? ""
                                        : " (further ones are shown by -v)");
  p->retry_told = true;
}

/* Advice is not for -q; an entry that failed is always named. */
static void say_warning(struct cli_progress *p, const struct tarn_event *event)
{
  const char *text =
      event->err.code && event->err.text[0] ? event->err.text : event->text;

  if (text && (event->err.code || !p->args->quiet))
    tarn_cli_progress_say(p, "%s: %s", p->about.url, text);
}

void tarn_cli_progress_event(struct cli_progress *p,
                             const struct tarn_event *event)
{
  if (p->mode == CLI_PROGRESS_JSON)
    tarn_cli_progress_json_event(p, event);
  if (event->kind == TARN_EVENT_WARNING)
    say_warning(p, event);
  else if (event->kind == TARN_EVENT_RETRY &&
           (p->args->verbose || (!p->args->quiet && !p->retry_told)))
    say_retry(p, event);
  else if (event->kind == TARN_EVENT_ENTRY && event->text && p->args->verbose)
    say_entry(p, event->text);
}

/* ---- when it has ended ---- */

static void say_error(struct cli_progress *p, const struct tarn_err *err,
                      int exit_status)
{
  const char *text = err->text[0] ? err->text : tarn_strerror(err->code);

  if (err->code == TARN_ECANCELED) {
    tarn_cli_progress_say(p, "%s: %s", p->about.url,
                          exit_status == 143 ? "terminated" : "interrupted");
    if (!p->args->quiet && !p->about.is_list)
      tarn_cli_progress_say(p, "to go on, run the same command: it starts "
                               "anew and replaces what is there");
    return;
  }
  /* The reader has what it wanted. */
  if (err->code == TARN_EPIPE)
    return;
  if (strncmp(text, p->about.url, strlen(p->about.url)) == 0)
    tarn_cli_progress_say(p, "%s", text);
  else
    tarn_cli_progress_say(p, "%s: %s", p->about.url, text);
}

static void say_closing(struct cli_progress *p, const struct tarn_result *res)
{
  const struct cli_about *about = &p->about;
  struct cli_view v = view_of(p, &res->progress);
  char where[TARN_CLI_LINE / 2], line[TARN_CLI_LINE];

  if (about->path)
    (void)snprintf(where, sizeof where, "%s %s", about->is_file ? "to" : "into",
                   about->path);
  else
    (void)snprintf(where, sizeof where, "to standard output");
  v.limit = tarn_cli_rate_limit(&p->rate, res->progress.limit);
  (void)tarn_cli_lines_closing(line, sizeof line, where, &v);
  tarn_cli_progress_say(p, "%s", line);
}

static void say_stages(struct cli_progress *p, const struct tarn_progress *f)
{
  struct cli_view v = view_of(p, f);
  char line[TARN_CLI_LINE];

  (void)tarn_cli_lines_stages(line, sizeof line, &v);
  tarn_cli_progress_say(p, "%s", line);
}

static double seconds_of(struct timeval t)
{
  return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void say_stats(struct cli_progress *p, const struct tarn_progress *f)
{
  struct rusage usage;
  char peak[TARN_CLI_SIZE_TEXT], resident[TARN_CLI_SIZE_TEXT];

  memset(&usage, 0, sizeof usage);
  (void)getrusage(RUSAGE_SELF, &usage);
  tarn_cli_progress_say(
      p,
      "stats: %llu bytes received, %llu decoded, %llu files, %llu failed, "
      "%llu retries",
      (unsigned long long)f->wire_bytes, (unsigned long long)f->decoded_bytes,
      (unsigned long long)f->files, (unsigned long long)f->failed,
      (unsigned long long)f->retries);
  tarn_cli_progress_say(
      p,
      "stats: %.3f s, %.3f s user, %.3f s system; budget peak %s, "
      "resident peak %s",
      (double)f->elapsed_ns / 1e9, seconds_of(usage.ru_utime),
      seconds_of(usage.ru_stime), tarn_cli_size_text(peak, f->memory_peak),
      tarn_cli_size_text(resident, (uint64_t)usage.ru_maxrss * 1024u));
}

void tarn_cli_progress_stop(struct cli_progress *p)
{
  p->job = NULL;
  (void)uv_timer_stop(&p->timer);
}

void tarn_cli_progress_end(struct cli_progress *p,
                           const struct tarn_result *res, int exit_status)
{
  const struct cli_args *args = p->args;
  int code = res->err.code;

  tarn_cli_progress_stop(p);
  tarn_cli_progress_clear(p);
  if (p->mode == CLI_PROGRESS_JSON)
    tarn_cli_progress_json_done(p, res, exit_status);
  if ((code == 0 || code == TARN_EPARTIAL) && !args->quiet &&
      !p->about.is_list && (p->error_terminal || args->verbose))
    say_closing(p, res);
  if (code != 0)
    say_error(p, &res->err, exit_status);
  if (args->stats)
    say_stats(p, &res->progress);
  if (args->verbose || args->stats)
    say_stages(p, &res->progress);
}
