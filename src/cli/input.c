#include "cli/input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/url.h"
#include "cli/why.h"

static int make_url(struct cli_input *in, enum cli_command command,
                    const char *word, struct cli_why *why)
{
  bool assumed;
  int rc;

  if (command == TARN_CLI_EXTRACT)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "extract reads local archives, meant is: tarn get "
                           "URL");
  in->source = TARN_FROM_URL;
  rc = tarn_cli_url_check(word, &in->url, &assumed, why);
  if (rc == 0)
    in->shown = tarn_cli_url_shown(in->url);
  return rc;
}

static int make_stdin(struct cli_input *in, enum cli_command command,
                      unsigned streams, struct cli_why *why)
{
  if (!(streams & CLI_STDIN_OPEN))
    return tarn_cli_refuse(why, CLI_EXIT_FILE, "standard input is not open");
  if (isatty(STDIN_FILENO))
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "standard input is a terminal: redirect it, or "
                           "give %s a FILE",
                           tarn_cli_command_row(command)->name);
  in->source = TARN_FROM_FD;
  in->shown = strdup("standard input");
  return 0;
}

int tarn_cli_input_make(struct cli_input *in, enum cli_command command,
                        const char *word, unsigned streams, struct cli_why *why)
{
  int rc = 0;

  memset(in, 0, sizeof *in);
  if (!*word)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE, "the archive's name is empty");
  if (strcmp(word, "-") == 0) {
    rc = make_stdin(in, command, streams, why);
  } else if (tarn_cli_url_has_scheme(word)) {
    rc = make_url(in, command, word, why);
  } else {
    in->source = TARN_FROM_FILE;
    in->path = word;
    in->shown = strdup(word);
  }
  if (rc == 0 && !in->shown)
    rc = tarn_cli_refuse(why, CLI_EXIT_INTERNAL, "out of memory");
  return rc;
}

void tarn_cli_input_close(struct cli_input *in)
{
  free(in->url);
  free(in->shown);
  in->url = in->shown = NULL;
}

void tarn_cli_input_fill(const struct cli_input *in,
                         struct tarn_get_options *get)
{
  get->source = in->source;
  get->url = in->url;
  get->input = in->path;
  get->from_fd = STDIN_FILENO;
}
