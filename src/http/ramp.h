/*
 * Ramp: how many requests may run at a time (T11).
 *
 * Starts with four. A measurement is taken, more connections are added, a
 * second measurement is taken: they stay when the throughput has grown by a
 * fair part of what they could bring, else they go again and the next try is
 * made later. Nothing is added while something else is the limit: the
 * consumer, or the processor this loop runs on. A server that refuses halves
 * the number; what had worked is found again step by step.
 *
 *   tarn_ramp_init(&ramp, 0);                // or a fixed number
 *   tarn_ramp_look(&ramp, &sample);          // often
 *   tarn_ramp_refused(&ramp, now, asked, n); // after 429, 503, a refusal
 *   while (n_running < ramp.allowed) ...
 *
 * Memory: none. Threads: the owner's. Times are milliseconds of one clock.
 */
#ifndef TARN_HTTP_RAMP_H
#define TARN_HTTP_RAMP_H

#include <stdbool.h>
#include <stdint.h>

/* The most that is ever chosen; a fixed number may be larger. */
#define TARN_RAMP_MOST 64u

enum tarn_ramp_state {
  TARN_RAMP_SETTLE = 0, /* new connections begin to bring bytes */
  TARN_RAMP_MEASURE,
  TARN_RAMP_HOLD /* nothing is tried until `until_ms` */
};

struct tarn_ramp {
  unsigned allowed;
  bool fixed;
  enum tarn_ramp_state state;
  uint64_t until_ms;
  bool trying;        /* `before` worked, `allowed` is being tried */
  unsigned before;    /* connections */
  double rate_before; /* bytes per millisecond; 0: not measured */
  unsigned ceiling;   /* refused above; TARN_RAMP_MOST: not known */
  uint64_t ceiling_until_ms;
  uint64_t refused_ms; /* when it was halved last */
  unsigned failed;     /* tries in a row that brought nothing */

  /* The measurement that runs. */
  bool begun;
  uint64_t since_ms, bytes, busy_ms, looked_ms, limited_ms;
};

/* What is seen now; sums since any fixed time. */
struct tarn_ramp_sample {
  uint64_t now_ms;
  uint64_t bytes;   /* received */
  uint64_t busy_ms; /* processor time of the loop's thread */
  uint64_t wait_ms; /* from a request to its first byte, of late */
  unsigned running; /* requests */
  bool limited;     /* room for bytes is what is missing now */
};

/* `fixed` connections, or with 0 as many as are useful. */
void tarn_ramp_init(struct tarn_ramp *r, unsigned fixed);
/* Measures and decides. */
void tarn_ramp_look(struct tarn_ramp *r, const struct tarn_ramp_sample *s);
/* The server refused a request asked at `asked_ms`, while `running` others
   were served. Requests asked before the last halving halve nothing. */
void tarn_ramp_refused(struct tarn_ramp *r, uint64_t now_ms, uint64_t asked_ms,
                       unsigned running);

#endif
