/*
 * The files of an FA1 archive that are open: begun and not ended yet.
 *
 *   f = tarn_fa1_files_find(&files, path, len);
 *   if (!f)
 *     f = tarn_fa1_files_add(&files, path, len);
 *   tarn_fa1_files_remove(&files, f);
 *
 * Memory: each file's record and name. Threads: the owner's.
 */
#ifndef TARN_ARCHIVE_FA1_FILES_H
#define TARN_ARCHIVE_FA1_FILES_H

#include "base/list.h"

#include <stdint.h>

enum { TARN_FA1_BUCKETS = 256 };

struct tarn_fa1_file {
  struct tarn_list link; /* in its bucket */
  void *user;            /* the caller's */
  uint64_t at;           /* length so far */
  uint32_t hash;
  bool refused; /* its blocks are skipped */
  size_t path_len;
  char path[];
};

struct tarn_fa1_files {
  struct tarn_list buckets[TARN_FA1_BUCKETS];
  unsigned n;
};

void tarn_fa1_files_init(struct tarn_fa1_files *files);
void tarn_fa1_files_close(struct tarn_fa1_files *files);
struct tarn_fa1_file *tarn_fa1_files_find(const struct tarn_fa1_files *files,
                                          const char *path, size_t len);
/* NULL when memory is out. The name is copied. */
struct tarn_fa1_file *tarn_fa1_files_add(struct tarn_fa1_files *files,
                                         const char *path, size_t len);
/* Frees it. */
void tarn_fa1_files_remove(struct tarn_fa1_files *files,
                           struct tarn_fa1_file *file);
/* Some file that is open; NULL when none is. */
struct tarn_fa1_file *tarn_fa1_files_any(const struct tarn_fa1_files *files);

#endif
