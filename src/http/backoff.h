/*
 * Pauses between attempts: exponential with full jitter, so that many clients
 * that failed together do not come back together.
 *
 * The n-th pause in a row is a random time between 0 and
 * min(max, base * 2^(n - 1)). Memory: none. Threads: the owner's.
 */
#ifndef TARN_HTTP_BACKOFF_H
#define TARN_HTTP_BACKOFF_H

#include <stdint.h>

struct tarn_backoff {
  uint64_t base_ms, max_ms;
  uint64_t random; /* state of a small generator; any seed but 0 */
};

void tarn_backoff_init(struct tarn_backoff *b, uint64_t base_ms,
                       uint64_t max_ms, uint64_t seed);
/* Pause in milliseconds after the n-th failure in a row, n from 1. */
uint64_t tarn_backoff_ms(struct tarn_backoff *b, unsigned n);

#endif
