#include "http/backoff.h"

#include "base/num.h"

void tarn_backoff_init(struct tarn_backoff *b, uint64_t base_ms,
                       uint64_t max_ms, uint64_t seed)
{
  b->base_ms = base_ms;
  b->max_ms = tarn_max_u64(max_ms, base_ms);
  b->random = seed ? seed : 1;
}

/* xorshift64: jitter needs no better. */
static uint64_t next_random(struct tarn_backoff *b)
{
  b->random ^= b->random << 13;
  b->random ^= b->random >> 7;
  b->random ^= b->random << 17;
  return b->random;
}

uint64_t tarn_backoff_ms(struct tarn_backoff *b, unsigned n)
{
  uint64_t cap = b->base_ms;
  unsigned i;

  for (i = 1; i < n && cap < b->max_ms; i++)
    cap = cap > b->max_ms / 2 ? b->max_ms : cap * 2;
  cap = tarn_min_u64(cap, b->max_ms);
  return cap == 0 ? 0 : next_random(b) % (cap + 1);
}
