/*
 * Whole jobs through the public header, on a loop of their own.
 *
 *   struct job_host h;
 *   struct job_run r;
 *
 *   job_open(&h, NULL);
 *   job_run_init(&r, &h);
 *   r.opts.url = job_server_url(&server, "/bytes/1000", url, sizeof url);
 *   r.opts.target = TARN_TO_CALLBACK;
 *   assert_int_equal(job_start(&r, &err), 0);
 *   job_wait(&r);
 *   ... r.n_done, r.err, r.got ...
 *   job_run_free(&r);
 *   job_close(&h);    // asserts that the loop closes clean
 *
 * Every callback asserts that it does not come from inside a public call, and
 * none comes behind done. A loop that goes on for a minute fails the test.
 * Memory: as above. Threads: one.
 */
#ifndef TARN_TEST_JOB_HARNESS_H
#define TARN_TEST_JOB_HARNESS_H

#include <stdbool.h>
#include <sys/types.h>

#include <tarn/tarn.h>

#include "tar_make.h"
#include "tempdir.h"

struct job_host {
  uv_loop_t loop;
  uv_timer_t watchdog;
  struct tarn *ctx;
  bool inside; /* a public call is on the stack */
  unsigned n_closed;
};

struct job_run {
  struct job_host *h;
  struct tarn_get_options opts;
  struct tarn_job *job; /* NULL once done */
  unsigned n_done, n_events, n_retries, n_warnings;
  struct tarn_err err;
  struct tarn_progress progress;
  uint8_t *got;
  size_t len, cap;
  size_t keep_credit; /* gives credit back but for this much */
  size_t owed;
  unsigned cancel_at_event; /* cancels inside the n-th event; 0: never */

  /* Of a job that gets its bytes by tarn_put. */
  const uint8_t *put;
  size_t put_len, put_at;
};

/* The scripted server, a child process. */
struct job_server {
  pid_t pid;
  int input; /* closing it ends the child */
  unsigned port;
};

/* `opts` may be NULL. */
void job_open(struct job_host *h, const struct tarn_options *opts);
/* Closes the context and the loop, which must be clean. */
void job_close(struct job_host *h);
/* Closes the context only, and waits for it. */
void job_close_context(struct job_host *h);

void job_run_init(struct job_run *r, struct job_host *h);
void job_run_free(struct job_run *r);
int job_start(struct job_run *r, struct tarn_err *err);
void job_cancel(struct job_run *r);
/* A host and one run on it: job_open and job_run_init, and their opposites. */
void job_begin(struct job_host *h, struct job_run *r);
void job_end(struct job_host *h, struct job_run *r);
/* Runs the loop until the job is done. */
void job_wait(struct job_run *r);
/* Gives all of `len` bytes, then the end, as fast as they are taken; the job
   has been started. The bytes are lent. */
void job_put_all(struct job_run *r, const void *ptr, size_t len);

/* `script` is JSON or NULL. */
void job_server_start(struct job_server *s, const char *script);
void job_server_stop(struct job_server *s);
const char *job_server_url(const struct job_server *s, const char *path,
                           char *url, size_t cap);
/* Byte `i` of /bytes/N. */
uint8_t job_server_byte(size_t i);
bool job_is_pattern(const void *ptr, size_t len);

/*
 * What a group of tests shares: an archive, a directory, and a server that
 * has the archive as /x.tar, and slowly as /slow.tar. Starts zeroed; fill the
 * archive, then open.
 */
struct job_place {
  struct tar_make archive;
  struct tempdir dir;
  struct job_server server;
  char tar_path[300];    /* the archive */
  char target_path[300]; /* an empty directory */
  char file_path[300];   /* a name in it */
  char url[512];         /* the last of job_place_url */
};

/* Appends a file of the user's own with `len` bytes of filler. */
void job_place_add(struct job_place *p, const char *name, size_t len);
/* Ends the archive too. */
void job_place_open(struct job_place *p);
void job_place_close(struct job_place *p);
/* Takes away what jobs have made below the target. */
void job_place_empty(const struct job_place *p);
const char *job_place_url(struct job_place *p, const char *path);

#endif
