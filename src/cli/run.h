/*
 * A run: the jobs of one command line, one after another, on a loop of its
 * own; with signals, progress and trace. What is common to every command.
 *
 *   static const struct cli_run_ops ops = {fill, NULL, NULL};
 *   return tarn_cli_run(&args, &ops, n, user);
 *
 * It ends when the last job has, when a signal came, or when standard output
 * is closed; then every handle is closed and the loop runs out.
 *
 * Memory: freed before the return. Threads: the main one.
 */
#ifndef TARN_CLI_RUN_H
#define TARN_CLI_RUN_H

#include <stddef.h>

#include <tarn/tarn.h>

#include "cli/args.h"
#include "cli/progress.h"

struct cli_run_ops {
  /* Fills in source and target of job `i`, whose other options are there, and
     what it is about. */
  void (*fill)(void *user, size_t i, struct tarn_get_options *get,
               struct cli_about *about);
  /*
   * A member is told, or the job has ended, whatever came of it. May be NULL.
   * Both return 0 or an error of what they do with it, filled into *err: it
   * ends the job, and is the job's error unless that had one before.
   */
  int (*entry)(void *user, const struct tarn_member *member,
               struct tarn_err *err);
  int (*end)(void *user, struct tarn_err *err);
};

/* What `end` returns to be called again, when signals have been seen to. */
enum { CLI_RUN_AGAIN = 1 };

/* Returns the exit status: the first error's, 0 without any. */
int tarn_cli_run(struct cli_args *args, const struct cli_run_ops *ops,
                 size_t n_jobs, void *user);

#endif
