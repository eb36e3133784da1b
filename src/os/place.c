#include "os/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "os/meta.h"

enum {
  MAX_OPEN_DIRS = 64,
  NODE_NAME_CAP = 64,
  NODE_NAME_TRIES = 100,
  FILE_FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
};

int tarn_place_open(struct tarn_place *p, int root, bool use_openat2,
                    mode_t umask)
{
  tarn_beneath_init(&p->beneath, root, use_openat2);
  p->umask = umask;
  p->old = TARN_OLD_REPLACE;
  p->keep_dir_symlink = false;
  p->tree = NULL;
  p->dirs = tarn_dircache_new(&p->beneath, MAX_OPEN_DIRS);
  return p->dirs ? 0 : -ENOMEM;
}

void tarn_place_close(struct tarn_place *p)
{
  tarn_dircache_free(p->dirs);
  p->dirs = NULL;
}

static int parent_of(struct tarn_place *p, const char *path, mode_t make_mode,
                     const char **name)
{
  size_t len = strlen(path);
  size_t parent_len = tarn_path_parent_len(path, len);

  *name = parent_len ? path + parent_len + 1 : path;
  return tarn_dircache_get(p->dirs, path, parent_len, make_mode, NULL);
}

int tarn_place_parent(struct tarn_place *p, const char *path, const char **name)
{
  int dir = parent_of(p, path, 0, name);

  if (path[0] == '\0')
    *name = ".";
  return dir;
}

/* The parent of a name that is to be made; the target is there already. */
static int parent_for_new(struct tarn_place *p, const char *path,
                          const char **name)
{
  if (path[0] == '\0')
    return -EISDIR;
  return parent_of(p, path, 0777 & ~p->umask, name);
}

/*
 * Removes what `st` is about. A link or a directory may be part of how a
 * cached path was resolved, so everything cached goes with it; `dir` may be
 * closed then.
 */
static int remove_name(struct tarn_place *p, int dir, const char *name,
                       const struct stat *st)
{
  bool is_dir = S_ISDIR(st->st_mode);
  struct tarn_inode inode = tarn_inode_of(st);

  if (unlinkat(dir, name, is_dir ? AT_REMOVEDIR : 0) < 0)
    return errno == EEXIST ? -ENOTEMPTY : -errno;
  if (is_dir || S_ISLNK(st->st_mode))
    tarn_dircache_drop(p->dirs);
  if (is_dir && p->tree)
    tarn_dir_tree_forget(p->tree, &inode);
  return 0;
}

/* Makes room for another thing of that name. */
static int clear_name(struct tarn_place *p, int dir, const char *name)
{
  struct stat st;

  if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return errno == ENOENT ? 0 : -errno;
  return remove_name(p, dir, name, &st);
}

int tarn_place_clear(struct tarn_place *p, const char *path)
{
  const char *name;
  int dir;

  if (path[0] == '\0')
    return -EISDIR;
  dir = parent_of(p, path, 0, &name);
  if (dir < 0)
    return dir == -ENOENT ? 0 : dir;
  return clear_name(p, dir, name);
}

/* What is to be made: for make_name. */
struct wanted {
  mode_t type;
  mode_t mode;        /* of a node, with its type */
  dev_t dev;          /* of a node */
  const char *target; /* of a symbolic link */
};

static int make_once(int dir, const char *name, const struct wanted *w)
{
  int rc;

  switch (w->type) {
  case S_IFREG:
    rc = openat(dir, name, FILE_FLAGS, 0600);
    break;
  case S_IFLNK:
    rc = symlinkat(w->target, dir, name);
    break;
  default:
    rc = mknodat(dir, name, w->mode, w->dev);
    break;
  }
  return rc < 0 ? -errno : rc;
}

