/*
 * Unfa1: the decoded stream of an FA1 archive becomes members, several at a
 * time; bodies are slices of the same slabs, no copy.
 *
 * Memory: what archive/fa1_read holds. Threads: the loop's only.
 */
#ifndef TARN_STAGE_UNFA1_H
#define TARN_STAGE_UNFA1_H

#include "stage/members.h"

/* Owns `tree` from success on. NULL when memory is out. */
struct tarn_stage *tarn_unfa1_new(struct tarn_flow *flow,
                                  const struct tarn_members_options *opts,
                                  struct tarn_tree *tree);

#endif
