/*
 * Metadata by descriptor, for workers: attributes, owner, mode, access control
 * lists, capabilities, times. The order is not free: owner and mode may take
 * away the right to write attributes, chown clears setuid bits and
 * capabilities, a list has the mode's group bits. setuid, setgid and
 * capabilities are restored only if no chown failed.
 *
 * Memory: none. Threads: any.
 */
#ifndef TARN_OS_META_H
#define TARN_OS_META_H

#include <stdbool.h>
#include <sys/types.h>

#include "archive/entry.h"
#include "base/err.h"
#include "os/xattr.h"

/* What is to be restored; ids are numbers already (os/owner.h). */
struct tarn_meta {
  bool set_owner, set_times;
  uid_t uid;
  gid_t gid;
  mode_t mode; /* 07777, umask applied already when that is wanted */
  struct tarn_time mtime;
  struct tarn_xattrs *xattrs; /* or NULL */
};

/*
 * Each applies all it can and returns 0, or -errno of the first failure with
 * *what set to a word: "owner", "mode", "times", or the
 * name of an attribute, lent by m->xattrs. An id of -1, which
 * chown takes for "leave it", is -EOVERFLOW.
 */
int tarn_meta_apply_fd(int fd, const struct tarn_meta *m, const char **what);
/*
 * The same for `name` in directory `dirfd`, never following it: for symlinks
 * (`is_symlink`: owner and times only) and for device nodes and FIFOs, whose
 * mode is set through an O_PATH descriptor in /proc/self/fd.
 */
int tarn_meta_apply_at(int dirfd, const char *name, bool is_symlink,
                       const struct tarn_meta *m, const char **what);
/*
 * What is done to a directory before others are made in it: its plain
 * attributes, which are not worth keeping; and if it is to have a default list
 * in the end, it has none until then, for others would inherit it.
 */
int tarn_meta_begin_dir_at(int dirfd, const char *name,
                           const struct tarn_meta *m, const char **what);
/*
 * The mode of what an O_PATH descriptor refers to, which fchmod refuses; by
 * /proc/self/fd. 0 or -errno.
 */
int tarn_meta_chmod(int fd, mode_t mode);

#endif
