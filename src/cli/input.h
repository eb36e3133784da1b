/*
 * Input: what the operand of extract and list names: a file, standard input,
 * or, for list, a URL.
 *
 *   rc = tarn_cli_input_make(&in, TARN_CLI_LIST, word, streams, &args, &why);
 *   tarn_cli_input_fill(&in, &get);
 *
 * Memory: freed by tarn_cli_input_close. Threads: the main one.
 */
#ifndef TARN_CLI_INPUT_H
#define TARN_CLI_INPUT_H

#include <tarn/tarn.h>

#include "cli/args.h"
#include "cli/options.h"

struct cli_input {
  enum tarn_source source; /* FROM_URL, FROM_FD or FROM_FILE */
  char *url;               /* FROM_URL */
  const char *path;        /* FROM_FILE: lent */
  char *shown;             /* without secrets */
};

/*
 * Looks at `word`: "-" is standard input, which `streams` (enum cli_streams)
 * says is open and which must be no terminal. Returns 0, or the exit status
 * with *why filled. close in both cases.
 */
int tarn_cli_input_make(struct cli_input *in, enum cli_command command,
                        const char *word, unsigned streams,
                        struct cli_why *why);
void tarn_cli_input_close(struct cli_input *in);

void tarn_cli_input_fill(const struct cli_input *in,
                         struct tarn_get_options *get);

#endif
