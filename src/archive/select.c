#include "archive/select.h"

#include <stdlib.h>

#include "archive/glob.h"

struct list {
  struct tarn_glob *globs;
  size_t n;
};

struct tarn_select {
  struct list include, exclude;
};

static int fill(struct list *list, const char *const *patterns, size_t n,
                struct tarn_err *err)
{
  int rc = 0;

  if (!n)
    return 0;
  list->globs = calloc(n, sizeof *list->globs);
  if (!list->globs)
    return tarn_err_nomem(err, "patterns");
  while (rc == 0 && list->n < n) {
    rc = tarn_glob_init(&list->globs[list->n], patterns[list->n], err);
    if (rc == 0)
      list->n++;
  }
  return rc;
}

static void empty(struct list *list)
{
  while (list->n > 0)
    tarn_glob_close(&list->globs[--list->n]);
  free(list->globs);
}

static bool any_matches(const struct list *list, const char *path, size_t len)
{
  size_t i;

  for (i = 0; i < list->n; i++)
    if (tarn_glob_matches(&list->globs[i], path, len))
      return true;
  return false;
}

int tarn_select_new(struct tarn_select **select,
                    const struct tarn_select_patterns *patterns,
                    struct tarn_err *err)
{
  struct tarn_select *s;
  int rc;

  *select = NULL;
  if (!patterns->n_include && !patterns->n_exclude)
    return 0;
  s = calloc(1, sizeof *s);
  if (!s)
    return tarn_err_nomem(err, "patterns");
  rc = fill(&s->include, patterns->include, patterns->n_include, err);
  if (rc == 0)
    rc = fill(&s->exclude, patterns->exclude, patterns->n_exclude, err);
  if (rc < 0) {
    tarn_select_free(s);
    return rc;
  }
  *select = s;
  return 0;
}

void tarn_select_free(struct tarn_select *select)
{
  if (!select)
    return;
  empty(&select->include);
  empty(&select->exclude);
  free(select);
}

bool tarn_select_takes(const struct tarn_select *select, const char *path,
                       size_t len)
{
  if (!select)
    return true;
  if (select->include.n && !any_matches(&select->include, path, len))
    return false;
  return !any_matches(&select->exclude, path, len);
}
