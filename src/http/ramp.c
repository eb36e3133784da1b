#include "http/ramp.h"

#include <string.h>

#include "base/num.h"

#define FIRST           4u
/* A measurement: long enough for a few bursts, short enough to get anywhere. */
#define LEAST_MS        60u
#define MOST_MS         500u
/* A try stays when it brings this part of what its connections could. */
#define WORTH           0.2
/* From this part on the next step is a doubling. */
#define PROPORTIONAL    0.6
/* Bytes per millisecond and connection. No link to another machine that is
   slow per connection is as fast as this. */
#define FAST            50000.0
#define VERY_FAST       300000.0
/* The loop's thread is the limit from this share of the time on. */
#define BUSY            0.7
/* The consumer is the limit from this share of the time on. */
#define LIMITED         0.3
#define HOLD_MS         2000u
#define LONGEST_HOLD_MS 32000u
#define LOOK_AGAIN_MS   500u
#define CEILING_MS      30000u

void tarn_ramp_init(struct tarn_ramp *r, unsigned fixed)
{
  memset(r, 0, sizeof *r);
  r->fixed = fixed > 0;
  r->allowed = r->fixed ? fixed : FIRST;
  r->state = TARN_RAMP_HOLD;
  r->ceiling = TARN_RAMP_MOST;
}

static void hold(struct tarn_ramp *r, uint64_t now_ms, uint64_t ms)
{
  r->state = TARN_RAMP_HOLD;
  r->until_ms = now_ms + ms;
  r->trying = false;
  r->rate_before = 0;
}

static void settle(struct tarn_ramp *r, const struct tarn_ramp_sample *s)
{
  r->state = TARN_RAMP_SETTLE;
  r->until_ms = s->now_ms + 2 * tarn_min_u64(s->wait_ms, MOST_MS) + 10;
  r->begun = false;
}

static void begin(struct tarn_ramp *r, const struct tarn_ramp_sample *s)
{
  uint64_t ms = tarn_min_u64(tarn_max_u64(3 * s->wait_ms, LEAST_MS), MOST_MS);

  r->state = TARN_RAMP_MEASURE;
  r->until_ms = s->now_ms + ms;
  r->begun = true;
  r->since_ms = r->looked_ms = s->now_ms;
  r->bytes = s->bytes;
  r->busy_ms = s->busy_ms;
  r->limited_ms = 0;
}

static void grow(struct tarn_ramp *r, const struct tarn_ramp_sample *s,
                 double rate, double gain)
{
  bool twice = gain >= PROPORTIONAL || rate / r->allowed < FAST;
  unsigned n = twice ? 2 * r->allowed : r->allowed + (r->allowed + 1) / 2;

  n = n < TARN_RAMP_MOST ? n : TARN_RAMP_MOST;
  if (n <= r->allowed) {
    hold(r, s->now_ms, HOLD_MS);
    return;
  }
  r->trying = true;
  r->before = r->allowed;
  r->rate_before = rate;
  r->allowed = n;
  settle(r, s);
}

/* Below a known refusal: what has worked is taken again, one at a time, as one
   more of many could not be measured. */
static void recover(struct tarn_ramp *r, const struct tarn_ramp_sample *s)
{
  if (r->allowed < r->ceiling)
    r->allowed++;
  hold(r, s->now_ms, r->allowed < r->ceiling ? LEAST_MS : HOLD_MS);
}

/* The share of the gain in connections that came as a gain in bytes. */
static double gain_of(const struct tarn_ramp *r, double rate)
{
  double ideal = (double)r->allowed / r->before - 1.0;

  return r->rate_before > 0 ? (rate / r->rate_before - 1.0) / ideal : 0;
}

static void give_up_try(struct tarn_ramp *r, uint64_t now_ms)
{
  uint64_t ms = (uint64_t)HOLD_MS << (r->failed < 4 ? r->failed : 4);

  r->allowed = r->before;
  r->failed++;
  hold(r, now_ms, tarn_min_u64(ms, LONGEST_HOLD_MS));
}

static void decide(struct tarn_ramp *r, const struct tarn_ramp_sample *s)
{
  double ms = (double)(s->now_ms - r->since_ms);
  double rate = (double)(s->bytes - r->bytes) / ms, gain = 0;
  bool full = (double)r->limited_ms > LIMITED * ms ||
              (double)(s->busy_ms - r->busy_ms) > BUSY * ms ||
              rate / r->allowed > VERY_FAST;

  if (r->trying) {
    gain = gain_of(r, rate);
    if (gain < WORTH && !(full && rate > r->rate_before)) {
      give_up_try(r, s->now_ms);
      return;
    }
    r->trying = false;
    r->failed = 0;
  }
  if (full || s->running < r->allowed || rate <= 0)
    hold(r, s->now_ms, LOOK_AGAIN_MS);
  else if (r->ceiling < TARN_RAMP_MOST)
    recover(r, s);
  else
    grow(r, s, rate, gain);
}

void tarn_ramp_look(struct tarn_ramp *r, const struct tarn_ramp_sample *s)
{
  if (r->fixed)
    return;
  if (r->ceiling < TARN_RAMP_MOST && s->now_ms >= r->ceiling_until_ms)
    r->ceiling = TARN_RAMP_MOST;
  if (r->begun) {
    if (s->limited)
      r->limited_ms += s->now_ms - r->looked_ms;
    r->looked_ms = s->now_ms;
  }
  if (s->bytes == 0 || s->now_ms < r->until_ms)
    return;
  switch (r->state) {
  case TARN_RAMP_SETTLE:
    begin(r, s);
    break;
  case TARN_RAMP_MEASURE:
    decide(r, s);
    break;
  case TARN_RAMP_HOLD:
  default:
    settle(r, s);
    break;
  }
}

void tarn_ramp_refused(struct tarn_ramp *r, uint64_t now_ms, uint64_t asked_ms,
                       unsigned running)
{
  if (r->fixed || (r->refused_ms > 0 && asked_ms <= r->refused_ms))
    return;
  r->refused_ms = now_ms;
  r->ceiling = running > 0 ? running : 1;
  r->ceiling_until_ms = now_ms + CEILING_MS;
  r->allowed = r->allowed > 1 ? r->allowed / 2 : 1;
  if (r->ceiling < r->allowed)
    r->ceiling = r->allowed;
  r->begun = false;
  hold(r, now_ms, LOOK_AGAIN_MS);
}
