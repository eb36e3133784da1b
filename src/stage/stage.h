/*
 * Stages: what a job is made of.
 *
 *   source -> reorder -> verify -> decode -> unpack -> sink
 *
 * Bytes and the end go down by function call (put, end). Credit comes up only
 * through the budgets: a slab that a lower stage gives back is memory for an
 * upper one. Errors go to the flow, which ends the job. Nothing else crosses a
 * stage, so each can be tested alone between a feeder and a collector.
 *
 *   stage->ops->put(stage, slice);      // ownership passes on
 *   stage->ops->end(stage, proven);     // once, behind the last put
 *   stage->ops->close(stage, keep);     // once, always; then no more calls in
 *
 * Every stage has one idempotent `static void advance(x)` that does all that
 * is possible now; every callback records what happened and calls it.
 * Memory: each stage says what it holds. Threads: the loop's only.
 */
#ifndef TARN_STAGE_STAGE_H
#define TARN_STAGE_STAGE_H

#include "archive/entry.h"
#include "base/slab.h"
#include "base/slice_queue.h"
#include "http/reply.h"
#include "loop/env.h"

struct tarn_stage;

struct tarn_stage_ops {
  const char *name;
  /* Takes the slice, also after an error. Errors go to the flow. */
  void (*put)(struct tarn_stage *stage, struct tarn_slice slice);
  /* The bytes are all. `proven`: something vouched for the length. */
  void (*end)(struct tarn_stage *stage, bool proven);
  /*
   * The job is over, well or not: starts to let everything go. The stage holds
   * the flow's closer while work is in flight. `keep`: what is complete is
   * still brought to its end; without it all work that can stop does.
   */
  void (*close)(struct tarn_stage *stage, bool keep);
  /* Frees the stage, after the closer has reached zero. */
  void (*free)(struct tarn_stage *stage);
};

struct tarn_stage {
  const struct tarn_stage_ops *ops;
};

/* What the stages of one job share; the job makes it. */
struct tarn_flow {
  struct tarn_env *env;
  struct tarn_slab_pool in_pool, out_pool; /* raw bytes, decoded bytes */
  struct tarn_budget in, out, total;       /* `total` only sums */
  struct tarn_closer closer;
  /* The source waits for `start`: a target that may be refused is judged before
     the first request. */
  bool wait_for_target;
  void (*start)(struct tarn_flow *flow);
  bool over; /* failed or canceled: stages stop working */

  /* Counters for progress; each written by the stage that knows. */
  uint64_t wire_bytes, wire_total;
  bool has_wire_total;
  uint64_t raw_bytes; /* of the raw stream, in order */
  uint64_t decoded_bytes;
  uint64_t files, failed;
  uint64_t retries;
  unsigned connections;
  const char *compression;
  struct tarn_stage_time network, decode, disk;

  /* First error wins; the job then closes the stages, later. */
  void (*fail)(struct tarn_flow *flow, const struct tarn_err *err);
  /* Something odd or a failed entry. err->code 0: advice only. */
  void (*warn)(struct tarn_flow *flow, const struct tarn_err *err);
  void (*retry)(struct tarn_flow *flow, const struct tarn_err *err,
                unsigned attempt, uint64_t wait_ms);
  /* An entry, as the archive has it; NULL when nobody listens. */
  void (*entry)(struct tarn_flow *flow, const struct tarn_entry *entry);
  /* The object is known, before its first byte is put. */
  void (*object)(struct tarn_flow *flow, const struct tarn_reply *reply);
  /* The last stage has done all there is to do. */
  void (*finished)(struct tarn_flow *flow);
};

/* Report an error, a warning, by text. */
void tarn_flow_fail(struct tarn_flow *flow, int code, const char *fmt, ...)
    TARN_PRINTF(3, 4);
void tarn_flow_warn(struct tarn_flow *flow, int code, const char *fmt, ...)
    TARN_PRINTF(3, 4);

static inline void tarn_stage_put(struct tarn_stage *s, struct tarn_slice b)
{
  s->ops->put(s, b);
}

static inline void tarn_stage_end(struct tarn_stage *s, bool proven)
{
  s->ops->end(s, proven);
}

/*
 * A meter adds the time a stage spends in each of its conditions.
 */
enum tarn_meter_state {
  TARN_METER_BUSY = 0,
  TARN_METER_WAIT_IN,
  TARN_METER_WAIT_OUT
};

struct tarn_meter {
  enum tarn_meter_state state;
  uint64_t since_ns;
};

void tarn_meter_init(struct tarn_meter *m);
/* Adds the time since the last call to *t, then counts as `state`. */
void tarn_meter_to(struct tarn_meter *m, struct tarn_stage_time *t,
                   enum tarn_meter_state state);

#endif
