/*
 * Putting names into a tree, one after another: the name lane's work.
 *
 * Each call makes one name beneath the target exactly as extracting entries
 * one after another would, replacing what was there without following or
 * writing through it: files are made with O_CREAT | O_EXCL, on EEXIST the old
 * name is unlinked and the call tried once more; a directory stays where one
 * is wanted; a directory that is not empty in the place of something else is
 * refused; missing parents are made 0777 & ~umask. Paths come in cleaned
 * (tarn_path_clean): relative, no "." or "..", no empty component.
 *
 * All return 0 (or a descriptor) or -errno. Restored metadata is meta.h's.
 * Memory: the directory cache. Threads: travels with the name lane's one item.
 */
#ifndef TARN_OS_PLACE_H
#define TARN_OS_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "os/beneath.h"
#include "os/dir_tree.h"
#include "os/dircache.h"
#include "os/inode.h"

/* What becomes of a name that is taken: os/place_old.c has the table. */
enum tarn_old {
  TARN_OLD_REPLACE = 0,
  TARN_OLD_KEEP, /* the new one fails */
  TARN_OLD_SKIP, /* the new one is left out */
  TARN_OLD_KEEP_NEWER,
  TARN_OLD_UNLINK_FIRST,
  TARN_OLD_COUNT
};

struct tarn_place {
  struct tarn_beneath beneath;
  struct tarn_dircache *dirs;
  mode_t umask;
  /* For the caller to set once it is open. */
  enum tarn_old old;
  bool keep_dir_symlink;
  struct tarn_dir_tree *tree; /* told of each directory that is removed; lent,
                                 may be NULL */
};

/* A directory that is there now. */
struct tarn_place_dir {
  struct tarn_inode inode;
  bool existed;
  bool opened_up;  /* its owner could not use it, and can now: it had */
  mode_t old_mode; /* this mode */
};

/* `root` is lent. 0 or -ENOMEM. */
int tarn_place_open(struct tarn_place *p, int root, bool use_openat2,
                    mode_t umask);
void tarn_place_close(struct tarn_place *p);

/*
 * A regular file: a descriptor open for writing, mode 0600 (the caller
 * restores the real one), O_CLOEXEC | O_NOFOLLOW. *inode (may be NULL) tells
 * what was made.
 */
int tarn_place_file(struct tarn_place *p, const char *path,
                    struct tarn_inode *inode);
/*
 * A directory, mode 0700 when new; an existing one stays. A symlink in its
 * place is replaced. An existing directory of one's own that cannot be used
 * gets u+rwx for the while.
 */
int tarn_place_dir(struct tarn_place *p, const char *path,
                   struct tarn_place_dir *made);
/* A symbolic link with `target` verbatim. */
int tarn_place_symlink(struct tarn_place *p, const char *path,
                       const char *target);
/*
 * A hard link to the name `target` (cleaned), itself beneath the root; a
 * symbolic link is linked, not followed. To itself, and where both names are
 * one inode already: nothing is done, 0. Without `replace` a name that is
 * taken by something else is left alone: -EEXIST.
 */
int tarn_place_link(struct tarn_place *p, const char *path, const char *target,
                    bool replace);
/* A device or FIFO: mode has S_IFCHR, S_IFBLK or S_IFIFO and 0600. */
int tarn_place_node(struct tarn_place *p, const char *path, mode_t mode,
                    dev_t dev);
/*
 * The parent directory's descriptor (O_PATH, lent until the next call) and the
 * last component of `path`, for metadata by descriptor; -errno. *name points
 * into `path`, or is "." for the target itself.
 */
int tarn_place_parent(struct tarn_place *p, const char *path,
                      const char **name);
/*
 * Directories above `path` that are one's own and cannot be used get u+rwx,
 * from the top down: 1 for each that did, *made says which and *len how much
 * of `path` it is; 0 when there is no further one, or -errno. *next is 0 for
 * the first call.
 */
int tarn_place_make_way(struct tarn_place *p, const char *path, size_t *next,
                        size_t *len, struct tarn_place_dir *made);
/* Makes room for another thing of that name: a directory that is not empty is
   -ENOTEMPTY; 0 when there was nothing. */
int tarn_place_clear(struct tarn_place *p, const char *path);
/* Removes the name only if it still is `inode`; 0, -ESTALE when it is another
   or there is none. */
int tarn_place_remove(struct tarn_place *p, const char *path,
                      const struct tarn_inode *inode);

/* ---- os/place_old.c ---- */

/* What is to be made, for tarn_place_judge. */
struct tarn_place_wish {
  const char *path;
  const char *link; /* target of a hard link, else NULL */
  bool is_dir;
  struct tarn_time mtime;
  /* Files whose writers have not closed them: their times are not final, and
     if they fail they are not there. */
  const struct tarn_inode *busy;
  size_t n_busy;
};

enum tarn_place_verdict {
  TARN_PLACE_MAKE = 0, /* go on: the name is free, or gives way */
  TARN_PLACE_LEAVE,    /* what is there stays, and all is well */
  TARN_PLACE_NEWER     /* the same, as it is as new: worth a word */
};

/*
 * Whether what `wish` is about is to be made at all, by p->old and by what has
 * the name. A verdict, or -errno: -EEXIST when the name is taken and must not
 * be, -EAGAIN when that cannot be told before a busy file is closed.
 */
int tarn_place_judge(struct tarn_place *p, const struct tarn_place_wish *wish);

#endif
