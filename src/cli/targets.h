/*
 * Targets: what each URL of a command line is fetched as and where it goes.
 *
 *   rc = tarn_cli_targets_make(&targets, argv, n, &args, why);
 *
 * Memory: an array of copies, freed by tarn_cli_targets_close.
 * Threads: the main one, before the loop runs: it looks at the disk.
 */
#ifndef TARN_CLI_TARGETS_H
#define TARN_CLI_TARGETS_H

#include <stddef.h>

#include "cli/args.h"

struct cli_target {
  char *url;
  char *shown; /* without its secrets */
  char *path;  /* file or directory; NULL for standard output */
};

struct cli_targets {
  struct cli_target *items;
  size_t n;
};

/*
 * Checks the n words and -C, -O, -o together, makes the directory of "-o DIR/"
 * and says which scheme was assumed. Returns 0, or the exit status with *why
 * filled. close in both cases.
 */
int tarn_cli_targets_make(struct cli_targets *t, char **words, size_t n,
                          const struct cli_args *args, struct cli_why *why);
void tarn_cli_targets_close(struct cli_targets *t);

#endif
