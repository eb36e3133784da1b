/*
 * Where the members of an archive go: the interface between untar and whoever
 * makes a tree of them (sink_disk; a listing; a test).
 *
 * Memory: `slab` is the one that held the end of the member's header; a tree
 * that keeps the member for later keeps a reference, so that names in waiting
 * are paid for like bytes. Threads: the loop's only.
 */
#ifndef TARN_STAGE_TREE_H
#define TARN_STAGE_TREE_H

#include "archive/entry.h"
#include "stage/stage.h"

struct tarn_tree;

/* What a tree knows of a member that gets content: the first field of an own
   struct. */
struct tarn_tree_member {
  struct tarn_tree *tree;
};

struct tarn_tree_ops {
  /*
   * A member begins; `entry` is lent for the call. NULL: nobody wants its
   * content. Otherwise finish() must follow, unless the tree is closed before.
   * Several may be open at once (FA1 mixes the blocks of files).
   */
  struct tarn_tree_member *(*entry)(struct tarn_tree *tree,
                                    const struct tarn_entry *entry,
                                    struct tarn_slab *slab);
  /* Bytes at offset `at` of it. Takes ownership. */
  void (*body)(struct tarn_tree *tree, struct tarn_tree_member *member,
               struct tarn_slice slice, uint64_t at);
  /* The member is complete. */
  void (*finish)(struct tarn_tree *tree, struct tarn_tree_member *member);
  /* No more for now: what has gathered may be dispatched. */
  void (*flush)(struct tarn_tree *tree);
  /* No more members; flow->finished follows when all is done. */
  void (*end)(struct tarn_tree *tree);
  void (*close)(struct tarn_tree *tree, bool keep); /* as of a stage */
  void (*free)(struct tarn_tree *tree);
};

struct tarn_tree {
  const struct tarn_tree_ops *ops;
};

#endif
