/*
 * Why something was refused: a sentence for the user and an exit status.
 *
 *   return tarn_cli_refuse(why, CLI_EXIT_USAGE, "--%s needs a value", name);
 *
 * Memory: the text lives in the caller's struct; long ones are cut.
 * Threads: any.
 */
#ifndef TARN_CLI_WHY_H
#define TARN_CLI_WHY_H

#include "cli/term.h"

/* Exit statuses that the command line gives by itself; those of a job come
 * from tarn_exit_code. docs/exit-codes.md explains them. */
enum cli_exit {
  CLI_EXIT_NOSPACE = 28,
  CLI_EXIT_USAGE = 64,
  CLI_EXIT_FILE = 66,
  CLI_EXIT_MISSING = 69,
  CLI_EXIT_INTERNAL = 70,
  CLI_EXIT_SIGNAL = 128 /* and the signal's number */
};

struct cli_why {
  char text[512]; /* no period at its end */
};

/* Fills *why and returns `status`. */
int tarn_cli_refuse(struct cli_why *why, int status, const char *fmt, ...)
    TARN_CLI_PRINTF(3, 4);

#endif
