#include "cli/run.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include "cli/machine.h"
#include "cli/why.h"

enum { ON_INT, ON_TERM, ON_USR1, N_SIGNALS };

struct run {
  uv_loop_t *loop;
  struct tarn *ctx;
  struct tarn_job *job; /* NULL between jobs */
  struct cli_args *args;
  const struct cli_run_ops *ops;
  void *user;
  size_t n_jobs, next;       /* job that runs, or runs next */
  struct tarn_err refused;   /* why the command ended the job; code 0: it did
                                not */
  struct tarn_result result; /* of the job that has ended */
  uv_idle_t no_wait;         /* these two call settle again, behind */
  uv_check_t again;          /* whatever signal has come */
  struct cli_progress progress;
  uv_signal_t signals[N_SIGNALS];
  bool closing;
  int signal;      /* the first that asked to stop, or 0 */
  int exit_status; /* the first error's */
};

static void start_next(struct run *r);

/* ---- the end ---- */

static void on_closed(struct tarn *ctx, void *user)
{
  struct run *r = user;
  int i;

  (void)ctx;
  r->ctx = NULL;
  tarn_cli_progress_close(&r->progress);
  uv_close((uv_handle_t *)&r->no_wait, NULL);
  uv_close((uv_handle_t *)&r->again, NULL);
  for (i = 0; i < N_SIGNALS; i++)
    uv_close((uv_handle_t *)&r->signals[i], NULL);
}

static void close_all(struct run *r)
{
  if (r->closing)
    return;
  r->closing = true;
  tarn_close(r->ctx, on_closed, r);
}

/* ---- jobs ---- */

static int status_of(const struct run *r, const struct tarn_err *err)
{
  if (err->code == TARN_ECANCELED && r->signal)
    return CLI_EXIT_SIGNAL + r->signal;
  return tarn_exit_code(err->code);
}

/* An error of what the command does with the members counts when the job had
   no other. */
static bool has_own_error(const struct tarn_err *err)
{
  return err->code && err->code != TARN_EPARTIAL && err->code != TARN_ECANCELED;
}

static void finish_job(struct run *r, const struct tarn_result *res)
{
  int status = status_of(r, &res->err);

  r->next++;
  tarn_cli_progress_end(&r->progress, res, status);
  if (r->exit_status == 0)
    r->exit_status = status;
}

static void on_idle(uv_idle_t *idle)
{
  (void)idle;
}

static void on_again(uv_check_t *check);

/*
 * The job is gone and r->result says how it went: so what remains is that the
 * command writes its last, which a signal puts off, and that the end is told.
 */
static void settle(struct run *r)
{
  struct tarn_err *err = &r->result.err;
  bool cut = r->ops->end && r->signal;
  int rc = 0;

  if (r->ops->end && !cut && r->refused.code == 0)
    rc = r->ops->end(r->user, &r->refused);
  if (rc == CLI_RUN_AGAIN) {
    (void)uv_idle_start(&r->no_wait, on_idle);
    (void)uv_check_start(&r->again, on_again);
    return;
  }
  if (rc != 0)
    r->refused.code = rc;
  if (cut && !has_own_error(err))
    err->code = TARN_ECANCELED;
  else if (r->refused.code && !has_own_error(err))
    *err = r->refused;
  finish_job(r, &r->result);
  /* Jobs that a signal kept from running were not done either. */
  if (r->signal && (err->code == TARN_ECANCELED || r->next < r->n_jobs))
    r->exit_status = CLI_EXIT_SIGNAL + r->signal;
  if (r->signal || r->refused.code || err->code == TARN_EPIPE)
    close_all(r);
  else
    start_next(r);
}

static void on_again(uv_check_t *check)
{
  struct run *r = check->data;

  (void)uv_idle_stop(&r->no_wait);
  (void)uv_check_stop(&r->again);
  settle(r);
}

static void on_done(struct tarn_job *job, const struct tarn_result *res,
                    void *user)
{
  struct run *r = user;

  (void)job;
  r->job = NULL;
  r->result = *res;
  tarn_cli_progress_stop(&r->progress);
  settle(r);
}

static void on_event(struct tarn_job *job, const struct tarn_event *event,
                     void *user)
{
  struct run *r = user;

  tarn_cli_progress_event(&r->progress, event);
  if (!r->ops->entry || !event->member || r->refused.code)
    return;
  r->refused.code = r->ops->entry(r->user, event->member, &r->refused);
  if (r->refused.code)
    tarn_cancel(job);
}

