/*
 * The walk: an open beneath a directory for kernels without openat2, and for
 * paths longer than one system call takes.
 *
 * Resolves a path component by component with O_NOFOLLOW, so the kernel never
 * follows a link for it; links are read and resolved here, on a stack of
 * descriptors. ".." pops the stack and refuses to pop the root. Same results
 * as openat2 with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS.
 *
 * Memory: at most 32 descriptors at once, one buffer for what is left of the
 * path, 24 bytes a level; all given back before the call returns.
 * Threads: any; nothing is shared.
 */
#ifndef TARN_OS_WALK_H
#define TARN_OS_WALK_H

/*
 * `path` relative to `root` with the `flags` of open(2), O_CLOEXEC is added.
 * A descriptor or -errno: -EXDEV when the path leaves the root, -ELOOP for
 * more than 40 links, -EAGAIN when directories kept moving while it looked,
 * -ENOMEM.
 */
int tarn_walk_open(int root, const char *path, int flags);

#endif
