#include "os/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/walk.h"

/* The kernel answers EAGAIN when something was moved while it resolved a "..".
   On a tree that never rests, the walk goes on where this gave up. */
enum { MAX_TRIES = 64 };

void tarn_beneath_init(struct tarn_beneath *b, int root, bool use_openat2)
{
  b->root = root;
  b->use_openat2 = use_openat2;
}

static int try_openat2(int root, const char *path, int flags)
{
  struct open_how how = {
      .flags = (unsigned)(flags | O_CLOEXEC),
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
  };

  for (int i = 0; i < MAX_TRIES; i++) {
    long fd = syscall(SYS_openat2, root, path, &how, sizeof how);

    if (fd >= 0)
      return (int)fd;
    if (errno != EAGAIN && errno != EINTR)
      return -errno;
  }
  return -EAGAIN;
}

int tarn_beneath_open(struct tarn_beneath *b, const char *path, int flags)
{
  int fd, walked;

  if (flags & O_CREAT)
    return -EINVAL;
  if (path[0] == '\0')
    path = ".";
  if (!b->use_openat2)
    return tarn_walk_open(b->root, path, flags);
  fd = try_openat2(b->root, path, flags);
  switch (fd) {
  case -ENAMETOOLONG: /* the whole path, or one component: the walk tells */
  case -EAGAIN:
    return tarn_walk_open(b->root, path, flags);
  case -ENOSYS:
  case -EPERM: /* a sandbox that refuses the call, or a file that does */
    walked = tarn_walk_open(b->root, path, flags);
    if (fd == -ENOSYS || walked != -EPERM)
      b->use_openat2 = false;
    return walked;
  default:
    return fd;
  }
}
