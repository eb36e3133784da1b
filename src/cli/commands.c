#include "cli/commands.h"

#include <string.h>

static const struct cli_command_row rows[] = {
    {.name = "get",
     .command = TARN_CLI_GET,
     .operands = "URL...",
     .summary = "download an archive and extract it",
     .about = "Downloads an archive with several requests at once, decodes and "
              "extracts it\nwhile it comes.\n",
     .takes_urls = true},
    {.name = "extract",
     .command = TARN_CLI_EXTRACT,
     .operands = "[FILE | -]",
     .summary = "extract a local archive or standard input",
     .about = "Extracts the archive FILE, or standard input, with several "
              "writers at once.\n",
     .takes_files = true},
    {.name = "list",
     .command = TARN_CLI_LIST,
     .operands = "URL | FILE | -",
     .summary = "print what an archive holds",
     .about = "Prints the names of what an archive holds, one a line, and "
              "proves its bytes.\n",
     .takes_urls = true,
     .takes_files = true},
};

#define N_ROWS (sizeof rows / sizeof *rows)

const struct cli_command_row *tarn_cli_command_at(size_t i)
{
  return i < N_ROWS ? &rows[i] : NULL;
}

const struct cli_command_row *tarn_cli_command_named(const char *name)
{
  size_t i;

  for (i = 0; i < N_ROWS; i++)
    if (strcmp(rows[i].name, name) == 0)
      return &rows[i];
  return NULL;
}

const struct cli_command_row *tarn_cli_command_row(enum cli_command command)
{
  size_t i;

  for (i = 0; i < N_ROWS; i++)
    if (rows[i].command == command)
      return &rows[i];
  return NULL;
}