/* Makes the name, in place of what has it: once again after removing that. */
static int make_name(struct tarn_place *p, const char *path,
                     const struct wanted *w)
{
  const char *name;
  int rc, dir = parent_for_new(p, path, &name);

  if (dir < 0)
    return dir;
  rc = make_once(dir, name, w);
  if (rc != -EEXIST)
    return rc;
  rc = clear_name(p, dir, name);
  if (rc < 0)
    return rc;
  dir = parent_for_new(p, path, &name);
  return dir < 0 ? dir : make_once(dir, name, w);
}

int tarn_place_file(struct tarn_place *p, const char *path,
                    struct tarn_inode *inode)
{
  static const struct wanted file = {.type = S_IFREG};
  int fd = make_name(p, path, &file);
  struct stat st;

  if (fd < 0 || !inode)
    return fd;
  if (fstat(fd, &st) < 0) {
    int rc = -errno;

    (void)close(fd);
    return rc;
  }
  *inode = tarn_inode_of(&st);
  return fd;
}

int tarn_place_symlink(struct tarn_place *p, const char *path,
                       const char *target)
{
  struct wanted w = {.type = S_IFLNK, .target = target};

  return make_name(p, path, &w);
}

/*
 * Without privilege mknod fails, and says so only where the name is free. So
 * the node is made beside it first, and what is there goes when it is known
 * that the node is to be had.
 */
static int make_beside(int dir, const struct wanted *w,
                       char name[NODE_NAME_CAP])
{
  int rc = -EEXIST;

  for (unsigned i = 0; i < NODE_NAME_TRIES && rc == -EEXIST; i++) {
    (void)snprintf(name, NODE_NAME_CAP, ".tarn-node-%ld-%u", (long)getpid(), i);
    rc = make_once(dir, name, w);
  }
  return rc;
}

static int replace_by_node(struct tarn_place *p, const char *path,
                           const struct wanted *w)
{
  char beside[NODE_NAME_CAP];
  const char *name;
  int rc, dir = parent_of(p, path, 0, &name);

  if (dir < 0)
    return dir;
  dir = fcntl(dir, F_DUPFD_CLOEXEC, 0); /* clear_name may close it */
  if (dir < 0)
    return -errno;
  rc = make_beside(dir, w, beside);
  if (rc == 0) {
    rc = clear_name(p, dir, name);
    if (rc == 0 && renameat(dir, beside, dir, name) < 0)
      rc = -errno;
    if (rc < 0)
      (void)unlinkat(dir, beside, 0);
  }
  (void)close(dir);
  return rc;
}

int tarn_place_node(struct tarn_place *p, const char *path, mode_t mode,
                    dev_t dev)
{
  struct wanted w = {.type = mode & S_IFMT, .mode = mode, .dev = dev};

  const char *name;
  int rc, dir;

  if (!S_ISCHR(mode) && !S_ISBLK(mode) && !S_ISFIFO(mode))
    return -EINVAL;
  dir = parent_for_new(p, path, &name);
  if (dir < 0)
    return dir;
  rc = make_once(dir, name, &w);
  return rc == -EEXIST ? replace_by_node(p, path, &w) : rc;
}

/*
 * Gives the owner what it takes to fill the directory: 1 when it did. Bits
 * alone do not tell: a capability may stand in for them.
 */
static int make_usable(int fd, struct tarn_place_dir *made)
{
  struct stat st;
  int rc;

  if (fstat(fd, &st) < 0)
    return -errno;
  made->inode = tarn_inode_of(&st);
  made->old_mode = st.st_mode & 07777;
  if ((st.st_mode & 0700) == 0700 || st.st_uid != geteuid())
    return 0;
  if (faccessat(fd, ".", R_OK | W_OK | X_OK, AT_EACCESS) == 0)
    return 0;
  rc = tarn_meta_chmod(fd, made->old_mode | 0700);
  return rc < 0 ? rc : 1;
}

/* -ENOTDIR when the name is no directory. */
static int settle_dir(int dir, const char *name, struct tarn_place_dir *made)
{
  int rc, fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

  if (fd < 0)
    return errno == ELOOP ? -ENOTDIR : -errno;
  rc = make_usable(fd, made);
  made->opened_up = rc > 0;
  (void)close(fd);
  return rc < 0 ? rc : 0;
}

