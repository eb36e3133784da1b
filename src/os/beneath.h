/*
 * Opens that stay beneath a directory, for workers.
 *
 * Every path of an archive is resolved relative to a directory descriptor and
 * can never leave it: openat2 with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS
 * where the kernel has it (Linux 5.6), else a walk on a stack of descriptors
 * that resolves symbolic links itself. Links are followed while they stay
 * beneath, refused (EXDEV) when they leave. An absolute link target leaves.
 *
 * Memory: the walk (os/walk.h) holds at most 32 descriptors at once, one path
 * buffer and 24 bytes a level, for as long as one call lasts.
 * Threads: any, one call at a time for one struct.
 */
#ifndef TARN_OS_BENEATH_H
#define TARN_OS_BENEATH_H

#include <stdbool.h>
#include <sys/types.h>

struct tarn_beneath {
  int root;         /* directory descriptor, lent */
  bool use_openat2; /* cleared by itself where the kernel refuses the call */
};

void tarn_beneath_init(struct tarn_beneath *b, int root, bool use_openat2);

/*
 * Opens `path` (relative, no "..", "" or "." is the root itself) with `flags`
 * (O_CLOEXEC is added; O_CREAT is not allowed). Symbolic links in directory
 * components are followed beneath the root; the last component is followed
 * unless flags has O_NOFOLLOW. Paths longer than PATH_MAX work. Returns a
 * descriptor the caller closes, or -errno: -EXDEV when the path leaves, -ELOOP
 * for too many links (40).
 */
int tarn_beneath_open(struct tarn_beneath *b, const char *path, int flags);

#endif
