/*
 * Stages on a real loop: a flow as a job makes it, between a feeder and a
 * collector.
 *
 *   struct flow_harness h;
 *   struct flow_collector c;
 *
 *   flow_open(&h, 2 << 20);
 *   flow_collector_init(&c, &h);
 *   stage = tarn_decode_new(&h.flow, &opts, &c.stage);
 *   flow_own(&h, stage);
 *   flow_feed(&h, stage, ptr, len, seed);   // in pieces, within the budget
 *   flow_run(&h);                           // until finished or failed
 *   ... h.err, h.finished, c.got ...
 *   flow_close(&h);   // closes the stages; asserts that all memory came back
 *
 * A loop that goes on for a minute fails the test. Memory: flow_close and
 * bytes_free of what was collected. Threads: one.
 */
#ifndef TARN_TEST_FLOW_HARNESS_H
#define TARN_TEST_FLOW_HARNESS_H

#include "codec_harness.h"
#include "stage/stage.h"

enum { FLOW_STAGES = 4 };

struct flow_harness {
  uv_loop_t loop;
  uv_timer_t watchdog;
  struct tarn_env env;
  struct tarn_flow flow;
  struct tarn_closer env_closer;
  struct tarn_stage *stages[FLOW_STAGES];
  size_t n_stages;
  bool finished, flow_closed, env_closed;
  struct tarn_err err, last_warning;
  unsigned n_fails, n_warnings;

  /* The feeder. */
  uv_idle_t feeder;
  struct tarn_stage *to;
  const uint8_t *ptr;
  size_t len, at;
  unsigned seed;
  bool whole, unproven;
};

/* Keeps the last few slices for some turns, as a slow sink does. */
struct flow_collector {
  struct tarn_stage stage;
  struct flow_harness *h;
  struct bytes got;
  bool ended, proven;
  struct tarn_slice_queue held;
  uv_idle_t idle;
  bool hold;
};

/* Budgets, pools and environment as a job's with this much memory. */
void flow_open(struct flow_harness *h, size_t memory);
void flow_own(struct flow_harness *h, struct tarn_stage *stage);
/* Gives `len` bytes at `ptr` (lent) to `to`, cut at random (seed 0: in whole
   slabs), then the end. */
void flow_feed(struct flow_harness *h, struct tarn_stage *to,
               const uint8_t *ptr, size_t len, unsigned seed);
/* Runs the loop until the flow has finished or failed. */
void flow_run(struct flow_harness *h);
/* Closes the stages, `keep` as after an error that keeps what is whole. */
void flow_close(struct flow_harness *h, bool keep);

/* A slab of the input pool with these bytes, at most a slab's. */
struct tarn_slice flow_slice(struct flow_harness *h, const void *ptr,
                             size_t len);

/* `hold`: gives memory back late. Its end finishes the flow. */
void flow_collector_init(struct flow_collector *c, struct flow_harness *h,
                         bool hold);

unsigned flow_random(unsigned *seed);

#endif
