#include "cli/why.h"

#include <stdarg.h>
#include <stdio.h>

int tarn_cli_refuse(struct cli_why *why, int status, const char *fmt, ...)
{
  va_list args;

  va_start(args, fmt);
  (void)vsnprintf(why->text, sizeof why->text, fmt, args);
  va_end(args);
  return status;
}
