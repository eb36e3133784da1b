/*
 * The plan of ranges: which span of the object is asked for next.
 *
 * Spans are handed out in file order. The first is small so that data flows
 * at once; the others have the chosen size, less when the object is so small
 * that some connection would have none.
 *
 *   tarn_plan_init(&plan, first_len, span_len, connections);
 *   tarn_plan_total(&plan, total);          // when a reply tells it
 *   while (tarn_plan_next(&plan, &first, &len)) ...
 *
 * Memory: none. Threads: any. Lengths and offsets are bytes.
 */
#ifndef TARN_HTTP_PLAN_H
#define TARN_HTTP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

struct tarn_plan {
  uint64_t next; /* start of the next span */
  uint64_t first_len, span_len;
  unsigned connections;
  bool has_total;
  uint64_t total;
};

/* Lengths of 0 are taken as 1. */
void tarn_plan_init(struct tarn_plan *plan, uint64_t first_len,
                    uint64_t span_len, unsigned connections);
/* The object has `total` bytes. */
void tarn_plan_total(struct tarn_plan *plan, uint64_t total);
/* Bytes the next span will have at most; 0 when nothing is left. */
uint64_t tarn_plan_peek(const struct tarn_plan *plan);
/* Hands out the next span; false when nothing is left to ask for. */
bool tarn_plan_next(struct tarn_plan *plan, uint64_t *first, uint64_t *len);

#endif
