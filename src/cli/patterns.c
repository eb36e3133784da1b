#include "cli/patterns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cli/why.h"

/* Keeps a copy of `len` bytes as a pattern of what is excluded. */
static int exclude(struct cli_args *args, const char *text, size_t len,
                   struct cli_why *why)
{
  char *copy = strndup(text, len);

  if (copy && tarn_cli_list_add(&args->exclude_copies, copy) == 0) {
    if (tarn_cli_list_add(&args->exclude, copy) == 0)
      return 0;
  } else {
    free(copy);
  }
  return tarn_cli_refuse(why, CLI_EXIT_INTERNAL, "out of memory");
}

static int split_list(struct cli_args *args, const char *list,
                      struct cli_why *why)
{
  size_t len;
  int rc = 0;

  for (; rc == 0 && *list; list += len + (list[len] == ':')) {
    len = strcspn(list, ":");
    if (len > 0)
      rc = exclude(args, list, len, why);
  }
  return rc;
}

static int read_lines(struct cli_args *args, FILE *file, const char *path,
                      struct cli_why *why)
{
  char *line = NULL;
  size_t cap = 0;
  ssize_t len;
  int rc = 0;

  while (rc == 0 && (len = getline(&line, &cap, file)) >= 0) {
    if (strlen(line) != (size_t)len)
      rc = tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "--exclude-from: %s has a zero byte", path);
    while (len > 0 && strchr(" \t\n\v\f\r", line[len - 1]))
      len--;
    if (rc == 0 && len > 0)
      rc = exclude(args, line, (size_t)len, why);
  }
  if (rc == 0 && ferror(file))
    rc = tarn_cli_refuse(why, CLI_EXIT_FILE, "%s: read: %s", path,
                         strerror(errno));
  free(line);
  return rc;
}

static int read_file(struct cli_args *args, const char *path,
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

int tarn_cli_patterns_finish(struct cli_args *args, struct cli_why *why)
{
  size_t i;
  int rc = 0;

  for (i = 0; rc == 0 && i < args->exclude_lists.n; i++)
    rc = split_list(args, args->exclude_lists.items[i], why);
  for (i = 0; rc == 0 && i < args->exclude_from.n; i++)
    rc = read_file(args, args->exclude_from.items[i], why);
  args->get.include = args->include.items;
  args->get.n_include = args->include.n;
  args->get.exclude = args->exclude.items;
  args->get.n_exclude = args->exclude.n;
  return rc;
}

void tarn_cli_patterns_close(struct cli_args *args)
{
  size_t i;

  for (i = 0; i < args->exclude_copies.n; i++)
    free((void *)(uintptr_t)args->exclude_copies.items[i]);
  free(args->exclude_copies.items);
  free(args->include.items);
  free(args->exclude.items);
  free(args->exclude_lists.items);
  free(args->exclude_from.items);
}
