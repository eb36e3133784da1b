/*
 * Sources: where a job's raw bytes come from. A URL (source_http), a
 * descriptor or local file (source_fd), the caller (source_put).
 *
 * A source reserves memory in the input budget before it reads, and gives
 * bytes to a reorder or straight to a stage. Memory, threads: as stages.
 */
#ifndef TARN_STAGE_SOURCE_H
#define TARN_STAGE_SOURCE_H

#include "stage/reorder.h"

struct tarn_source_stage;

struct tarn_source_ops {
  void (*start)(struct tarn_source_stage *source);
  /* Stops at once; holds the flow's closer for what is in flight. */
  void (*close)(struct tarn_source_stage *source);
  void (*free)(struct tarn_source_stage *source);
};

struct tarn_source_stage {
  const struct tarn_source_ops *ops;
};

#endif