/* Starts the next job that can be started, or ends the run. */
static void start_next(struct run *r)
{
  struct tarn_get_options get;
  struct tarn_result refused;
  struct cli_about about;

  while (r->next < r->n_jobs) {
    get = r->args->get;
    get.on_event = on_event;
    get.on_done = on_done;
    get.user = r;
    memset(&about, 0, sizeof about);
    about.job = (unsigned)r->next + 1;
    about.jobs = (unsigned)r->n_jobs;
    r->ops->fill(r->user, r->next, &get, &about);
    memset(&refused, 0, sizeof refused);
    refused.err.code = tarn_get(r->ctx, &get, &r->job, &refused.err);
    tarn_cli_progress_begin(&r->progress, &about,
                            refused.err.code ? NULL : r->job);
    if (!refused.err.code)
      return;
    finish_job(r, &refused);
  }
  close_all(r);
}

/* ---- signals ---- */

static void on_signal(uv_signal_t *handle, int number)
{
  struct run *r = handle->data;

  if (number == SIGUSR1) {
    tarn_cli_progress_now(&r->progress);
    return;
  }
  if (r->signal) {
    tarn_cli_progress_clear(&r->progress);
    _exit(CLI_EXIT_SIGNAL + number);
  }
  r->signal = number;
  if (r->job)
    tarn_cancel(r->job);
}

/* What nohup or a shell's "&" had ignored stays ignored. */
static bool is_ignored(int number)
{
  struct sigaction action;

  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static int watch_signals(struct run *r)
{
  static const int numbers[N_SIGNALS] = {
      [ON_INT] = SIGINT, [ON_TERM] = SIGTERM, [ON_USR1] = SIGUSR1};
  int i, rc = 0;

  /* A closed pipe is an error of the write, told by exit 141. */
  (void)signal(SIGPIPE, SIG_IGN);
  for (i = 0; rc == 0 && i < N_SIGNALS; i++) {
    rc = uv_signal_init(r->loop, &r->signals[i]);
    r->signals[i].data = r;
    if (rc == 0 && !is_ignored(numbers[i]))
      rc = uv_signal_start(&r->signals[i], on_signal, numbers[i]);
    uv_unref((uv_handle_t *)&r->signals[i]);
  }
  return rc;
}

/* ---- trace ---- */

static const char *channel_name(unsigned channel)
{
  switch (channel) {
  case TARN_TRACE_CURL:
    return "curl";
  case TARN_TRACE_TRANSFER:
    return "transfer";
  case TARN_TRACE_DECODE:
    return "decode";
  case TARN_TRACE_TREE:
    return "tree";
  case TARN_TRACE_DISK:
    return "disk";
  case TARN_TRACE_MEMORY:
    return "memory";
  case TARN_TRACE_STATE:
    return "state";
  default:
    return "other";
  }
}

static void on_trace(unsigned channel, const char *text, void *user)
{
  struct run *r = user;
  uint64_t us = uv_hrtime() / 1000u;

  tarn_cli_progress_say(&r->progress, "%llu.%06u %s: %s",
                        (unsigned long long)(us / 1000000u),
                        (unsigned)(us % 1000000u), channel_name(channel), text);
}

/* ---- the whole ---- */

static int run_jobs(struct run *r)
{
  struct tarn_options opts = {.size = sizeof opts};
  struct tarn_err err = {0};

  opts.max_work = tarn_cli_machine_pool(r->args->threads);
  opts.trace_mask = r->args->trace;
  opts.on_trace = r->args->trace ? on_trace : NULL;
  opts.user = r;
  tarn_cli_machine_raise_files();
  r->again.data = r;
  r->loop = uv_default_loop();
  if (!r->loop || watch_signals(r) != 0 ||
      tarn_cli_progress_init(&r->progress, r->loop, r->args) != 0 ||
      uv_idle_init(r->loop, &r->no_wait) != 0 ||
      uv_check_init(r->loop, &r->again) != 0) {
    tarn_cli_say("the event loop cannot be set up");
    return CLI_EXIT_INTERNAL;
  }
  err.code = tarn_open(&r->ctx, r->loop, &opts, &err);
  if (err.code != 0) {
    tarn_cli_say("%s", err.text[0] ? err.text : tarn_strerror(err.code));
    return tarn_exit_code(err.code);
  }
  start_next(r);
  (void)uv_run(r->loop, UV_RUN_DEFAULT);
  (void)uv_loop_close(r->loop);
  return r->exit_status;
}

int tarn_cli_run(struct cli_args *args, const struct cli_run_ops *ops,
                 size_t n_jobs, void *user)
{
  struct run r;

  memset(&r, 0, sizeof r);
  r.args = args;
  r.ops = ops;
  r.n_jobs = n_jobs;
  r.user = user;
  return run_jobs(&r);
}
