/* The option table: the rows of option_rows_*.c in one. */
#include "cli/options.h"

#include "cli/option_rows.h"

static const struct cli_option_rows *const parts[] = {
    &tarn_cli_rows_target, &tarn_cli_rows_transfer, &tarn_cli_rows_extract,
    &tarn_cli_rows_report};

#define N_PARTS (sizeof parts / sizeof *parts)

const struct cli_option *tarn_cli_option_at(size_t i)
{
  size_t part;

  for (part = 0; part < N_PARTS; part++) {
    if (i < parts[part]->n)
      return &parts[part]->rows[i];
    i -= parts[part]->n;
  }
  return NULL;
}

size_t tarn_cli_option_count(void)
{
  size_t part, n = 0;

  for (part = 0; part < N_PARTS; part++)
    n += parts[part]->n;
  return n;
}
