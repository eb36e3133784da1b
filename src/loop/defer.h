/*
 * "Soon, but not now": callbacks that run once the current ones have returned.
 *
 * A public call and a libcurl callback must not do work that calls back, so
 * they schedule it here. What is scheduled runs right after the loop has
 * polled, each at most once a turn; what is scheduled meanwhile runs in the
 * next turn, so nobody can starve the loop.
 *
 *   tarn_defer_init(&x->step, on_step);
 *   tarn_defer_schedule(&env->defers, &x->step);
 *
 * Memory: none, the link lives in the owner. Threads: the loop's only.
 */
#ifndef TARN_LOOP_DEFER_H
#define TARN_LOOP_DEFER_H

#include <uv.h>

#include "base/list.h"
#include "loop/closer.h"

struct tarn_defer {
  struct tarn_list link;
  void (*cb)(struct tarn_defer *d);
};

struct tarn_defers {
  uv_check_t check; /* runs the queue behind the poll */
  uv_idle_t idle;   /* keeps the poll from waiting while it is not empty */
  struct tarn_list queue;
  struct tarn_closer *closer;
};

void tarn_defers_init(struct tarn_defers *q, uv_loop_t *loop);
/* Closes the handles; holds `closer` until they are gone. */
void tarn_defers_close(struct tarn_defers *q, struct tarn_closer *closer);

void tarn_defer_init(struct tarn_defer *d, void (*cb)(struct tarn_defer *d));
/* Idempotent while it waits. */
void tarn_defer_schedule(struct tarn_defers *q, struct tarn_defer *d);
/* Idempotent. */
void tarn_defer_cancel(struct tarn_defer *d);

#endif
