/*
 * Slices in the order they came.
 *
 * Neighbours in one slab are joined, so that a consumer sees few long pieces
 * whatever size they arrived in.
 *
 * Memory: a growing array of 24 bytes a slice; the slices hold their slabs.
 * Threads: the loop's only.
 */
#ifndef TARN_BASE_SLICE_QUEUE_H
#define TARN_BASE_SLICE_QUEUE_H

#include "base/slab.h"

struct tarn_slice_queue {
  struct tarn_slice *slices;
  size_t head, n, cap; /* a ring: n slices from head on */
  size_t bytes;
};

void tarn_slice_queue_init(struct tarn_slice_queue *q);
/* Drops all that is left and frees the array. */
void tarn_slice_queue_close(struct tarn_slice_queue *q);
/* Takes ownership, also on TARN_ENOMEM. Empty slices are dropped. */
int tarn_slice_queue_put(struct tarn_slice_queue *q, struct tarn_slice slice);
/* Takes the first; false when empty. The caller owns it. */
bool tarn_slice_queue_take(struct tarn_slice_queue *q,
                           struct tarn_slice *slice);
/* Copies up to `cap` bytes from the front without taking them; how many. */
size_t tarn_slice_queue_peek(const struct tarn_slice_queue *q, uint8_t *out,
                             size_t cap);
/* Drops up to `n` bytes from the front; how many. */
size_t tarn_slice_queue_skip(struct tarn_slice_queue *q, uint64_t n);

#endif
