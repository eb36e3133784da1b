/*
 * A tree that makes nothing: each member is told to the flow's `entry`, its
 * content is passed over. What `tarn list` needs. Where the format tells no
 * size (FA1), a file is told when its content has ended.
 *
 * Memory: an entry and its name for each such file that is open. Threads: the
 * loop's only.
 */
#ifndef TARN_STAGE_SINK_LIST_H
#define TARN_STAGE_SINK_LIST_H

#include "stage/tree.h"

/* NULL when memory is out. */
struct tarn_tree *tarn_sink_list_new(struct tarn_flow *flow);

#endif
