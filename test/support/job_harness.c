#include "job_harness.h"

#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

extern char **environ;

enum { WATCHDOG_MS = 60000 };

static void on_watchdog(uv_timer_t *timer)
{
  (void)timer;
  fail_msg("nothing happens any more");
}

/* TARN_TEST_TRACE in the environment: what happens goes to standard error. */
static void on_trace(unsigned channel, const char *text, void *user)
{
  (void)user;
  (void)fprintf(stderr, "%u: %s\n", channel, text);
}

void job_open(struct job_host *h, const struct tarn_options *opts)
{
  struct tarn_options own = TARN_OPTIONS_INIT;

  if (opts)
    own = *opts;
  if (getenv("TARN_TEST_TRACE")) {
    own.trace_mask = ~0u;
    own.on_trace = on_trace;
  }
  memset(h, 0, sizeof *h);
  assert_int_equal(uv_loop_init(&h->loop), 0);
  (void)uv_timer_init(&h->loop, &h->watchdog);
  (void)uv_timer_start(&h->watchdog, on_watchdog, WATCHDOG_MS, 0);
  assert_int_equal(tarn_open(&h->ctx, &h->loop, &own, NULL), 0);
}

static void on_closed(struct tarn *ctx, void *user)
{
  struct job_host *h = user;

  assert_false(h->inside);
  assert_ptr_equal(ctx, h->ctx);
  h->n_closed++;
}

void job_close_context(struct job_host *h)
{
  h->inside = true;
  tarn_close(h->ctx, on_closed, h);
  h->inside = false;
  while (h->n_closed == 0)
    (void)uv_run(&h->loop, UV_RUN_ONCE);
}

void job_close(struct job_host *h)
{
  if (h->n_closed == 0)
    job_close_context(h);
  uv_close((uv_handle_t *)&h->watchdog, NULL);
  (void)uv_run(&h->loop, UV_RUN_DEFAULT);
  assert_int_equal(h->n_closed, 1);
  assert_int_equal(uv_loop_close(&h->loop), 0);
}

/* ---- callbacks ---- */

static void check_callback(const struct job_run *r, struct tarn_job *job)
{
  assert_false(r->h->inside);
  assert_int_equal(r->n_done, 0);
  assert_ptr_equal(job, r->job);
}

static void on_done(struct tarn_job *job, const struct tarn_result *res,
                    void *user)
{
  struct job_run *r = user;

  check_callback(r, job);
  assert_int_equal(res->size, sizeof *res);
  r->n_done++;
  r->err = res->err;
  r->progress = res->progress;
  /* Late calls on a job that is about to go do nothing. */
  tarn_cancel(job);
  r->job = NULL;
}

static void on_event(struct tarn_job *job, const struct tarn_event *event,
                     void *user)
{
  struct job_run *r = user;

  check_callback(r, job);
  assert_non_null(event->text);
  r->n_events++;
  r->n_retries += event->kind == TARN_EVENT_RETRY;
  r->n_warnings += event->kind == TARN_EVENT_WARNING;
  if (r->n_events == r->cancel_at_event)
    job_cancel(r);
}

static void on_data(struct tarn_job *job, const void *ptr, size_t len,
                    void *user)
{
  struct job_run *r = user;
  size_t back;

  check_callback(r, job);
  if (r->cap - r->len < len) {
    /* Not by realloc, which a test may make fail. */
    size_t cap = (2 * r->cap + len + 63) / 64 * 64;
    uint8_t *grown = aligned_alloc(64, cap);

    assert_non_null(grown);
    if (r->len)
      memcpy(grown, r->got, r->len);
    free(r->got);
    r->got = grown;
    r->cap = cap;
  }
  memcpy(r->got + r->len, ptr, len);
  r->len += len;
  r->owed += len;
  back = r->owed > r->keep_credit ? r->owed - r->keep_credit : 0;
  r->owed -= back;
  r->h->inside = true;
  tarn_consumed(job, back);
  r->h->inside = false;
}

static void put_more(struct job_run *r);

static void on_room(struct tarn_job *job, void *user)
{
  struct job_run *r = user;

  check_callback(r, job);
  put_more(r);
}

static void put_more(struct job_run *r)
{
  int64_t n;

  r->h->inside = true;
  n = tarn_put(r->job, r->put + r->put_at, r->put_len - r->put_at);
  assert_true(n >= 0);
  r->put_at += (size_t)n;
  if (r->put_at == r->put_len) {
    assert_int_equal(tarn_put_end(r->job), 0);
    assert_int_equal(tarn_put_end(r->job), TARN_EINVAL);
    assert_int_equal(tarn_put(r->job, "x", 1), TARN_EINVAL);
  } else {
    tarn_on_room(r->job, on_room, r);
  }
  r->h->inside = false;
}

/* ---- runs ---- */

void job_run_init(struct job_run *r, struct job_host *h)
{
  static const struct tarn_get_options init = TARN_GET_OPTIONS_INIT;

  memset(r, 0, sizeof *r);
  r->h = h;
  r->opts = init;
  r->opts.on_done = on_done;
  r->opts.on_event = on_event;
  r->opts.on_data = on_data;
  r->opts.user = r;
  r->opts.retry_wait_ms = 10;
  r->opts.max_wait_ms = 50;
  r->opts.has_retry_count = 1;
  r->opts.retry_count = 5;
}

void job_run_free(struct job_run *r)
{
  free(r->got);
}

int job_start(struct job_run *r, struct tarn_err *err)
{
  int rc;

  r->h->inside = true;
  rc = tarn_get(r->h->ctx, &r->opts, &r->job, err);
  r->h->inside = false;
  return rc;
}

