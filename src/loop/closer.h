/*
 * Closing is a counter: who must still finish holds it, and when the last has
 * dropped it the callback fires, once.
 *
 *   tarn_closer_init(&c, on_closed);   // held once by its owner
 *   tarn_closer_hold(&c);              // for each handle, request, item
 *   tarn_closer_drop(&c);              // in each one's last callback
 *
 * Memory: none. Threads: the loop's only.
 */
#ifndef TARN_LOOP_CLOSER_H
#define TARN_LOOP_CLOSER_H

#include "base/check.h"

struct tarn_closer {
  unsigned n;
  void (*cb)(struct tarn_closer *c);
};

/* Starts held once. */
static inline void tarn_closer_init(struct tarn_closer *c,
                                    void (*cb)(struct tarn_closer *c))
{
  c->n = 1;
  c->cb = cb;
}

static inline void tarn_closer_hold(struct tarn_closer *c)
{
  TARN_CHECK(c->n > 0);
  c->n++;
}

/* The callback may free the struct that holds the closer. */
static inline void tarn_closer_drop(struct tarn_closer *c)
{
  TARN_CHECK(c->n > 0);
  if (--c->n == 0)
    c->cb(c);
}

#endif
