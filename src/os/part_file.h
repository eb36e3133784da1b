/*
 * A file that appears under its name only when it is whole, for workers.
 *
 * Written as NAME.part beside NAME, then fdatasync, rename, fsync of the
 * directory. A symbolic link is resolved first: its target is replaced. What
 * exists and is not a regular file (a device, a FIFO) is opened and written as
 * it is, never renamed over or removed.
 *
 *   tarn_part_file_open(&f, path, &err);     // f.fd
 *   tarn_part_file_commit(&f, sync, &err);   // or
 *   tarn_part_file_abandon(&f);
 *
 * Memory: two paths. Threads: any, one call at a time for one struct.
 */
#ifndef TARN_OS_PART_FILE_H
#define TARN_OS_PART_FILE_H

#include <stdbool.h>

#include "base/err.h"

struct tarn_part_file {
  int fd;       /* -1 when not open */
  char *path;   /* resolved final name */
  char *part;   /* NULL: written in place */
  bool is_fifo; /* `fd` does not block: a stream, not a file */
};

/* tarn_part_file_open: a FIFO that nobody reads yet; try again. */
#define TARN_PART_NO_READER 1

/* 0, TARN_PART_NO_READER, TARN_EFILE, TARN_ENOSPC, TARN_ENOMEM. Another process
   writing the same file is an error: the part is locked. */
int tarn_part_file_open(struct tarn_part_file *f, const char *path,
                        struct tarn_err *err);
/* Makes it appear. Closed afterwards, whatever the result; on an error the
   part is removed. */
int tarn_part_file_commit(struct tarn_part_file *f, bool sync,
                          struct tarn_err *err);
/* Closes and removes the part. Idempotent. */
void tarn_part_file_abandon(struct tarn_part_file *f);

#endif
