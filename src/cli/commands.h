/*
 * Commands: one function each, called by main.c.
 *
 * argv[0] is the command's name. The result is the exit status.
 * Memory: all is freed before the return. Threads: the main one.
 */
#ifndef TARN_CLI_COMMANDS_H
#define TARN_CLI_COMMANDS_H

/* `stdout_open`: standard output was open when the program began. */
int tarn_cli_get(int argc, char **argv, int stdout_open);

#endif
