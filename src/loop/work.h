/*
 * Work items in libuv's thread pool, by lanes.
 *
 * A lane is a kind of work with a cap on how many of its items are in flight:
 * one for work that must stay in order (a decoder, the names of a tree),
 * several for writers. Items of a lane start in the order they were put. The
 * context caps all lanes together, so that a host program's own work in the
 * same pool is not pushed aside; free places go to the lanes in turn.
 *
 *   item->run = decode_on_worker;   // worker: touches its own item only
 *   item->done = on_decoded;        // loop
 *   tarn_lane_put(&lane, item);
 *
 * Memory: the item belongs to the caller and stays until done. Threads: the
 * loop's only, but for `run`. A work item never waits for another one, for a
 * pipe or for memory.
 */
#ifndef TARN_LOOP_WORK_H
#define TARN_LOOP_WORK_H

#include <uv.h>

#include "base/list.h"

struct tarn_item;

struct tarn_work {
  uv_loop_t *loop;
  unsigned cap, active;
  struct tarn_list lanes;  /* those with items that wait */
  unsigned fail_countdown; /* tests: the n-th item fails without running */
};

struct tarn_lane {
  struct tarn_list link;
  struct tarn_work *work;
  unsigned cap, active;
  struct tarn_list queue;
  uint64_t busy_ns; /* time its items have spent running */
};

struct tarn_item {
  struct tarn_list link;
  struct tarn_lane *lane;
  uv_work_t req;
  uint64_t run_ns;
  void (*run)(struct tarn_item *item);
  /* `status` is 0, or TARN_EINTERNAL when the item could not be run. */
  void (*done)(struct tarn_item *item, int status);
};

void tarn_work_init(struct tarn_work *w, uv_loop_t *loop, unsigned cap);

void tarn_lane_init(struct tarn_lane *lane, struct tarn_work *w, unsigned cap);
/* True while fewer than `cap` items wait or run. */
bool tarn_lane_free(const struct tarn_lane *lane);
/* The item's done comes exactly once, later. */
void tarn_lane_put(struct tarn_lane *lane, struct tarn_item *item);

#endif
