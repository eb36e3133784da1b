#include "base/trace.h"

#include <stdio.h>

void tarn_trace_line(const struct tarn_trace *t, unsigned channel,
                     const char *fmt, ...)
{
  char line[512];
  va_list args;

  if (!t->cb)
    return;
  va_start(args, fmt);
  (void)vsnprintf(line, sizeof line, fmt, args);
  va_end(args);
  t->cb(channel, line, t->user);
}
