#include "cli/commands.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include <tarn/tarn.h>

#include "cli/args.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/targets.h"
#include "cli/why.h"

enum { ON_INT, ON_TERM, ON_USR1, N_SIGNALS };

/*
 * One command line at work: its jobs run one after another. It ends when the
 * last job has, when a signal came, or when standard output is closed; then
 * every handle is closed and the loop runs out.
 */
struct run {
  uv_loop_t *loop;
  struct tarn *ctx;
  struct tarn_job *job; /* NULL between jobs */
  struct cli_args args;
  struct cli_targets targets;
  size_t next; /* target that runs, or runs next */
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

static void finish_job(struct run *r, const struct tarn_result *res)
{
  int status = status_of(r, &res->err);

  r->job = NULL;
  r->next++;
  tarn_cli_progress_end(&r->progress, res, status);
  if (r->exit_status == 0)
    r->exit_status = status;
}

static void on_done(struct tarn_job *job, const struct tarn_result *res,
                    void *user)
{
  struct run *r = user;

  (void)job;
  finish_job(r, res);
  /* Jobs that a signal kept from running were not done either. */
  if (r->signal && (res->err.code == TARN_ECANCELED || r->next < r->targets.n))
    r->exit_status = CLI_EXIT_SIGNAL + r->signal;
  if (r->signal || res->err.code == TARN_EPIPE)
    close_all(r);
  else
    start_next(r);
}

static void on_event(struct tarn_job *job, const struct tarn_event *event,
                     void *user)
{
  struct run *r = user;

  (void)job;
  tarn_cli_progress_event(&r->progress, event);
}

static void fill(struct run *r, const struct cli_target *target)
{
  struct tarn_get_options *get = &r->args.get;

  get->url = target->url;
  get->path = target->path;
  get->on_event = on_event;
  get->on_done = on_done;
  get->user = r;
  if (r->args.to_stdout) {
    get->target = TARN_TO_FD;
    get->to_fd = STDOUT_FILENO;
  } else {
    get->target = r->args.output ? TARN_TO_FILE : TARN_TO_DIR;
  }
}

/* Starts the next job that can be started, or ends the run. */
static void start_next(struct run *r)
{
  struct tarn_result refused;
  struct cli_about about;
  struct cli_target *target;

  while (r->next < r->targets.n) {
    target = &r->targets.items[r->next];
    about.url = target->shown;
    about.path = target->path;
    about.is_file = r->args.output != NULL;
    about.job = (unsigned)r->next + 1;
    about.jobs = (unsigned)r->targets.n;
    fill(r, target);
    memset(&refused, 0, sizeof refused);
    refused.err.code = tarn_get(r->ctx, &r->args.get, &r->job, &refused.err);
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

/* ---- the command ---- */

static int run_jobs(struct run *r)
{
  struct tarn_options opts = {.size = sizeof opts};
  struct tarn_err err = {0};

  opts.max_work = tarn_cli_machine_pool(r->args.threads);
  opts.trace_mask = r->args.trace;
  opts.on_trace = r->args.trace ? on_trace : NULL;
  opts.user = r;
  tarn_cli_machine_raise_files();
  r->loop = uv_default_loop();
  if (!r->loop || watch_signals(r) != 0 ||
      tarn_cli_progress_init(&r->progress, r->loop, &r->args) != 0) {
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

static int check_stdout(const struct cli_args *args, int stdout_open)
{
  if (!args->to_stdout)
    return 0;
  if (!stdout_open) {
    tarn_cli_say("standard output is not open");
    return CLI_EXIT_FILE;
  }
  if (isatty(STDOUT_FILENO)) {
    tarn_cli_say("-O: standard output is a terminal: redirect it, or use -o "
                 "FILE");
    return CLI_EXIT_USAGE;
  }
  return 0;
}

static int print_help(bool all)
{
  (void)printf("usage: tarn get [option...] URL...\n\n"
               "Downloads an archive with several requests at once, decodes "
               "and extracts it\nwhile it comes.\n\n");
  tarn_cli_print_help(stdout, TARN_CLI_GET, all);
  if (!all)
    (void)printf("\n--help=all prints every option, man tarn-get explains "
                 "them.\n");
  else
    (void)printf("\nSIZE takes K M G (powers of 1000) and Ki Mi Gi (of 1024). "
                 "TIME is in seconds,\nor with ms, s, m or h behind it.\n");
  return fflush(stdout) == 0 ? 0 : CLI_EXIT_FILE;
}

static int refuse(int status, const struct cli_why *why)
{
  tarn_cli_say("%s", why->text);
  if (status == CLI_EXIT_USAGE)
    tarn_cli_say("try tarn get --help");
  return status;
}

static int get(struct run *r, int argc, char **argv, int stdout_open)
{
  struct cli_why why;
  int first, rc;

  rc = tarn_cli_options_parse(argc, argv, TARN_CLI_GET, &r->args, &first, &why);
  if (rc == CLI_PARSED_HELP || rc == CLI_PARSED_HELP_ALL)
    return print_help(rc == CLI_PARSED_HELP_ALL);
  if (rc != CLI_PARSED_OK)
    return refuse(CLI_EXIT_USAGE, &why);
  rc = tarn_cli_args_finish(&r->args, &why);
  if (rc == 0)
    rc = tarn_cli_targets_make(&r->targets, argv + first,
                               (size_t)(argc - first), &r->args, &why);
  if (rc != 0)
    return refuse(rc, &why);
  rc = check_stdout(&r->args, stdout_open);
  return rc != 0 ? rc : run_jobs(r);
}

int tarn_cli_get(int argc, char **argv, int stdout_open)
{
  struct run r;
  int rc;

  memset(&r, 0, sizeof r);
  tarn_cli_args_init(&r.args);
  rc = get(&r, argc, argv, stdout_open);
  tarn_cli_targets_close(&r.targets);
  tarn_cli_args_close(&r.args);
  return rc;
}
