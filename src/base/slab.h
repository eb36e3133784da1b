/*
 * Slabs: equal pieces of memory that are reused, and slices of them.
 *
 * A fresh page costs eight times a warm copy, so slabs go back to a pool and
 * come out again, the latest first. A slab is counted by references; when the
 * last goes, the pool has it again and the budget that paid for it gets its
 * bytes back. A slice is a part of a slab and holds one reference.
 *
 *   slab = tarn_slab_new(pool, budget);      // budget already reserved
 *   slice = tarn_slice_of(slab, from, len);  // takes a reference
 *   tarn_slice_drop(&slice);
 *   tarn_slab_unref(slab);
 *
 * Memory: slabs in use are bounded by the budgets, free ones by the most that
 * were in use at once. Threads: the loop's only; a worker may write or read
 * the bytes of a slab whose reference travels with its request.
 */
#ifndef TARN_BASE_SLAB_H
#define TARN_BASE_SLAB_H

#include <stdint.h>

#include "base/budget.h"

struct tarn_slab_pool {
  size_t slab_size; /* bytes of data in each */
  struct tarn_list free;
  size_t n_live; /* in use, not in `free` */
};

struct tarn_slab {
  struct tarn_list link;
  struct tarn_slab_pool *pool;
  struct tarn_budget *payer; /* gets slab_size back; may be NULL */
  unsigned refs;
  uint8_t *data;
};

struct tarn_slice {
  struct tarn_slab *slab;
  uint8_t *ptr;
  size_t len;
};

void tarn_slab_pool_init(struct tarn_slab_pool *pool, size_t slab_size);
/* Frees the pool's memory; every slab must have come back. */
void tarn_slab_pool_close(struct tarn_slab_pool *pool);

/*
 * A slab with one reference, or NULL when memory is out. `payer` (may be NULL)
 * has slab_size bytes reserved for it already; they stay reserved on NULL.
 */
struct tarn_slab *tarn_slab_new(struct tarn_slab_pool *pool,
                                struct tarn_budget *payer);
void tarn_slab_ref(struct tarn_slab *slab);
/* Gives a reference back; NULL is fine. */
void tarn_slab_unref(struct tarn_slab *slab);

/* A slice [from, from + len) of `slab`, with a reference of its own. */
struct tarn_slice tarn_slice_of(struct tarn_slab *slab, size_t from,
                                size_t len);
/* The same bytes once more, with a reference of its own. */
struct tarn_slice tarn_slice_dup(const struct tarn_slice *slice);
/* Gives the reference back and empties the slice. */
void tarn_slice_drop(struct tarn_slice *slice);

#endif
