/*
 * Rows of the option table, by subject. tarn_cli_option_at (cli/options.h)
 * makes one table of them; a new option is a row in one of these files.
 *
 * Memory: constant. Threads: any.
 */
#ifndef TARN_CLI_OPTION_ROWS_H
#define TARN_CLI_OPTION_ROWS_H

#include <stddef.h>

#include "cli/options.h"

#define CLI_EVERY_COMMAND (TARN_CLI_GET | TARN_CLI_EXTRACT | TARN_CLI_LIST)

struct cli_option_rows {
  const struct cli_option *rows;
  size_t n;
};

extern const struct cli_option_rows tarn_cli_rows_target;
extern const struct cli_option_rows tarn_cli_rows_transfer;
extern const struct cli_option_rows tarn_cli_rows_extract;
extern const struct cli_option_rows tarn_cli_rows_report;

#endif
