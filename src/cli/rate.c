#include "cli/rate.h"

#include <string.h>

#define WINDOW_NS 5000000000u

void tarn_cli_rate_init(struct cli_rate *r)
{
  memset(r, 0, sizeof *r);
  r->n = 1; /* the beginning: nothing had come, no time had passed */
  r->next = 1;
}

void tarn_cli_rate_put(struct cli_rate *r, const struct tarn_progress *p)
{
  struct cli_sample *s = &r->samples[r->next];

  s->at_ns = p->elapsed_ns;
  s->wire = p->wire_bytes;
  s->decoded = p->decoded_bytes;
  r->next = (r->next + 1) % TARN_CLI_RATE_SAMPLES;
  if (r->n < TARN_CLI_RATE_SAMPLES)
    r->n++;
  if ((unsigned)p->limit < TARN_CLI_LIMITS)
    r->limits[p->limit]++;
}

/* The `back`-th sample before the newest. */
static const struct cli_sample *sample(const struct cli_rate *r, unsigned back)
{
  return &r->samples[(r->next + 2 * TARN_CLI_RATE_SAMPLES - 1 - back) %
                     TARN_CLI_RATE_SAMPLES];
}

static const struct cli_sample *oldest(const struct cli_rate *r)
{
  const struct cli_sample *newest = sample(r, 0);
  unsigned back = 0;

  while (back + 1 < r->n && newest->at_ns - sample(r, back)->at_ns < WINDOW_NS)
    back++;
  return sample(r, back);
}

uint64_t tarn_cli_rate_of(uint64_t bytes, uint64_t ns)
{
  return ns ? (uint64_t)((double)bytes * 1e9 / (double)ns) : 0;
}

uint64_t tarn_cli_rate_wire(const struct cli_rate *r)
{
  const struct cli_sample *a, *b;

  a = oldest(r);
  b = sample(r, 0);
  return b->wire > a->wire
             ? tarn_cli_rate_of(b->wire - a->wire, b->at_ns - a->at_ns)
             : 0;
}

uint64_t tarn_cli_rate_decoded(const struct cli_rate *r)
{
  const struct cli_sample *a, *b;

  a = oldest(r);
  b = sample(r, 0);
  return b->decoded > a->decoded
             ? tarn_cli_rate_of(b->decoded - a->decoded, b->at_ns - a->at_ns)
             : 0;
}

enum tarn_limit tarn_cli_rate_limit(const struct cli_rate *r,
                                    enum tarn_limit last)
{
  unsigned best = TARN_LIMIT_NONE, i;

  for (i = 0; i < TARN_CLI_LIMITS; i++)
    if (r->limits[i] > r->limits[best])
      best = i;
  return r->limits[best] ? (enum tarn_limit)best : last;
}
