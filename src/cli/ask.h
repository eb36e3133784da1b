/*
 * Asking: reads a command's words, and answers those that ask for help or are
 * wrong, in the same manner for every command.
 *
 *   rc = tarn_cli_ask(argc, argv, TARN_CLI_LIST, &args, &first);
 *   if (rc != CLI_ASK_RUN)
 *     return rc;
 *
 * Memory: none kept but in args. Threads: one at a time.
 */
#ifndef TARN_CLI_ASK_H
#define TARN_CLI_ASK_H

#include "cli/args.h"
#include "cli/why.h"

/* No exit status: the command is to run. */
enum { CLI_ASK_RUN = -1 };

/*
 * Parses and finishes *args; *first is the index of the first operand. Returns
 * CLI_ASK_RUN, or the exit status when all is said: help on standard output or
 * what is wrong on standard error.
 */
int tarn_cli_ask(int argc, char **argv, enum cli_command command,
                 struct cli_args *args, int *first);

/* Says *why, and for wrong use where help is. Returns `status`. */
int tarn_cli_ask_refuse(enum cli_command command, int status,
                        const struct cli_why *why);

#endif
