/*
 * Standard output of a command that prints while its job runs: buffered, and
 * never so blocked that a signal could not be answered.
 *
 *   rc = tarn_cli_out_put(&out, line, len, &err);
 *   ...
 *   while ((rc = tarn_cli_out_flush(&out, &err)) == CLI_OUT_AGAIN)
 *     ...                           // let the loop see to the signal
 *
 * Writes are blocking ones on the caller's thread, a piece at a time, each
 * after poll(2) says that it fits: poll is what a signal interrupts. What is
 * not written then stays in the buffer.
 *
 * Memory: one buffer; it holds 64 KiB, or one line where that is more, and
 * a line more for each signal. Threads: one at a time.
 */
#ifndef TARN_CLI_OUT_H
#define TARN_CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include <tarn/tarn.h>

/* A signal came before all was written. */
enum { CLI_OUT_AGAIN = 1 };

struct cli_out {
  int fd;
  bool each_line; /* a terminal: somebody looks on */
  size_t piece;   /* what one write may take */
  char *buf;
  size_t len, cap;
};

void tarn_cli_out_init(struct cli_out *o, int fd);
void tarn_cli_out_close(struct cli_out *o);

/* Takes a line. Returns 0 or a TARN_E code with *err filled: EPIPE, ENOSPC,
   EFILE, ENOMEM. */
int tarn_cli_out_put(struct cli_out *o, const char *ptr, size_t len,
                     struct tarn_err *err);

/* Writes all. The same, or CLI_OUT_AGAIN: call it again. */
int tarn_cli_out_flush(struct cli_out *o, struct tarn_err *err);

#endif
