/*
 * Unpack: tells by the first bytes of the decoded stream which archive it is,
 * and puts untar or unfa1 between itself and the tree.
 *
 *   stage = tarn_unpack_new(flow, &opts, tree);
 *
 * What is too short to be told is left to untar, which says what it looks like.
 * An FA1 archive needs the CRC-64 of a library; a build without it ends the
 * flow with TARN_ENOTSUP before the tree has heard of anything.
 *
 * Memory: the reader's. Threads: the loop's only.
 */
#ifndef TARN_STAGE_UNPACK_H
#define TARN_STAGE_UNPACK_H

#include "stage/members.h"

/* Owns `tree` from success on. NULL when memory is out. */
struct tarn_stage *tarn_unpack_new(struct tarn_flow *flow,
                                   const struct tarn_members_options *opts,
                                   struct tarn_tree *tree);

#endif
