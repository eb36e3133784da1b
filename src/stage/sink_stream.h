/*
 * Sink: bytes in order to a descriptor or a file.
 *
 * A descriptor stays the caller's: a pipe or socket is written while it takes
 * bytes and polled when it is full; everything else is written by a worker, so
 * a slow reader or disk stops the job's memory, never the loop. A regular file
 * is written beside its name as NAME.part, synced, and renamed when every byte
 * is proven; what exists and is no regular file is opened and written in
 * order, never renamed over; a symbolic link is followed and its target
 * replaced.
 *
 * Memory: references to the slabs that wait. Threads: the loop's.
 */
#ifndef TARN_STAGE_SINK_STREAM_H
#define TARN_STAGE_SINK_STREAM_H

#include "stage/stage.h"

struct tarn_sink_stream_options {
  int fd;           /* the caller's; or -1 and: */
  const char *path; /* the file to be made; copied */
  bool no_sync;
  bool allow_unproven; /* an end that nothing proves is fine */
};

/* TARN_EFILE, TARN_ENOMEM. A file is opened later, on a worker. */
int tarn_sink_stream_new(struct tarn_stage **stage, struct tarn_flow *flow,
                         const struct tarn_sink_stream_options *opts,
                         struct tarn_err *err);

#endif
