/* The JSON lines of docs/progress-json.md. */
#include "cli/progress.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/lines.h"
#include "cli/term.h"

/* Grows when a field changes its meaning or goes; new fields may come. */
#define FORMAT_VERSION 1

static void begin(struct cli_progress *p, const char *event)
{
  tarn_cli_json_begin(&p->json);
  tarn_cli_json_text(&p->json, "event", event);
  tarn_cli_json_int(&p->json, "version", FORMAT_VERSION);
  tarn_cli_json_count(&p->json, "job", p->about.job);
}

/* A reader that is gone, or a line without memory, stops nothing. */
static void finish(struct cli_progress *p)
{
  size_t len;
  const char *line = tarn_cli_json_end(&p->json, &len);

  if (line)
    (void)tarn_cli_term_write(p->fd, line, len);
}

static void put_total(struct cli_json *j, const struct tarn_progress *f)
{
  if (f->has_total)
    tarn_cli_json_count(j, "wire_total", f->wire_total);
  else
    tarn_cli_json_null(j, "wire_total");
}

static void put_error(struct cli_json *j, const struct tarn_err *err)
{
  tarn_cli_json_text(j, "error", err->code ? tarn_err_name(err->code) : NULL);
  if (err->http_status)
    tarn_cli_json_int(j, "http_status", err->http_status);
  else
    tarn_cli_json_null(j, "http_status");
  if (err->sys_errno)
    tarn_cli_json_int(j, "errno", err->sys_errno);
  else
    tarn_cli_json_null(j, "errno");
}

static void put_figures(struct cli_json *j, const struct tarn_progress *f)
{
  tarn_cli_json_seconds(j, "seconds", f->elapsed_ns);
  tarn_cli_json_count(j, "wire_bytes", f->wire_bytes);
  put_total(j, f);
  tarn_cli_json_count(j, "decoded_bytes", f->decoded_bytes);
  tarn_cli_json_count(j, "files", f->files);
  tarn_cli_json_count(j, "failed", f->failed);
  tarn_cli_json_count(j, "retries", f->retries);
  tarn_cli_json_count(j, "memory_peak", f->memory_peak);
}

static void put_start(struct cli_progress *p)
{
  const struct cli_about *about = &p->about;
  struct cli_json *j = &p->json;
  struct tarn_progress f;

  memset(&f, 0, sizeof f);
  f.size = sizeof f;
  if (p->job)
    (void)tarn_job_progress(p->job, &f);
  tarn_cli_json_count(j, "jobs", about->jobs);
  tarn_cli_json_name(j, "url", about->url);
  tarn_cli_json_text(j, "target",
                     about->is_list   ? "list"
                     : !about->path   ? "stdout"
                     : about->is_file ? "file"
                                      : "directory");
  if (about->path)
    tarn_cli_json_name(j, "path", about->path);
  else
    tarn_cli_json_null(j, "path");
  put_total(j, &f);
  tarn_cli_json_text(j, "compression", f.compression);
}

static void put_story(struct cli_json *j, const struct tarn_event *event)
{
  const char *text = event->err.text[0] ? event->err.text : event->text;

  tarn_cli_json_name(j, "text", text ? text : "");
  put_error(j, &event->err);
}

void tarn_cli_progress_json_event(struct cli_progress *p,
                                  const struct tarn_event *event)
{
  switch (event->kind) {
  case TARN_EVENT_START:
    begin(p, "start");
    put_start(p);
    break;
  case TARN_EVENT_RETRY:
    begin(p, "retry");
    put_story(&p->json, event);
    tarn_cli_json_count(&p->json, "attempt", event->attempt);
    tarn_cli_json_count(&p->json, "wait_ms", event->wait_ms);
    break;
  case TARN_EVENT_WARNING:
    begin(p, "warning");
    put_story(&p->json, event);
    break;
  case TARN_EVENT_ENTRY:
    if (!p->args->verbose)
      return;
    begin(p, "entry");
    tarn_cli_json_name(&p->json, "path", event->text ? event->text : "");
    break;
  default:
    return;
  }
  finish(p);
}

/* Progress lines are dropped while the reader does not read. */
void tarn_cli_progress_json_view(struct cli_progress *p,
                                 const struct cli_view *v)
{
  struct cli_json *j = &p->json;
  uint64_t eta = tarn_cli_lines_eta(v);

  if (!tarn_cli_term_writable(p->fd))
    return;
  begin(p, "progress");
  put_figures(j, v->p);
  tarn_cli_json_count(j, "wire_speed", v->wire_speed);
  tarn_cli_json_count(j, "decoded_speed", v->decoded_speed);
  tarn_cli_json_count(j, "connections", v->p->connections);
  tarn_cli_json_count(j, "memory", v->p->memory_now);
  tarn_cli_json_text(j, "limit", tarn_cli_lines_limit(v->limit));
  if (eta)
    tarn_cli_json_seconds(j, "eta", eta);
  else
    tarn_cli_json_null(j, "eta");
  finish(p);
}

static void put_stage(struct cli_json *j, const char *const keys[3],
                      const struct tarn_stage_time *t)
{
  tarn_cli_json_seconds(j, keys[0], t->busy_ns);
  tarn_cli_json_seconds(j, keys[1], t->wait_in_ns);
  tarn_cli_json_seconds(j, keys[2], t->wait_out_ns);
}

static void put_stages(struct cli_json *j, const struct tarn_progress *f)
{
  static const char *const network[] = {"network_busy", "network_wait_in",
                                        "network_wait_out"};
  static const char *const decode[] = {"decode_busy", "decode_wait_in",
                                       "decode_wait_out"};
  static const char *const disk[] = {"disk_busy", "disk_wait_in",
                                     "disk_wait_out"};

  put_stage(j, network, &f->network);
  put_stage(j, decode, &f->decode);
  put_stage(j, disk, &f->disk);
}

void tarn_cli_progress_json_done(struct cli_progress *p,
                                 const struct tarn_result *res, int exit_status)
{
  const struct tarn_err *err = &res->err;
  struct cli_json *j = &p->json;
  struct rusage usage;
  bool proven = err->code == 0 || err->code == TARN_EPARTIAL;

  memset(&usage, 0, sizeof usage);
  (void)getrusage(RUSAGE_SELF, &usage);
  begin(p, "done");
  tarn_cli_json_name(j, "url", p->about.url);
  tarn_cli_json_int(j, "exit", exit_status);
  put_error(j, err);
  tarn_cli_json_count(j, "at", err->at);
  if (err->code)
    tarn_cli_json_name(j, "text",
                       err->text[0] ? err->text : tarn_strerror(err->code));
  else
    tarn_cli_json_null(j, "text");
  put_figures(j, &res->progress);
  tarn_cli_json_count(j, "resident_peak", (uint64_t)usage.ru_maxrss * 1024u);
  tarn_cli_json_text(j, "digest", proven ? p->args->get.digest : NULL);
  put_stages(j, &res->progress);
  finish(p);
}
