/*
 * A shell pattern for names of members, judged as GNU tar judges --exclude by
 * default: it may begin at any component of the name, its * and ? match
 * slashes too, and what it matches stands for all beneath.
 *
 *   rc = tarn_glob_init(&glob, "*.o", &err);
 *   if (tarn_glob_matches(&glob, path, len))
 *     ...
 *   tarn_glob_close(&glob);
 *
 * Names are judged as they are in the archive: "./a" has the components "."
 * and "a"; slashes at the end do not count. Everything is bytes, in no locale:
 * letter case counts, ? is one byte, and the classes and ranges of brackets
 * are those of the POSIX locale (POSIX.1-2008, XCU 2.13). A bracket that is
 * not closed stands for itself; a backslash at the end and a class that nobody
 * knows match nothing, and so does an empty pattern.
 *
 * Memory: the pattern is compiled, so the text may go; about 8 bytes for each
 * of its own. Matching needs none, and time no worse than the length of the
 * name times that of the pattern. Threads: any may match.
 */
#ifndef TARN_ARCHIVE_GLOB_H
#define TARN_ARCHIVE_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tarn_glob_set;

struct tarn_glob {
  uint32_t *tokens;
  size_t n_tokens;
  struct tarn_glob_set *sets;
  size_t n_sets;
  size_t n_head; /* tokens before the first star */
};

/* 0, or TARN_ENOMEM; then there is nothing to close. */
int tarn_glob_init(struct tarn_glob *glob, const char *pattern,
                   struct tarn_err *err);
void tarn_glob_close(struct tarn_glob *glob);

bool tarn_glob_matches(const struct tarn_glob *glob, const char *name,
                       size_t len);

#endif
