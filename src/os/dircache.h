/*
 * The parents of the names that come next: exact path bytes -> O_PATH
 * descriptor of the directory, for the name lane.
 *
 * A cached lookup costs a hash; safety comes from tarn_beneath_open that fills
 * it. Removing or replacing a directory or a symlink can make a path mean
 * another directory, so it drops the whole cache (tarn_dircache_drop).
 *
 * Memory: at most `max_open` descriptors (two at least), each with its path,
 * and 256 KiB of paths beside the two newest; the least recently used goes
 * first. When the process runs out of descriptors all but one give way.
 * Threads: travels with the name lane's one item.
 */
#ifndef TARN_OS_DIRCACHE_H
#define TARN_OS_DIRCACHE_H

#include <sys/types.h>

#include "base/err.h"
#include "os/beneath.h"
#include "os/inode.h"

struct tarn_dircache;

/* NULL when memory is out. `b` is lent. */
struct tarn_dircache *tarn_dircache_new(struct tarn_beneath *b,
                                        unsigned max_open);
void tarn_dircache_free(struct tarn_dircache *c); /* NULL is fine */

/*
 * The directory of `len` bytes at `path` (no trailing slash; "" is the root):
 * a descriptor lent until the next call but one, or -errno. With `make_mode`
 * not 0, missing directories are made with that mode (the caller has applied
 * the umask), one component after another, each beneath the root; *made (may be
 * NULL) counts them. A component that exists and is not a directory nor a
 * symlink to one beneath: -ENOTDIR;
 * a link that leaves: -EXDEV; too many links: -ELOOP.
 */
int tarn_dircache_get(struct tarn_dircache *c, const char *path, size_t len,
                      mode_t make_mode, unsigned *made);
/* Which directory that is, from the cache once it has been asked for: 0 or
   -errno. Nothing is made. */
int tarn_dircache_inode(struct tarn_dircache *c, const char *path, size_t len,
                        struct tarn_inode *inode);
/* Forgets everything. */
void tarn_dircache_drop(struct tarn_dircache *c);

#endif
