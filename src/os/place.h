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
#include "os/dircache.h"

struct tarn_place {
  struct tarn_beneath beneath;
  struct tarn_dircache *dirs;
  mode_t umask;
};

/* What a name was made as: for finding out later that it still is. */
struct tarn_inode {
  dev_t dev;
  ino_t ino;
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
 * A directory, mode 0700 when new; an existing one stays and *existed is set.
 * A symlink in its place is replaced. An existing directory that a user cannot
 * enter gets u+rwx for the while. *inode tells which directory it is.
 */
int tarn_place_dir(struct tarn_place *p, const char *path, bool *existed,
                   struct tarn_inode *inode);
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
/* Removes the name only if it still is `inode`; 0, -ESTALE when it is another
   or there is none. */
int tarn_place_remove(struct tarn_place *p, const char *path,
                      const struct tarn_inode *inode);

#endif
