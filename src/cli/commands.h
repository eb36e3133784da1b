/*
 * Commands: which there are, what they are called and what runs them.
 *
 * tarn_cli_get and the like are called by main.c: argv[0] is the command's
 * name, the result is the exit status. The table of commands serves usage,
 * help and completion.
 *
 * Memory: all is freed before the return. Threads: the main one.
 */
#ifndef TARN_CLI_COMMANDS_H
#define TARN_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"

struct cli_command_row {
  const char *name;
  enum cli_command command;
  const char *operands; /* "URL..." */
  const char *summary;  /* a line without period, lower case */
  const char *about;    /* what --help says first: lines, the last ended */
  bool takes_urls, takes_files;
};

/* Row `i`; NULL behind the last. */
const struct cli_command_row *tarn_cli_command_at(size_t i);
/* NULL when there is no such command. */
const struct cli_command_row *tarn_cli_command_named(const char *name);
const struct cli_command_row *tarn_cli_command_row(enum cli_command command);

/* Standard streams that were open when the program began. */
enum cli_streams { CLI_STDIN_OPEN = 1 << 0, CLI_STDOUT_OPEN = 1 << 1 };

int tarn_cli_get(int argc, char **argv, unsigned streams);
int tarn_cli_extract(int argc, char **argv, unsigned streams);
int tarn_cli_list(int argc, char **argv, unsigned streams);

#endif
