/*
 * Arguments: what a command line asks for, after options.c has read it.
 *
 * options.c fills the fields through the offsets in the option table;
 * tarn_cli_args_finish checks what a single row cannot, reads header files,
 * and makes struct tarn_get_options of it.
 *
 *   tarn_cli_args_init(&args);
 *   ... tarn_cli_options_parse(...) ...
 *   tarn_cli_args_finish(&args, why);
 *   tarn_get(ctx, &args.get, ...);
 *   tarn_cli_args_close(&args);
 *
 * Memory: strings point into argv, except headers, which are copies. close
 * frees lists and headers. Threads: one at a time.
 */
#ifndef TARN_CLI_ARGS_H
#define TARN_CLI_ARGS_H

#include <tarn/tarn.h>

#include "cli/options.h"
#include "cli/why.h"

/* Strings lent by argv. */
struct cli_list {
  const char **items;
  size_t n;
};

struct cli_statuses {
  int *items;
  size_t n;
};

/* In the order of the option table's choices. */
enum cli_progress_mode {
  CLI_PROGRESS_AUTO = 0,
  CLI_PROGRESS_BAR,
  CLI_PROGRESS_PLAIN,
  CLI_PROGRESS_JSON,
  CLI_PROGRESS_NONE
};

struct cli_args {
  struct tarn_get_options get;

  /* input and target */
  const char *input, *directory, *output;
  int to_stdout, raw, dry_run;

  /* what list prints of each entry */
  int details, full_time, utc, json;

  /* values whose type in `get` the table does not know */
  uint64_t memory, chunk_size;
  struct cli_list headers, resolve;
  struct cli_statuses fail_statuses;
  char **header_lines; /* "Name: value", copies, made by finish */
  size_t n_header_lines;
  int compression;

  /* patterns; copies are of what lists and files hold (cli/patterns.h) */
  struct cli_list xattrs_include;
  struct cli_list include, exclude, exclude_lists, exclude_from;
  struct cli_list exclude_copies;

  /* the program's own */
  unsigned threads;
  int quiet, verbose, stats;
  int progress; /* enum cli_progress_mode */
  unsigned progress_fd;
  int has_progress_fd;
  unsigned trace;
};

void tarn_cli_args_init(struct cli_args *args);
void tarn_cli_args_close(struct cli_args *args);

/* Appends to a list. Returns 0, or -1 without memory. */
int tarn_cli_list_add(struct cli_list *list, const char *item);
int tarn_cli_statuses_add(struct cli_statuses *list, int status);

/*
 * Checks combinations, reads "-H @FILE", fills args->get but for url, target,
 * path and callbacks. Returns 0, or the exit status with *why filled: 64 for
 * wrong use, 66 for a header file that cannot be read, 70 without memory.
 */
int tarn_cli_args_finish(struct cli_args *args, struct cli_why *why);

/* True when lines for people may go to stderr: false when JSON lines do. */
bool tarn_cli_args_human(const struct cli_args *args);

#endif
