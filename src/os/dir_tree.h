/*
 * The directories of a tree that is being made, as they are on disk: what is
 * to be set on each when all of it is there, and where each hangs.
 *
 * A node is a directory by device and inode, so that two ways to one directory
 * (through a symbolic link) are one node, and what is said last counts. Its
 * path is that of its node's parents, never that of the member.
 *
 *   i = tarn_dir_tree_put(&t, &inode, parent, "name", 4);
 *   tarn_dir_tree_set(&t, i, &meta, NULL);
 *   ... all is made ...
 *   tarn_dir_tree_sort(&t);
 *   while ((i = tarn_dir_tree_next(&t)) != TARN_DIR_NONE)
 *     ... tarn_dir_tree_path(&t, i), tarn_dir_tree_get(&t, i, ...)
 *
 * Memory: 64 bytes at most and the last component for each directory, always,
 * also while it grows and while it is sorted: nodes and names live in chunks
 * that never move. Threads: one at a time; travels with the name lane's item.
 */
#ifndef TARN_OS_DIR_TREE_H
#define TARN_OS_DIR_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "os/inode.h"
#include "os/meta.h"

#define TARN_DIR_NONE UINT32_MAX

struct tarn_dir_node;

/*
 * 1. Every node is in `slots`, found by its device and inode, until the tree
 *    is sorted.
 * 2. A node that is not linked has been removed from disk; nothing is known of
 *    it, its slot waits for the inode to be used again.
 */
struct tarn_dir_tree {
  struct tarn_dir_node **chunks;
  uint32_t n, n_chunks;
  uint32_t *slots; /* index + 1, or 0 */
  uint32_t n_slots;
  char **names;
  uint32_t n_names; /* chunks of names */
  size_t name_at;   /* in the last of them */
  void **extras;
  uint32_t n_extras;
  void (*free_extra)(void *extra);
  uint32_t *order; /* those to be finished, deepest first; set by sort */
  uint32_t n_order, next;
};

/* What is to be done to a directory at the end. */
struct tarn_dir_finish {
  bool set_meta; /* else only the mode is set back: meta.mode */
  struct tarn_inode inode;
  struct tarn_meta meta;
  void *extra; /* lent */
};

/* `free_extra` may be NULL when no extra is ever given. */
void tarn_dir_tree_init(struct tarn_dir_tree *t, void (*free_extra)(void *));
void tarn_dir_tree_free(struct tarn_dir_tree *t);

/* The node of that directory, or TARN_DIR_NONE. */
uint32_t tarn_dir_tree_find(const struct tarn_dir_tree *t,
                            const struct tarn_inode *inode);
/*
 * The node of that directory, known or new, which is `name` (255 bytes at
 * most) in `parent` from now on. The first one put is the root: no parent, no
 * name. TARN_DIR_NONE when memory is out.
 */
uint32_t tarn_dir_tree_put(struct tarn_dir_tree *t,
                           const struct tarn_inode *inode, uint32_t parent,
                           const char *name, size_t len);
/* Metadata to set at the end; replaces what was said before. Takes `extra`,
   also when memory is out: false. */
bool tarn_dir_tree_set(struct tarn_dir_tree *t, uint32_t i,
                       const struct tarn_meta *meta, void *extra);
/* A mode to be set back at the end, unless metadata is set. The first one
   counts. */
void tarn_dir_tree_keep_mode(struct tarn_dir_tree *t, uint32_t i, mode_t mode);
/* That directory has been removed; what was to be set on it is forgotten. */
void tarn_dir_tree_forget(struct tarn_dir_tree *t,
                          const struct tarn_inode *inode);

/* No more puts. False when memory is out. */
bool tarn_dir_tree_sort(struct tarn_dir_tree *t);
/* The next that is to be finished, deepest first, or TARN_DIR_NONE. */
uint32_t tarn_dir_tree_next(struct tarn_dir_tree *t);
void tarn_dir_tree_get(const struct tarn_dir_tree *t, uint32_t i,
                       struct tarn_dir_finish *finish);
/* Its path from the root, "" for the root; freed by the caller. NULL with
   errno: ENOMEM, or ELOOP when its parents go in a circle (somebody else moved
   directories about). */
char *tarn_dir_tree_path(const struct tarn_dir_tree *t, uint32_t i);

#endif
