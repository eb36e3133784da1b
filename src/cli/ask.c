#include "cli/ask.h"

#include <stdio.h>

#include "cli/commands.h"

static int print_help(const struct cli_command_row *row, bool all)
{
  (void)printf("usage: tarn %s [option...] %s\n\n%s\n", row->name,
               row->operands, row->about);
  tarn_cli_print_help(stdout, row->command, all);
  if (!all)
    (void)printf("\n--help=all prints every option, man tarn-%s explains "
                 "them.\n",
                 row->name);
  else
    (void)printf("\nSIZE takes K M G (powers of 1000) and Ki Mi Gi (of 1024). "
                 "TIME is in seconds,\nor with ms, s, m or h behind it.\n");
  return fflush(stdout) == 0 ? 0 : CLI_EXIT_FILE;
}

int tarn_cli_ask_refuse(enum cli_command command, int status,
                        const struct cli_why *why)
{
  tarn_cli_say("%s", why->text);
  if (status == CLI_EXIT_USAGE)
    tarn_cli_say("try tarn %s --help", tarn_cli_command_row(command)->name);
  return status;
}

int tarn_cli_ask(int argc, char **argv, enum cli_command command,
                 struct cli_args *args, int *first)
{
  struct cli_why why;
  int rc = tarn_cli_options_parse(argc, argv, command, args, first, &why);

  if (rc == CLI_PARSED_HELP || rc == CLI_PARSED_HELP_ALL)
    return print_help(tarn_cli_command_row(command), rc == CLI_PARSED_HELP_ALL);
  if (rc != CLI_PARSED_OK)
    return tarn_cli_ask_refuse(command, CLI_EXIT_USAGE, &why);
  rc = tarn_cli_args_finish(args, &why);
  return rc == 0 ? CLI_ASK_RUN : tarn_cli_ask_refuse(command, rc, &why);
}
