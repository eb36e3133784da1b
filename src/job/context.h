/*
 * A context: what hangs off the caller's loop, and the jobs in it.
 */
#ifndef TARN_JOB_CONTEXT_H
#define TARN_JOB_CONTEXT_H

#include "loop/env.h"

struct tarn {
  struct tarn_env env;
  struct tarn_list jobs;
  struct tarn_closer closer;
  struct tarn_defer closing; /* looks whether the jobs are gone */
  tarn_close_cb close_cb;
  void *close_user;
  bool is_closing;
};

/* A job has gone; lets a close that waits go on. */
void tarn_context_job_gone(struct tarn *ctx);

#endif
