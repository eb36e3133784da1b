/*
 * Named trace channels (docs/tracing.md): text for people who look inside.
 *
 *   TARN_TRACE(env->trace, TARN_TRACE_TRANSFER, "span %u: retry", n);
 *
 * Costs one test when the channel is off. Memory: a line of 512 bytes on the
 * stack. Threads: the loop's only.
 */
#ifndef TARN_BASE_TRACE_H
#define TARN_BASE_TRACE_H

#include "base/err.h"

struct tarn_trace {
  unsigned mask;
  void (*cb)(unsigned channel, const char *text, void *user);
  void *user;
};

void tarn_trace_line(const struct tarn_trace *t, unsigned channel,
                     const char *fmt, ...) TARN_PRINTF(3, 4);

#define TARN_TRACE(t, channel, ...)                                            \
  do {                                                                         \
    if ((t) && ((t)->mask & (unsigned)(channel)))                              \
      tarn_trace_line((t), (unsigned)(channel), __VA_ARGS__);                  \
  } while (0)

#endif
