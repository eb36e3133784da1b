/*
 * tarn: which command is meant, and what is asked for without one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tarn/tarn.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/why.h"

/* Commands that the full contract has and this version lacks. */
static const char *const later[] = {"create", "pull", "filter"};

static void print_usage(FILE *out)
{
  const struct cli_command_row *row;
  size_t i;

  for (i = 0; (row = tarn_cli_command_at(i)) != NULL; i++)
    (void)fprintf(out, "%s tarn %s [option...] %s\n",
                  i == 0 ? "usage:" : "      ", row->name, row->operands);
  (void)fputs("       tarn COMMAND --help\n"
              "       tarn --version | --help\n\n",
              out);
  for (i = 0; (row = tarn_cli_command_at(i)) != NULL; i++)
    (void)fprintf(out, "  %-8s %s\n", row->name, row->summary);
  (void)fputs("\nExit status 0 means that every byte was proven by all that "
              "the source offers.\n"
              "tarn create, pull and filter are not in this version.\n",
              out);
}

static int end_of_stdout(void)
{
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : CLI_EXIT_FILE;
}

static int print_version(void)
{
  struct tarn_feature f;
  unsigned i;

  (void)printf("tarn %d.%d.%d, libtarn %s\n", TARN_VERSION_MAJOR,
               TARN_VERSION_MINOR, TARN_VERSION_PATCH, tarn_version());
  for (i = 0; tarn_features(i, &f) == 0; i++)
    (void)printf("  %-10s %s %s\n", f.name, f.library,
                 f.version ? f.version : "not in this build");
  return end_of_stdout();
}

static bool is(const char *word, const char *name)
{
  return strcmp(word, name) == 0;
}

/*
 * What the build, its tests and packagers ask for: `--man-options CMD`,
 * `--markdown-options CMD`, `--option-names CMD`, `--completion SHELL`.
 * Returns -1 when it is none of these.
 */
static int print_generated(const char *what, const char *of)
{
  const struct cli_command_row *row = of ? tarn_cli_command_named(of) : NULL;
  void (*print)(FILE *, enum cli_command) = NULL;

  if (is(what, "--completion")) {
    if (!of || tarn_cli_print_completion(stdout, of) != 0) {
      tarn_cli_say("--completion needs bash, zsh or fish");
      return CLI_EXIT_USAGE;
    }
    return end_of_stdout();
  }
  if (is(what, "--man-options"))
    print = tarn_cli_print_man;
  else if (is(what, "--markdown-options"))
    print = tarn_cli_print_markdown;
  else if (is(what, "--option-names"))
    print = tarn_cli_print_names;
  if (!print)
    return -1;
  if (!row) {
    tarn_cli_say("%s needs the name of a command, such as get", what);
    return CLI_EXIT_USAGE;
  }
  print(stdout, row->command);
  return end_of_stdout();
}

/* tar's own habits: -xf FILE, xf FILE, -czf FILE, -tf FILE. */
static const char *command_of_tar(const char *word)
{
  static const char letters[] = "xctvzjJpkmaSfC";

  if (*word == '-')
    word++;
  if (*word == '-' || strlen(word) < 2 || word[strspn(word, letters)])
    return NULL;
  if (strchr(word, 'x'))
    return "extract";
  if (strchr(word, 'c'))
    return "create";
  return strchr(word, 't') ? "list" : NULL;
}

static int refuse_word(const char *word, const char *next)
{
  const char *meant = command_of_tar(word);
  size_t i;

  for (i = 0; i < sizeof later / sizeof *later; i++) {
    if (!is(word, later[i]))
      continue;
    tarn_cli_say("%s is not in this version", word);
    return CLI_EXIT_USAGE;
  }
  if (strstr(word, "://"))
    tarn_cli_say("the command is missing, meant is: tarn get URL");
  else if (meant)
    tarn_cli_say("meant is: tarn %s%s%s%s", meant,
                 is(meant, "create") ? " -o " : " ", next ? next : "FILE",
                 is(meant, "create") ? " (not in this version)" : "");
  else if (*word == '-')
    tarn_cli_say("unknown option %s, try tarn --help", word);
  else
    tarn_cli_say("unknown command %s, try tarn --help", word);
  return CLI_EXIT_USAGE;
}

static bool is_open(int fd)
{
  return fcntl(fd, F_GETFD) >= 0 || errno != EBADF;
}

/*
 * A standard stream that is closed would be the number of the next file we
 * open, and messages would go into it. Returns those that are open: enum
 * cli_streams.
 */
static unsigned fill_standard_streams(void)
{
  unsigned streams = (is_open(STDIN_FILENO) ? CLI_STDIN_OPEN : 0u) |
                     (is_open(STDOUT_FILENO) ? CLI_STDOUT_OPEN : 0u);
  int fd;

  do {
    fd = open("/dev/null", O_RDWR);
  } while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd >= 0)
    (void)close(fd);
  return streams;
}

static int run(const struct cli_command_row *row, int argc, char **argv,
               unsigned streams)
{
  switch (row->command) {
  case TARN_CLI_EXTRACT:
    return tarn_cli_extract(argc, argv, streams);
  case TARN_CLI_LIST:
    return tarn_cli_list(argc, argv, streams);
  case TARN_CLI_GET:
  default:
    return tarn_cli_get(argc, argv, streams);
  }
}

int main(int argc, char **argv)
{
  unsigned streams = fill_standard_streams();
  const char *word = argc > 1 ? argv[1] : NULL;
  const struct cli_command_row *row;
  int rc;

  if (!word) {
    print_usage(stderr);
    return CLI_EXIT_USAGE;
  }
  row = tarn_cli_command_named(word);
  if (row)
    return run(row, argc - 1, argv + 1, streams);
  if (is(word, "--version") || is(word, "-V"))
    return print_version();
  if (is(word, "--help") || is(word, "--help=all") || is(word, "-h") ||
      is(word, "help")) {
    print_usage(stdout);
    return end_of_stdout();
  }
  rc = print_generated(word, argc > 2 ? argv[2] : NULL);
  return rc >= 0 ? rc : refuse_word(word, argc > 2 ? argv[2] : NULL);
}
