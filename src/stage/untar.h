/*
 * Untar: the decoded stream becomes members; bodies are slices of the same
 * slabs, no copy.
 *
 * Memory: what archive/tar_read holds. Threads: the loop's only.
 */
#ifndef TARN_STAGE_UNTAR_H
#define TARN_STAGE_UNTAR_H

#include "stage/members.h"

/* Owns `tree` from success on. NULL when memory is out. */
struct tarn_stage *tarn_untar_new(struct tarn_flow *flow,
                                  const struct tarn_members_options *opts,
                                  struct tarn_tree *tree);

#endif
