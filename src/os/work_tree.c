#include "os/work_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "os/remove_tree.h"

#define MARK       ".tarn-"
#define SUFFIX_LEN 6u
#define TRIES      100

enum { DIR_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static int fail(struct tarn_err *err, int failed, const char *target,
                const char *what)
{
  return tarn_err_sys(err, TARN_EFILE, failed, "%s: %s", target, what);
}

static int refuse(struct tarn_err *err, const char *target, const char *why)
{
  return tarn_err_set(err, TARN_EINVAL,
                      "%s: %s: an atomic extraction needs a name that is "
                      "absent or an empty directory",
                      target, why);
}

/* ---- the target ---- */

/* Makes what is missing above the last component, which begins at `last`. */
static int open_parent(char *path, size_t last)
{
  char kept = path[last];
  size_t i;
  int fd;

  path[last] = '\0';
  for (i = 1; i < last; i++) {
    if (path[i] != '/')
      continue;
    path[i] = '\0';
    (void)mkdir(path, 0777); /* opening says whether it is there */
    path[i] = '/';
  }
  fd = open(last > 0 ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  path[last] = kept;
  return fd < 0 ? -errno : fd;
}

static bool is_empty(int parent, const char *name)
{
  int fd = openat(parent, name, DIR_FLAGS);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  const struct dirent *e;
  int n = 0;

  if (!list) {
    if (fd >= 0)
      (void)close(fd);
    return false;
  }
  while (n < 3 && (e = readdir(list)))
    n++;
  (void)closedir(list);
  return n == 2;
}

static bool is_mount_point(int parent, const char *name)
{
  struct stat above;
  struct statx stx;

  if (statx(parent, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
            STATX_BASIC_STATS, &stx) != 0)
    return false;
  if (stx.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)
    return stx.stx_attributes & STATX_ATTR_MOUNT_ROOT;
  return fstat(parent, &above) == 0 &&
         (stx.stx_dev_major != major(above.st_dev) ||
          stx.stx_dev_minor != minor(above.st_dev));
}

static int judge_target(const struct tarn_work_tree *w, const char *target,
                        struct tarn_err *err)
{
  struct stat st;

  if (fstatat(w->parent, w->name, &st, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? 0 : fail(err, errno, target, "look at");
  if (S_ISLNK(st.st_mode))
    return refuse(err, target, "it is a symbolic link");
  if (!S_ISDIR(st.st_mode))
    return refuse(err, target, "it is not a directory");
  if (is_mount_point(w->parent, w->name))
    return refuse(err, target, "it is a mount point");
  if (!is_empty(w->parent, w->name))
    return refuse(err, target, "it is not empty");
  return 0;
}

/* Cuts the target into the directory above and its name. */
static int open_target(struct tarn_work_tree *w, const char *target,
                       struct tarn_err *err)
{
  size_t len = strlen(target), last;
  char *path = strdup(target);

  if (!path)
    return tarn_err_nomem(err, "target");
  while (len > 1 && path[len - 1] == '/')
    path[--len] = '\0';
  last = len;
  while (last > 0 && path[last - 1] != '/')
    last--;
  w->name = strdup(path + last);
  w->parent = w->name ? open_parent(path, last) : -ENOMEM;
  free(path);
  if (!w->name)
    return tarn_err_nomem(err, "target");
  if (!w->name[0] || strcmp(w->name, ".") == 0 || strcmp(w->name, "..") == 0)
    return refuse(err, target, "it has no name of its own");
  if (w->parent < 0)
    return fail(err, -w->parent, target, "open the directory above");
  return judge_target(w, target, err);
}

/* ---- what others have left ---- */

static bool is_work_of(const char *entry, const char *name)
{
  size_t len = strlen(name), mark = strlen(MARK);

  return entry[0] == '.' && strncmp(entry + 1, name, len) == 0 &&
         strncmp(entry + 1 + len, MARK, mark) == 0 &&
         strlen(entry + 1 + len + mark) == SUFFIX_LEN;
}

/* Ours, a directory, and held by nobody; else it is not touched. */
static void remove_stale(int parent, const char *name)
{
  int fd = openat(parent, name, DIR_FLAGS);
  struct stat st;

  if (fd < 0)
    return;
  if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
      flock(fd, LOCK_EX | LOCK_NB) == 0 && tarn_remove_all(fd) == 0)
    (void)unlinkat(parent, name, AT_REMOVEDIR);
  (void)close(fd);
}

static void remove_all_stale(const struct tarn_work_tree *w)
{
  int fd = openat(w->parent, ".", DIR_FLAGS);
  DIR *list = fd < 0 ? NULL : fdopendir(fd);
  const struct dirent *e;

  if (!list && fd >= 0)
    (void)close(fd);
  while (list && (e = readdir(list)))
    if (is_work_of(e->d_name, w->name))
      remove_stale(w->parent, e->d_name);
  if (list)
    (void)closedir(list);
}

/* ---- the work tree ---- */

static void random_suffix(char *at)
{
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  unsigned char bytes[SUFFIX_LEN] = {0};
  size_t i;

  (void)getrandom(bytes, sizeof bytes, 0);
  for (i = 0; i < SUFFIX_LEN; i++)
    at[i] = letters[bytes[i] % (sizeof letters - 1)];
}

/* Another run may have taken it for stale before it was locked. */
static bool is_still_there(const struct tarn_work_tree *w)
{
  struct stat own, named;

  return fstat(w->dir, &own) == 0 &&
         fstatat(w->parent, w->work, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

static int make_once(struct tarn_work_tree *w)
{
  if (mkdirat(w->parent, w->work, 0700) != 0)
    return -errno;
  w->dir = openat(w->parent, w->work, DIR_FLAGS);
  if (w->dir < 0)
    return errno == ENOENT ? -EEXIST : -errno;
  if (flock(w->dir, LOCK_EX | LOCK_NB) == 0 && is_still_there(w))
    return 0;
  (void)close(w->dir);
  w->dir = -1;
  return -EEXIST;
}

static int make(struct tarn_work_tree *w, const char *target,
                struct tarn_err *err)
{
  size_t cap = strlen(w->name) + strlen(MARK) + SUFFIX_LEN + 2;
  int rc = -EEXIST, tries;

  w->work = malloc(cap);
  if (!w->work)
    return tarn_err_nomem(err, "target");
  (void)snprintf(w->work, cap, ".%s" MARK, w->name);
  w->work[cap - 1] = '\0';
  for (tries = 0; rc == -EEXIST && tries < TRIES; tries++) {
    random_suffix(w->work + cap - 1 - SUFFIX_LEN);
    rc = make_once(w);
  }
  return rc < 0 ? fail(err, -rc, target, "make the work tree beside it") : 0;
}

static void close_all(struct tarn_work_tree *w)
{
  if (w->dir >= 0)
    (void)close(w->dir);
  if (w->parent >= 0)
    (void)close(w->parent);
  free(w->name);
  free(w->work);
  w->dir = w->parent = -1;
  w->name = w->work = NULL;
}

/* As the directory that it will replace, usable for its owner meanwhile. */
static void set_mode(const struct tarn_work_tree *w, mode_t mode)
{
  struct stat st;

  if (fstatat(w->parent, w->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
    mode = st.st_mode & 07777;
    (void)!fchown(w->dir, st.st_uid, st.st_gid); /* only root may always */
  }
  (void)fchmod(w->dir, mode | 0700);
}

int tarn_work_tree_open(struct tarn_work_tree *w, const char *target,
                        mode_t mode, struct tarn_err *err)
{
  int rc;

  w->dir = w->parent = -1;
  w->name = w->work = NULL;
  rc = open_target(w, target, err);
  if (rc == 0) {
    remove_all_stale(w);
    rc = make(w, target, err);
  }
  if (rc == 0)
    set_mode(w, mode);
  else
    close_all(w);
  return rc;
}

int tarn_work_tree_commit(struct tarn_work_tree *w, bool sync,
                          struct tarn_err *err)
{
  if (sync && syncfs(w->dir) != 0)
    return tarn_err_sys(err, TARN_EFILE, errno, "%s: syncfs", w->work);
  /* Over an empty directory it is one step; over all else it fails. */
  if (renameat(w->parent, w->work, w->parent, w->name) != 0)
    return tarn_err_sys(err, TARN_EFILE, errno, "%s: rename to %s", w->work,
                        w->name);
  if (sync && fsync(w->parent) != 0)
    return tarn_err_sys(err, TARN_EFILE, errno, "%s: fsync of the directory",
                        w->name);
  close_all(w);
  return 0;
}

void tarn_work_tree_drop(struct tarn_work_tree *w)
{
  if (w->parent < 0)
    return;
  /* A directory that a member made unusable is usable for its owner again. */
  (void)fchmod(w->dir, 0700);
  if (is_still_there(w) && tarn_remove_all(w->dir) == 0)
    (void)unlinkat(w->parent, w->work, AT_REMOVEDIR);
  close_all(w);
}
