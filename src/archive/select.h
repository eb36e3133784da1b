/*
 * Which members are wanted: patterns that take members or leave them out, as
 * archive/glob.h defines them.
 *
 *   rc = tarn_select_new(&select, &patterns, &err);
 *   if (tarn_select_takes(select, entry->path, entry->path_len))
 *     ...
 *
 * Memory: the patterns are compiled, so those given may go. Threads: any may
 * ask.
 */
#ifndef TARN_ARCHIVE_SELECT_H
#define TARN_ARCHIVE_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct tarn_select;

struct tarn_select_patterns {
  const char *const *include; /* none: every member is wanted */
  size_t n_include;
  const char *const *exclude; /* wins over include */
  size_t n_exclude;
};

/* 0, or TARN_ENOMEM. *select is NULL when there is no pattern. */
int tarn_select_new(struct tarn_select **select,
                    const struct tarn_select_patterns *patterns,
                    struct tarn_err *err);
void tarn_select_free(struct tarn_select *select); /* NULL is fine */

/* Whether the member of this name is wanted. NULL wants all. */
bool tarn_select_takes(const struct tarn_select *select, const char *path,
                       size_t len);

#endif
