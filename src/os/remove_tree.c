#include "os/remove_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/meta.h"

/* One pass: what was seen, and the first that went wrong. */
struct pass {
  int top;
  uint64_t next; /* number of the next name to move to */
  bool any;      /* something was removed or moved */
  int rc;
};

static bool is_dot(const char *name)
{
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void note(struct pass *p, int rc)
{
  if (p->rc == 0)
    p->rc = rc;
}

static DIR *open_list(int dir, const char *name)
{
  enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
  int fd = openat(dir, name, FLAGS), path_fd;
  DIR *list;

  if (fd < 0 && errno == EACCES) {
    path_fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (path_fd >= 0) {
      (void)tarn_meta_chmod(path_fd, 0700);
      (void)close(path_fd);
    }
    fd = openat(dir, name, FLAGS);
  }
  if (fd < 0)
    return NULL;
  list = fdopendir(fd);
  if (!list)
    (void)close(fd);
  return list;
}

/* To a name of its own at the top; over an empty directory is fine as well. */
static int move_up(struct pass *p, int dir, const char *name)
{
  char to[64];

  do {
    (void)snprintf(to, sizeof to, ".tarn-%llu", (unsigned long long)p->next++);
    if (renameat(dir, name, p->top, to) == 0)
      return 0;
  } while (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR);
  return -errno;
}

static void empty_dir(struct pass *p, int dir, const char *name)
{
  DIR *list = open_list(dir, name);
  const struct dirent *e;
  struct stat st;
  int fd;

  if (!list) {
    note(p, -errno);
    return;
  }
  fd = dirfd(list);
  /* A directory that may be listed need not let its names go. */
  if (fstat(fd, &st) == 0 && (st.st_mode & 0300) != 0300)
    (void)fchmod(fd, 0700);
  while ((e = readdir(list))) {
    int rc = 0;

    if (is_dot(e->d_name))
      continue;
    if (unlinkat(fd, e->d_name, 0) != 0) {
      rc = -errno;
      if (rc == -EISDIR || rc == -EPERM)
        rc = unlinkat(fd, e->d_name, AT_REMOVEDIR) == 0
                 ? 0
                 : move_up(p, fd, e->d_name);
      /* To move a directory one must be able to write to it. */
      if (rc == -EACCES) {
        DIR *own = open_list(fd, e->d_name);

        if (own) {
          (void)fchmod(dirfd(own), 0700);
          (void)closedir(own);
        }
        rc = move_up(p, fd, e->d_name);
      }
    }
    p->any |= rc == 0;
    if (rc < 0)
      note(p, rc);
  }
  (void)closedir(list);
}

static void remove_one(struct pass *p, int top, const char *name)
{
  if (unlinkat(top, name, 0) == 0) {
    p->any = true;
    return;
  }
  if (errno != EISDIR && errno != EPERM) {
    if (errno != ENOENT) /* moved over meanwhile, by us */
      note(p, -errno);
    return;
  }
  if (unlinkat(top, name, AT_REMOVEDIR) != 0)
    empty_dir(p, top, name);
  if (unlinkat(top, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
    p->any = true;
}

int tarn_remove_all(int top)
{
  struct pass p = {.top = top};
  int failed;

  do {
    DIR *list = open_list(top, ".");
    const struct dirent *e;
    bool empty = true;

    if (!list)
      return -errno;
    p.any = false;
    failed = 0;
    p.rc = 0;
    while ((e = readdir(list))) {
      if (is_dot(e->d_name))
        continue;
      empty = false;
      remove_one(&p, top, e->d_name);
    }
    (void)closedir(list);
    failed = empty ? 0 : p.rc;
    if (empty)
      return 0;
  } while (p.any);
  return failed ? failed : -ENOTEMPTY;
}