int tarn_place_dir(struct tarn_place *p, const char *path,
                   struct tarn_place_dir *made)
{
  const char *name;
  int rc, dir;

  memset(made, 0, sizeof *made);
  made->existed = path[0] == '\0';
  if (made->existed)
    return settle_dir(p->beneath.root, ".", made);
  for (int tries = 0;; tries++) {
    dir = parent_for_new(p, path, &name);
    if (dir < 0)
      return dir;
    if (mkdirat(dir, name, 0700) == 0)
      return settle_dir(dir, name, made);
    if (errno != EEXIST)
      return -errno;
    rc = settle_dir(dir, name, made);
    if (rc != -ENOTDIR) {
      made->existed = rc == 0;
      return rc;
    }
    if (tries > 0)
      return -EEXIST;
    rc = clear_name(p, dir, name);
    if (rc < 0)
      return rc;
  }
}

int tarn_place_make_way(struct tarn_place *p, const char *path, size_t *next,
                        size_t *len, struct tarn_place_dir *made)
{
  size_t last = tarn_path_parent_len(path, strlen(path));

  memset(made, 0, sizeof *made);
  while (*next <= last) {
    size_t at = *next;
    const char *slash = strchr(path + at + (at > 0), '/');
    int rc, fd = tarn_dircache_get(p->dirs, path, at, 0, NULL);

    if (fd < 0)
      return fd == -ENOENT ? 0 : fd;
    *next = slash ? (size_t)(slash - path) : last + 1;
    *len = at;
    rc = make_usable(fd, made);
    if (rc == 0)
      continue;
    made->existed = made->opened_up = rc > 0;
    return rc;
  }
  return 0;
}

/* 1 when both names are one inode already, 0 when not, or -errno when the
   target cannot be linked: then what has the name is not worth removing. */
static int is_linked(int target_dir, const char *target_name, int dir,
                     const char *name)
{
  struct stat from, to;

  if (fstatat(target_dir, target_name, &from, AT_SYMLINK_NOFOLLOW) < 0)
    return -errno;
  if (fstatat(dir, name, &to, AT_SYMLINK_NOFOLLOW) < 0)
    return errno == ENOENT ? 0 : -errno;
  if (from.st_dev == to.st_dev && from.st_ino == to.st_ino)
    return 1;
  return S_ISDIR(from.st_mode) ? -EPERM : 0;
}

int tarn_place_link(struct tarn_place *p, const char *path, const char *target,
                    bool replace)
{
  const char *name, *target_name;
  int rc, dir, target_dir;

  if (target[0] == '\0')
    return -EPERM;
  for (int tries = 0;; tries++) {
    target_dir = parent_of(p, target, 0, &target_name);
    if (target_dir < 0)
      return target_dir;
    dir = parent_for_new(p, path, &name);
    if (dir < 0)
      return dir;
    if (linkat(target_dir, target_name, dir, name, 0) == 0)
      return 0;
    if (errno != EEXIST || tries > 0)
      return -errno;
    rc = is_linked(target_dir, target_name, dir, name);
    if (rc != 0)
      return rc < 0 ? rc : 0;
    if (!replace)
      return -EEXIST;
    rc = clear_name(p, dir, name);
    if (rc < 0)
      return rc;
  }
}

int tarn_place_remove(struct tarn_place *p, const char *path,
                      const struct tarn_inode *inode)
{
  const char *name;
  struct stat st;
  int dir;

  if (path[0] == '\0')
    return -EISDIR;
  dir = parent_of(p, path, 0, &name);
  if (dir == -ENOENT || dir == -ENOTDIR)
    return -ESTALE;
  if (dir < 0)
    return dir;
  if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return errno == ENOENT ? -ESTALE : -errno;
  if (st.st_dev != inode->dev || st.st_ino != inode->ino)
    return -ESTALE;
  return remove_name(p, dir, name, &st);
}
