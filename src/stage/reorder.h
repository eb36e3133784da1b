/*
 * Reorder: ranges arrive in any order, bytes go on in the order of the file.
 *
 * Contiguous bytes pass at once; others wait by reference, no copy is made.
 *
 *   r = tarn_reorder_new(flow);
 *   tarn_reorder_to(r, next);
 *   tarn_reorder_put(r, at, slice);
 *   tarn_reorder_end(r, total, proven);
 *
 * Memory: the waiting slabs, which the source reserved before it asked for
 * them, and 64 bytes a waiting slice. Threads: the loop's only.
 */
#ifndef TARN_STAGE_REORDER_H
#define TARN_STAGE_REORDER_H

#include "stage/stage.h"

struct tarn_reorder;

/* NULL when memory is out. */
struct tarn_reorder *tarn_reorder_new(struct tarn_flow *flow);
/* Drops what waits: the job is over. */
void tarn_reorder_drop(struct tarn_reorder *r);
void tarn_reorder_free(struct tarn_reorder *r); /* NULL is fine */

/* Where bytes go; set before the first put. */
void tarn_reorder_to(struct tarn_reorder *r, struct tarn_stage *next);
/* Bytes at offset `at` of the object. Takes ownership; bytes that have gone
   on already are dropped. */
void tarn_reorder_put(struct tarn_reorder *r, uint64_t at,
                      struct tarn_slice slice);
/* The object has `total` bytes; ends the next stage once they have passed. */
void tarn_reorder_end(struct tarn_reorder *r, uint64_t total, bool proven);
/* Bytes passed on so far. */
uint64_t tarn_reorder_at(const struct tarn_reorder *r);

#endif
