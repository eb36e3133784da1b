/*
 * Sink: a directory. Names in order on one lane, bodies by several writers.
 *
 * The result is that of extracting one entry after another, whatever the
 * timing: mkdir, open, symlink, link and unlink run in archive order on one
 * lane that hands open descriptors to the writers; only work on descriptors
 * runs in any order. Small files are gathered into one item; large ones are
 * written in pieces by several writers. Directories are 0700 until the end and
 * finished deepest first.
 *
 *   tree = tarn_sink_disk_new(flow, &opts, &err);
 *   stage = tarn_untar_new(flow, &untar, tree);
 *
 * Memory: an entry in waiting holds the slab its header came in, so names are
 * bounded by the budget; a directory keeps its path until the end.
 * Descriptors: reserved on the loop before an open is dispatched; when the
 * process runs out, it waits for its own to be closed. Threads: the loop's.
 */
#ifndef TARN_STAGE_SINK_DISK_H
#define TARN_STAGE_SINK_DISK_H

#include "os/place.h"
#include "stage/tree.h"

struct tarn_disk_options {
  const char *path; /* copied; made when missing */
  unsigned strip;
  unsigned writers;
  bool same_owner, same_permissions, numeric_owner, no_mtime, ignore_nodes;
  bool no_openat2;
  bool atomic, no_sync; /* a work tree beside the target becomes it at the
                           end; without a sync */
  enum tarn_old old;    /* what becomes of names that are taken */
  bool keep_dir_symlink;
  bool no_xattrs;
  const struct tarn_select *xattrs_include; /* lent for the sink's life */
  bool ignore_perms; /* modes as the umask gives to new files */
  /* Owners, as in struct tarn_get_options; copied, checked by the caller. With
     a map owners are numbers. */
  const char *chown, *uid_map, *gid_map;
  mode_t umask;
};

/* NULL when memory is out. */
struct tarn_tree *tarn_sink_disk_new(struct tarn_flow *flow,
                                     const struct tarn_disk_options *opts);

#endif
