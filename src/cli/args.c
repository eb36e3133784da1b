#include "cli/args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "cli/patterns.h"
#include "cli/why.h"

void tarn_cli_args_init(struct cli_args *args)
{
  memset(args, 0, sizeof *args);
  args->get.size = sizeof args->get;
}

void tarn_cli_args_close(struct cli_args *args)
{
  size_t i;

  for (i = 0; i < args->n_header_lines; i++)
    free(args->header_lines[i]);
  free(args->header_lines);
  free(args->headers.items);
  free(args->resolve.items);
  free(args->xattrs_include.items);
  free(args->fail_statuses.items);
  tarn_cli_patterns_close(args);
  tarn_cli_args_init(args);
}

int tarn_cli_list_add(struct cli_list *list, const char *item)
{
  const char **grown =
      realloc(list->items, (list->n + 1) * sizeof *list->items);

  if (!grown)
    return -1;
  list->items = grown;
  list->items[list->n++] = item;
  return 0;
}

int tarn_cli_statuses_add(struct cli_statuses *list, int status)
{
  int *grown = realloc(list->items, (list->n + 1) * sizeof *list->items);

  if (!grown)
    return -1;
  list->items = grown;
  list->items[list->n++] = status;
  return 0;
}

/* ---- headers ---- */

/* A token: RFC 9110, section 5.6.2. */
static size_t token_len(const char *s)
{
  return strspn(s, "!#$%&'*+-.^_`|~0123456789"
                   "abcdefghijklmnopqrstuvwxyz"
                   "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/*
 * Keeps "Name: value" of `line`. The text of a wrong one is not repeated in
 * the message: it may be a secret.
 */
static int add_header(struct cli_args *args, const char *line,
                      struct cli_why *why)
{
  size_t name_len = token_len(line), value_len, size;
  const char *value;
  char **grown, *copy;

  if (name_len == 0 || line[name_len] != ':')
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "--headers: header %zu is not \"Name: value\"",
                           args->n_header_lines + 1);
  value = line + name_len + 1;
  value += strspn(value, " \t");
  value_len = strlen(value);
  while (value_len > 0 && strchr(" \t\r", value[value_len - 1]))
    value_len--;
  if (memchr(value, '\r', value_len) || memchr(value, '\n', value_len))
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "--headers: header %.*s has a line break",
                           (int)name_len, line);
  size = name_len + value_len + sizeof ": ";
  grown =
      realloc(args->header_lines, (args->n_header_lines + 1) * sizeof *grown);
  copy = grown ? malloc(size) : NULL;
  if (grown)
    args->header_lines = grown;
  if (!copy)
    return tarn_cli_refuse(why, CLI_EXIT_INTERNAL, "out of memory");
  (void)snprintf(copy, size, "%.*s: %.*s", (int)name_len, line, (int)value_len,
                 value);
  args->header_lines[args->n_header_lines++] = copy;
  return 0;
}

static int read_lines(struct cli_args *args, FILE *file, const char *path,
                      struct cli_why *why)
{
  char *line = NULL;
  size_t cap = 0;
  ssize_t len;
  int rc = 0;

  while (rc == 0 && (len = getline(&line, &cap, file)) >= 0) {
    while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
      line[--len] = '\0';
    if (strlen(line) != (size_t)len)
      rc = tarn_cli_refuse(why, CLI_EXIT_USAGE, "--headers: %s has a zero byte",
                           path);
    else if (len > 0)
      rc = add_header(args, line, why);
  }
  if (rc == 0 && ferror(file))
    rc = tarn_cli_refuse(why, CLI_EXIT_FILE, "%s: read: %s", path,
                         strerror(errno));
  free(line);
  return rc;
}

static int read_headers(struct cli_args *args, const char *path,
                        struct cli_why *why)
{
  FILE *file;
  int rc;

  if (strcmp(path, "-") == 0)
    return read_lines(args, stdin, "standard input", why);
  file = fopen(path, "re");
  if (!file)
    return tarn_cli_refuse(why, CLI_EXIT_FILE, "%s: open: %s", path,
                           strerror(errno));
  rc = read_lines(args, file, path, why);
  (void)fclose(file);
  return rc;
}

static int make_headers(struct cli_args *args, struct cli_why *why)
{
  const char *given;
  size_t i;
  int rc = 0;

  for (i = 0; rc == 0 && i < args->headers.n; i++) {
    given = args->headers.items[i];
    rc = given[0] == '@' ? read_headers(args, given + 1, why)
                         : add_header(args, given, why);
  }
  return rc;
}

/* ---- what no single row can check ---- */

static int check_target(struct cli_args *args, struct cli_why *why)
{
  if (args->output && strcmp(args->output, "-") == 0) {
    args->output = NULL;
    args->raw = 1;
    args->to_stdout = 1;
  }
  if (args->output && (args->directory || args->to_stdout))
    return tarn_cli_refuse(
        why, CLI_EXIT_USAGE,
        "-o cannot be combined with -C or -O in this version");
  if (args->directory && args->to_stdout)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE, "-C and -O exclude each other");
  if (args->raw && !args->to_stdout && !args->output)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE, "--raw needs -O or -o");
  if (args->directory && !*args->directory)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "-C needs the name of a directory");
  if (args->output && !*args->output)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE, "-o needs the name of a file");
  return 0;
}

static int check_rest(const struct cli_args *args, struct cli_why *why)
{
  if (args->quiet && args->verbose)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE, "-q and -v exclude each other");
  if (args->get.key && !args->get.cert)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE, "--key needs --cert");
  if (args->get.user_password && args->get.bearer)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "--user and --bearer exclude each other");
  if (args->has_progress_fd && args->progress_fd == 1 && args->to_stdout)
    return tarn_cli_refuse(
        why, CLI_EXIT_USAGE,
        "--progress-fd=1 would mix progress into the data of -O");
  return 0;
}

bool tarn_cli_args_human(const struct cli_args *args)
{
  return args->progress != CLI_PROGRESS_JSON ||
         (args->has_progress_fd && args->progress_fd != STDERR_FILENO);
}

int tarn_cli_args_finish(struct cli_args *args, struct cli_why *why)
{
  struct tarn_get_options *get = &args->get;
  int rc = check_target(args, why);

  if (rc == 0)
    rc = check_rest(args, why);
  if (rc == 0)
    rc = make_headers(args, why);
  if (rc == 0)
    rc = tarn_cli_patterns_finish(args, why);
  if (rc != 0)
    return rc;

  get->memory = args->memory;
  get->chunk_size = args->chunk_size;
  get->compression = (enum tarn_compression)args->compression;
  get->fail_statuses = args->fail_statuses.items;
  get->n_fail_statuses = args->fail_statuses.n;
  get->headers = (const char *const *)args->header_lines;
  get->n_headers = args->n_header_lines;
  get->resolve = args->resolve.items;
  get->n_resolve = args->resolve.n;
  get->xattrs_include = args->xattrs_include.items;
  get->n_xattrs_include = args->xattrs_include.n;
  if (args->raw)
    get->flags |= TARN_RAW;
  if (args->verbose)
    get->flags |= TARN_REPORT_ENTRIES;
  return 0;
}
