/*
 * Progress: tells the user, or the program above, how a job goes: a line that
 * is redrawn, plain lines, JSON lines, or nothing; and all other lines of a
 * job, so that they do not run into the redrawn one.
 *
 *   tarn_cli_progress_init(&p, loop, &args);
 *   tarn_cli_progress_begin(&p, &about, job);
 *   tarn_cli_progress_event(&p, event);     // from on_event
 *   tarn_cli_progress_end(&p, result, exit_status);
 *   tarn_cli_progress_close(&p);            // then run the loop to its end
 *
 * Lines go to --progress-fd, else stderr. When JSON lines go to stderr, they
 * are all that does: warnings and errors are among them.
 *
 * Memory: the caller's struct; close frees the rest. Threads: the loop's.
 */
#ifndef TARN_CLI_PROGRESS_H
#define TARN_CLI_PROGRESS_H

#include <stdbool.h>

#include <uv.h>

#include "cli/args.h"
#include "cli/json.h"
#include "cli/rate.h"

/* What a job is about, lent until its end. */
struct cli_about {
  const char *url;    /* without its secrets; or what else is read */
  const char *path;   /* directory or file; NULL for standard output */
  bool is_file;       /* path is a file */
  bool is_local;      /* read here, over no network */
  bool is_list;       /* names are printed, nothing else is written */
  unsigned job, jobs; /* which of how many, from 1 */
};

struct cli_progress {
  uv_timer_t timer;
  const struct cli_args *args;
  enum cli_progress_mode mode; /* never AUTO */
  int fd;
  bool human;          /* lines for people may be written */
  bool error_terminal; /* stderr is a terminal: escape what goes there */
  bool drawn;          /* a redrawn line stands on the terminal */
  bool retry_told;     /* this job's first retry has been explained */
  unsigned ticks;
  const struct tarn_job *job; /* NULL when none runs */
  struct cli_about about;
  struct cli_rate rate;
  struct cli_json json;
};

int tarn_cli_progress_init(struct cli_progress *p, uv_loop_t *loop,
                           const struct cli_args *args);
void tarn_cli_progress_close(struct cli_progress *p);

/* A job begins; `job` may be NULL when it could not be started. */
void tarn_cli_progress_begin(struct cli_progress *p,
                             const struct cli_about *about,
                             const struct tarn_job *job);
void tarn_cli_progress_event(struct cli_progress *p,
                             const struct tarn_event *event);
/* Reports at once, whatever the mode: what SIGUSR1 asks for. */
void tarn_cli_progress_now(struct cli_progress *p);
/* The job goes: nothing is asked of it any more. */
void tarn_cli_progress_stop(struct cli_progress *p);
/* The job has ended: closing lines, or the error's. */
void tarn_cli_progress_end(struct cli_progress *p,
                           const struct tarn_result *res, int exit_status);

/* One line "tarn: text" on stderr, unless JSON lines go there. */
void tarn_cli_progress_say(struct cli_progress *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Takes a redrawn line away. */
void tarn_cli_progress_clear(struct cli_progress *p);

/* ---- the JSON lines, progress_json.c ---- */

/* The moment's figures with what was measured beside them. */
struct cli_view;

void tarn_cli_progress_json_event(struct cli_progress *p,
                                  const struct tarn_event *event);
void tarn_cli_progress_json_view(struct cli_progress *p,
                                 const struct cli_view *v);
void tarn_cli_progress_json_done(struct cli_progress *p,
                                 const struct tarn_result *res,
                                 int exit_status);

#endif