void job_begin(struct job_host *h, struct job_run *r)
{
  job_open(h, NULL);
  job_run_init(r, h);
}

void job_end(struct job_host *h, struct job_run *r)
{
  job_run_free(r);
  job_close(h);
}

void job_cancel(struct job_run *r)
{
  if (!r->job)
    return;
  r->h->inside = true;
  tarn_cancel(r->job);
  tarn_cancel(r->job);
  r->h->inside = false;
}

void job_wait(struct job_run *r)
{
  while (r->n_done == 0)
    (void)uv_run(&r->h->loop, UV_RUN_ONCE);
}

void job_put_all(struct job_run *r, const void *ptr, size_t len)
{
  r->put = ptr;
  r->put_len = len;
  r->put_at = 0;
  put_more(r);
}

/* ---- the server ---- */

static char *const *server_command(char *script_path)
{
  static char program[] = "python3";
  static char file[] = TARN_TEST_SUPPORT "/faulty_server.py";
  static char until_eof[] = "--until-eof", script[] = "--script";
  static char *with[] = {program, file, until_eof, script, NULL, NULL};
  static char *without[] = {program, file, until_eof, NULL};

  with[4] = script_path;
  return script_path ? with : without;
}

static void read_port(struct job_server *s, int fd)
{
  char text[32];
  size_t n = 0;

  while (n < sizeof text - 1 && read(fd, text + n, 1) == 1 && text[n] != '\n')
    n++;
  text[n] = '\0';
  s->port = (unsigned)strtoul(text, NULL, 10);
  assert_true(s->port > 0);
}

void job_server_start(struct job_server *s, const char *script)
{
  char path[] = "/tmp/tarn-script-XXXXXX";
  posix_spawn_file_actions_t actions;
  int in[2], out[2], fd;

  if (script) {
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, script, strlen(script)), strlen(script));
    (void)close(fd);
  }
  assert_int_equal(pipe2(in, O_CLOEXEC), 0);
  assert_int_equal(pipe2(out, O_CLOEXEC), 0);
  (void)posix_spawn_file_actions_init(&actions);
  (void)posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  (void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  assert_int_equal(posix_spawnp(&s->pid, "python3", &actions, NULL,
                                server_command(script ? path : NULL), environ),
                   0);
  (void)posix_spawn_file_actions_destroy(&actions);
  (void)close(in[0]);
  (void)close(out[1]);
  s->input = in[1];
  read_port(s, out[0]);
  (void)close(out[0]);
  if (script)
    (void)unlink(path);
}

void job_server_stop(struct job_server *s)
{
  int status;

  (void)close(s->input);
  assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
}

const char *job_server_url(const struct job_server *s, const char *path,
                           char *url, size_t cap)
{
  (void)snprintf(url, cap, "http://127.0.0.1:%u%s", s->port, path);
  return url;
}

/* Each 8-byte word holds its place, as in faulty_server.py. */
uint8_t job_server_byte(size_t i)
{
  uint64_t word = (uint64_t)(i / 8) * UINT64_C(0xD1342543DE82EF95);

  return (uint8_t)(word >> 8 * (i % 8));
}

bool job_is_pattern(const void *ptr, size_t len)
{
  const uint8_t *bytes = ptr;
  size_t i;

  for (i = 0; i < len; i++)
    if (bytes[i] != job_server_byte(i))
      return false;
  return true;
}

/* ---- the place ---- */

void job_place_add(struct job_place *p, const char *name, size_t len)
{
  (void)tar_make_header(&p->archive,
                        &(struct tar_make_header){.name = name,
                                                  .type = '0',
                                                  .mode = 0644,
                                                  .uid = (int64_t)geteuid(),
                                                  .gid = (int64_t)getegid(),
                                                  .size = (int64_t)len});
  (void)tar_make_filler(&p->archive, len);
}

static void write_archive(const struct job_place *p)
{
  FILE *out = fopen(p->tar_path, "wb");

  assert_non_null(out);
  assert_int_equal(fwrite(p->archive.data, 1, p->archive.len, out),
                   p->archive.len);
  assert_int_equal(fclose(out), 0);
}

void job_place_open(struct job_place *p)
{
  char script[1024];

  (void)tar_make_end(&p->archive);
  tempdir_open(&p->dir);
  (void)snprintf(p->tar_path, sizeof p->tar_path, "%s/x.tar", p->dir.base);
  (void)snprintf(p->target_path, sizeof p->target_path, "%s/target",
                 p->dir.base);
  (void)snprintf(p->file_path, sizeof p->file_path, "%s/target/out",
                 p->dir.base);
  write_archive(p);
  (void)snprintf(script, sizeof script,
                 "{\"resources\": ["
                 "{\"path\": \"/x.tar\", \"file\": \"%s\"},"
                 "{\"path\": \"/slow.tar\", \"file\": \"%s\", \"rules\":"
                 " [{\"write_size\": 20000, \"rate\": 8000000}]}]}",
                 p->tar_path, p->tar_path);
  job_server_start(&p->server, script);
}

void job_place_close(struct job_place *p)
{
  job_server_stop(&p->server);
  tempdir_close(&p->dir);
  tar_make_free(&p->archive);
}

void job_place_empty(const struct job_place *p)
{
  char command[400];

  (void)snprintf(command, sizeof command, "rm -rf '%s'/*", p->target_path);
  assert_int_equal(system(command), 0);
}

const char *job_place_url(struct job_place *p, const char *path)
{
  return job_server_url(&p->server, path, p->url, sizeof p->url);
}
