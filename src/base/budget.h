/*
 * A budget: so many bytes (or descriptors), reserved before use.
 *
 * Who needs memory reserves it first and waits when it is refused; when some
 * is given back every waiter is called once, in the order they came, and tries
 * again. A waiter's callback must only schedule work, not do it.
 *
 *   if (!tarn_budget_reserve(b, need))
 *     tarn_budget_wait(b, &x->waiter);    // x->waiter.cb = on_room
 *
 * Memory: none of its own; `peak` tells the most that was ever reserved.
 * Threads: the loop's only.
 */
#ifndef TARN_BASE_BUDGET_H
#define TARN_BASE_BUDGET_H

#include "base/list.h"

struct tarn_budget {
  size_t cap, used, peak;
  struct tarn_list waiters;
  struct tarn_budget *total; /* counts beside, never refuses; or NULL */
};

struct tarn_budget_waiter {
  struct tarn_list link;
  void (*cb)(struct tarn_budget_waiter *waiter);
};

/* `total`, which may be NULL, sums what several budgets use. */
void tarn_budget_init(struct tarn_budget *b, size_t cap,
                      struct tarn_budget *total);
void tarn_budget_waiter_init(struct tarn_budget_waiter *w,
                             void (*cb)(struct tarn_budget_waiter *waiter));

/* Reserves `n` if they fit below the cap; false if not. */
bool tarn_budget_reserve(struct tarn_budget *b, size_t n);
/* Reserves `n` even above the cap: for what must not wait. */
void tarn_budget_force(struct tarn_budget *b, size_t n);
/* Gives `n` back and calls the waiters. */
void tarn_budget_release(struct tarn_budget *b, size_t n);

/* Waits for the next release; idempotent. */
void tarn_budget_wait(struct tarn_budget *b, struct tarn_budget_waiter *w);
/* Stops waiting; idempotent. */
void tarn_budget_unwait(struct tarn_budget_waiter *w);

#endif
