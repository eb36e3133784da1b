/*
 * A job's life: begin, run, close, done.
 *
 *   NEW -> RUNNING -> CLOSING -> (gone)
 *
 * The first error, a cancel or the last stage's "finished" starts the closing:
 * every stage lets go, the closer counts to zero, the done callback comes once
 * and the job is freed. Which stages there are is the business of get.c.
 *
 * Memory: the job owns its stages, pools and budgets. Threads: the loop's.
 */
#ifndef TARN_JOB_JOB_H
#define TARN_JOB_JOB_H

#include "base/sm.h"
#include "job/context.h"
#include "archive/select.h"
#include "codec/digest.h"
#include "stage/decode.h"
#include "stage/source.h"

enum tarn_job_state { TARN_JOB_NEW = 0, TARN_JOB_RUNNING, TARN_JOB_CLOSING };

#define TARN_JOB_STAGES 6

struct tarn_job {
  struct tarn_flow flow;
  struct tarn_list link; /* in the context's jobs */
  struct tarn *ctx;
  struct tarn_sm sm;

  /* Wired by get.c, from the top down. */
  struct tarn_source_stage *source;
  bool source_puts;
  struct tarn_reorder *reorder;
  struct tarn_stage *stages[TARN_JOB_STAGES];
  size_t n_stages;
  struct tarn_stage *top; /* the first below reorder */
  struct tarn_stage *call_sink;
  bool decodes, to_disk;
  struct tarn_decode_options decode; /* for a stage that peels */
  bool has_digest;
  struct tarn_digest_value digest;
  struct tarn_select *select; /* members that are taken; NULL: all */
  struct tarn_select *xattrs; /* further attributes; NULL: none */
  char content_type[128];     /* and status, for texts */

  tarn_data_cb on_data;
  tarn_event_cb on_event;
  tarn_done_cb on_done;
  void *user;
  tarn_room_cb on_room;
  void *room_user;
  char *shown; /* what the job is about, for texts */

  struct tarn_err err;
  bool finished;
  struct tarn_defer step;
  uint64_t start_ns;
  uv_timer_t timer; /* --max-time; initialised always */
  uint64_t max_time_ms;
};

/*
 * Copies the first `from_size` bytes of a user's option struct into `to`,
 * which holds defaults. TARN_EINVAL when it is longer than ours and the
 * unknown bytes are not all zero, or when it has no size.
 */
int tarn_options_copy(void *to, size_t to_size, const void *from,
                      size_t from_size, struct tarn_err *err);

/* A job without stages; NULL when memory is out. `memory`: the budget.
   `raw`: nothing will be decoded, so input has all of it. */
struct tarn_job *tarn_job_new(struct tarn *ctx, size_t memory, bool raw);
/* Lets go of a job that has not begun, with the stages it has; no done comes.
   It is freed on the loop, before the context closes. */
void tarn_job_abort(struct tarn_job *job);
/* Begins in the next step. */
void tarn_job_begin(struct tarn_job *job);
/* Adds a stage, top down or bottom up: they are all closed together. */
void tarn_job_own(struct tarn_job *job, struct tarn_stage *stage);

/* Events for the user: the object is known; an entry (a flow's `entry`). */
void tarn_job_tell_start(struct tarn_job *job);
void tarn_job_tell_entry(struct tarn_flow *flow,
                         const struct tarn_entry *entry);

#endif
