#include "cli/targets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/term.h"
#include "cli/url.h"
#include "cli/why.h"

static int no_memory(struct cli_why *why)
{
  return tarn_cli_refuse(why, CLI_EXIT_INTERNAL, "out of memory");
}

/* "DIR/", or a directory that is there. */
static bool names_directory(const char *path)
{
  struct stat st;

  return path[strlen(path) - 1] == '/' ||
         (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

/* Makes the directory and those above it, where missing. */
static int make_directory(const char *path, struct cli_why *why)
{
  char *copy = strdup(path), *p;
  struct stat st;
  int rc = 0;

  if (!copy)
    return no_memory(why);
  for (p = copy + 1; rc == 0 && *p; p++) {
    if (*p != '/')
      continue;
    *p = '\0';
    rc = mkdir(copy, 0777) != 0 && errno != EEXIST ? errno : 0;
    *p = '/';
  }
  if (rc == 0 && mkdir(copy, 0777) != 0 && errno != EEXIST)
    rc = errno;
  if (rc == 0 && (stat(copy, &st) != 0 || !S_ISDIR(st.st_mode)))
    rc = ENOTDIR;
  free(copy);
  if (rc != 0)
    return tarn_cli_refuse(why,
                           rc == ENOSPC || rc == EDQUOT || rc == EROFS
                               ? CLI_EXIT_NOSPACE
                               : CLI_EXIT_FILE,
                           "%s: make directory: %s", path, strerror(rc));
  return 0;
}

static char *joined(const char *dir, const char *name)
{
  size_t len = strlen(dir), size = len + strlen(name) + 2;
  char *path = malloc(size);

  if (path)
    (void)snprintf(path, size, "%s%s%s", dir,
                   len > 0 && dir[len - 1] == '/' ? "" : "/", name);
  return path;
}

static int path_below(struct cli_targets *t, struct cli_target *item,
                      const char *dir, struct cli_why *why)
{
  char *name = tarn_cli_url_file_name(item->url);
  size_t i;

  if (!name)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "%s: names no file: give -o FILE", item->shown);
  item->path = joined(dir, name);
  free(name);
  if (!item->path)
    return no_memory(why);
  for (i = 0; i < t->n; i++)
    if (&t->items[i] != item && t->items[i].path &&
        strcmp(t->items[i].path, item->path) == 0)
      return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                             "two URLs would be saved as %s", item->path);
  return 0;
}

static int choose_path(struct cli_targets *t, struct cli_target *item,
                       const struct cli_args *args, bool in_directory,
                       struct cli_why *why)
{
  const char *path = args->output ? args->output : args->directory;

  if (args->to_stdout)
    return 0;
  if (in_directory)
    return path_below(t, item, args->output, why);
  item->path = strdup(path ? path : ".");
  return item->path ? 0 : no_memory(why);
}

static int make_one(struct cli_target *item, const char *word,
                    const struct cli_args *args, struct cli_why *why)
{
  bool assumed;
  int rc = tarn_cli_url_check(word, &item->url, &assumed, why);

  if (rc != 0)
    return rc;
  item->shown = tarn_cli_url_shown(item->url);
  if (!item->shown)
    return no_memory(why);
  if (assumed && !args->quiet && tarn_cli_args_human(args))
    tarn_cli_say("no scheme given, taking %s", item->shown);
  return 0;
}

int tarn_cli_targets_make(struct cli_targets *t, char **words, size_t n,
                          const struct cli_args *args, struct cli_why *why)
{
  bool in_directory = args->output && names_directory(args->output);
  size_t i;
  int rc = 0;

  t->n = 0;
  t->items = NULL;
  if (n == 0)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE, "get needs a URL");
  if (n > 1 && args->output && !in_directory)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "several URLs need a directory: -o %s/",
                           args->output);
  if (n > 1 && args->get.digest)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE, "--digest is for one URL");
  t->items = calloc(n, sizeof *t->items);
  if (!t->items)
    return no_memory(why);
  t->n = n;
  for (i = 0; rc == 0 && i < n; i++)
    rc = make_one(&t->items[i], words[i], args, why);
  for (i = 0; rc == 0 && i < n; i++)
    rc = choose_path(t, &t->items[i], args, in_directory, why);
  if (rc == 0 && in_directory)
    rc = make_directory(args->output, why);
  return rc;
}

void tarn_cli_targets_close(struct cli_targets *t)
{
  size_t i;

  for (i = 0; i < t->n; i++) {
    free(t->items[i].url);
    free(t->items[i].shown);
    free(t->items[i].path);
  }
  free(t->items);
  t->items = NULL;
  t->n = 0;
}
