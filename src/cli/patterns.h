/*
 * Patterns of members: what --include, --exclude, --exclude-list and
 * --exclude-from ask for, made into the two lists of tarn_get_options.
 *
 * A line of a file is a pattern: white space at its end is cut off and empty
 * lines are passed over, as GNU tar does with -X.
 *
 * Memory: tarn_cli_patterns_close frees what was copied of lists and files.
 * Threads: one at a time.
 */
#ifndef TARN_CLI_PATTERNS_H
#define TARN_CLI_PATTERNS_H

#include "cli/args.h"

/*
 * Fills args->get. Returns 0, or the exit status with *why filled: 64 for a
 * zero byte in a file, 66 for a file that cannot be read, 70 without memory.
 */
int tarn_cli_patterns_finish(struct cli_args *args, struct cli_why *why);
void tarn_cli_patterns_close(struct cli_args *args);

#endif
