/*
 * Rate: speeds over the last seconds of a job, and which stage limited it.
 *
 * One sample a tick goes in; speeds are those between the oldest sample kept
 * and the newest, so a short pause does not read as a standstill.
 *
 * Memory: a fixed ring. Threads: the loop's.
 */
#ifndef TARN_CLI_RATE_H
#define TARN_CLI_RATE_H

#include <stdint.h>

#include <tarn/tarn.h>

#define TARN_CLI_RATE_SAMPLES 64
#define TARN_CLI_LIMITS       (TARN_LIMIT_OUTPUT + 1)

struct cli_rate {
  struct cli_sample {
    uint64_t at_ns, wire, decoded;
  } samples[TARN_CLI_RATE_SAMPLES];
  unsigned n, next;                 /* kept, and where the next one goes */
  unsigned limits[TARN_CLI_LIMITS]; /* samples in which each was the limit */
};

void tarn_cli_rate_init(struct cli_rate *r);
void tarn_cli_rate_put(struct cli_rate *r, const struct tarn_progress *p);

/* Bytes a second over the last five seconds, or since the beginning. */
uint64_t tarn_cli_rate_wire(const struct cli_rate *r);
uint64_t tarn_cli_rate_decoded(const struct cli_rate *r);

/* What was the limit most of the time; `last` when no sample was taken. */
enum tarn_limit tarn_cli_rate_limit(const struct cli_rate *r,
                                    enum tarn_limit last);

/* bytes / ns in bytes a second, without overflow; 0 for no time. */
uint64_t tarn_cli_rate_of(uint64_t bytes, uint64_t ns);

#endif
