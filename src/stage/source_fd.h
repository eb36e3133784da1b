/*
 * Source: a descriptor, read in order, or a local file.
 *
 * Files are read by a worker, ahead of need up to the budget; pipes and
 * sockets when they are readable. The end of a regular file proves its length;
 * the end of a pipe proves nothing, as a writer may have died.
 */
#ifndef TARN_STAGE_SOURCE_FD_H
#define TARN_STAGE_SOURCE_FD_H

#include "stage/source.h"

/* `path`: opened on a worker, copied; NULL: `fd`, which stays the caller's.
   TARN_EFILE, TARN_ENOMEM. */
int tarn_source_fd_new(struct tarn_source_stage **source,
                       struct tarn_flow *flow, struct tarn_reorder *reorder,
                       int fd, const char *path, struct tarn_err *err);

#endif
