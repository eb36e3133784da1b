/*
 * A tree that appears whole or not at all: it is made in a hidden directory
 * beside its final name, and renamed when all of it is there.
 *
 *   rc = tarn_work_tree_open(&w, "/srv/NAME", 0755, &err);  //
 * /srv/.NAME.tarn-XXXXXX
 *   ... fill w.dir ...
 *   rc = tarn_work_tree_commit(&w, true, &err);       // or tarn_work_tree_drop
 *
 * The final name must be absent or an empty directory, no symbolic link and no
 * mount point. The work tree is locked (flock(2)) as long as it is open: those
 * of the same name that nobody holds are what killed runs have left, and are
 * removed by the next open.
 *
 * Memory: the two names; removing needs no more for any depth. Threads: any,
 * one call at a time; every call may block for long.
 */
#ifndef TARN_OS_WORK_TREE_H
#define TARN_OS_WORK_TREE_H

#include <stdbool.h>

#include <sys/types.h>

#include "base/err.h"

struct tarn_work_tree {
  int parent; /* -1 when not open */
  int dir;    /* the work tree: lent to whoever fills it */
  char *name; /* last component of the target */
  char *work; /* and of the work tree */
};

/*
 * Makes missing directories above the target. The tree gets mode `mode`, or
 * that and the owner of the directory it will replace. 0, TARN_EINVAL for a
 * target that cannot be replaced by a rename (*err says why), TARN_EFILE,
 * TARN_ENOSPC, TARN_ENOMEM; then there is nothing to drop.
 */
int tarn_work_tree_open(struct tarn_work_tree *w, const char *target,
                        mode_t mode, struct tarn_err *err);
/*
 * Gives it its name, with `sync` behind syncfs(2) and before fsync(2) of the
 * directory above. 0 and w is closed, or an error: then it is to be dropped.
 */
int tarn_work_tree_commit(struct tarn_work_tree *w, bool sync,
                          struct tarn_err *err);
/* Removes all of it. Idempotent, also after a commit. */
void tarn_work_tree_drop(struct tarn_work_tree *w);

#endif
