#include "os/meta.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROC_PATH_CAP = 32, PROC_NAME_CAP = PROC_PATH_CAP + NAME_MAX + 1 };

/* The first failure, while the rest is still applied. */
struct outcome {
  int rc;
  const char **what;
};

static void note(struct outcome *o, int rc, const char *what)
{
  if (rc == 0 || o->rc != 0)
    return;
  o->rc = rc;
  *o->what = what;
}

static int result(int sys)
{
  return sys < 0 ? -errno : 0;
}

/* chown takes -1 for "leave it": never what an archive may ask for. */
static bool has_ids(const struct tarn_meta *m)
{
  return m->uid != (uid_t)-1 && m->gid != (gid_t)-1;
}

static mode_t mode_of(const struct tarn_meta *m, int chown_rc)
{
  mode_t mode = m->mode & 07777;

  return m->set_owner && chown_rc == 0 ? mode : mode & ~(mode_t)06000;
}

/* utimensat has two values of tv_nsec that mean something else. */
static int times_of(const struct tarn_meta *m, struct timespec times[2])
{
  if (m->mtime.nsec > 999999999)
    return -EINVAL;
  times[0].tv_sec = 0;
  times[0].tv_nsec = UTIME_OMIT;
  times[1].tv_sec = (time_t)m->mtime.sec;
  times[1].tv_nsec = (long)m->mtime.nsec;
  return 0;
}

static void apply_xattrs(struct outcome *o, const struct tarn_xattr_place *p,
                         const struct tarn_meta *m, enum tarn_xattr_step step)
{
  const char *name = NULL;

  int rc = tarn_xattrs_apply(p, m->xattrs, step, &name);

  note(o, rc, name);
}

/* What a chown that failed would give to somebody else is left out. */
static void apply_late_xattrs(struct outcome *o,
                              const struct tarn_xattr_place *p,
                              const struct tarn_meta *m, int chown_rc)
{
  apply_xattrs(o, p, m, TARN_XATTR_LISTS);
  if (chown_rc == 0)
    apply_xattrs(o, p, m, TARN_XATTR_CAPABILITIES);
}

static void proc_path(int fd, char path[PROC_PATH_CAP])
{
  (void)snprintf(path, PROC_PATH_CAP, "/proc/self/fd/%d", fd);
}

int tarn_meta_chmod(int fd, mode_t mode)
{
  char path[PROC_PATH_CAP];

  proc_path(fd, path);
  return result(chmod(path, mode));
}

int tarn_meta_apply_fd(int fd, const struct tarn_meta *m, const char **what)
{
  struct tarn_xattr_place place = {.fd = fd};
  struct outcome o = {.what = what};
  struct timespec times[2];
  int rc = 0;

  apply_xattrs(&o, &place, m, TARN_XATTR_PLAIN);
  if (m->set_owner) {
    rc = has_ids(m) ? result(fchown(fd, m->uid, m->gid)) : -EOVERFLOW;
    note(&o, rc, "owner");
  }
  note(&o, result(fchmod(fd, mode_of(m, rc))), "mode");
  apply_late_xattrs(&o, &place, m, rc);
  if (m->set_times) {
    rc = times_of(m, times);
    note(&o, rc < 0 ? rc : result(futimens(fd, times)), "times");
  }
  return o.rc;
}

static void proc_path_of(int dirfd, const char *name, char path[PROC_NAME_CAP])
{
  (void)snprintf(path, PROC_NAME_CAP, "/proc/self/fd/%d/%s", dirfd, name);
}

int tarn_meta_begin_dir_at(int dirfd, const char *name,
                           const struct tarn_meta *m, const char **what)
{
  char path[PROC_NAME_CAP];
  struct tarn_xattr_place place = {.fd = -1, .path = path};

  proc_path_of(dirfd, name, path);
  tarn_xattrs_clear_default(&place, m->xattrs);
  return tarn_xattrs_apply(&place, m->xattrs, TARN_XATTR_PLAIN, what);
}

static int apply_symlink(int dirfd, const char *name, const struct tarn_meta *m,
                         const char **what)
{
  char path[PROC_NAME_CAP];
  struct tarn_xattr_place place = {.fd = -1, .path = path};
  struct outcome o = {.what = what};
  struct timespec times[2];
  int rc = 0;

  proc_path_of(dirfd, name, path);
  apply_xattrs(&o, &place, m, TARN_XATTR_PLAIN);
  if (m->set_owner) {
    rc =
        has_ids(m)
            ? result(fchownat(dirfd, name, m->uid, m->gid, AT_SYMLINK_NOFOLLOW))
            : -EOVERFLOW;
    note(&o, rc, "owner");
  }
  apply_late_xattrs(&o, &place, m, rc);
  if (m->set_times) {
    rc = times_of(m, times);
    if (rc == 0)
      rc = result(utimensat(dirfd, name, times, AT_SYMLINK_NOFOLLOW));
    note(&o, rc, "times");
  }
  return o.rc;
}

/* By an O_PATH descriptor: to open a device or FIFO could block or act. */
static int apply_path_fd(int fd, const struct tarn_meta *m, const char **what)
{
  char path[PROC_PATH_CAP];
  struct tarn_xattr_place place = {.fd = -1, .path = path, .follow = true};
  struct outcome o = {.what = what};
  struct timespec times[2];
  int rc = 0;

  proc_path(fd, path);
  apply_xattrs(&o, &place, m, TARN_XATTR_PLAIN);
  if (m->set_owner) {
    rc = has_ids(m) ? result(fchownat(fd, "", m->uid, m->gid, AT_EMPTY_PATH))
                    : -EOVERFLOW;
    note(&o, rc, "owner");
  }
  note(&o, tarn_meta_chmod(fd, mode_of(m, rc)), "mode");
  apply_late_xattrs(&o, &place, m, rc);
  if (m->set_times) {
    rc = times_of(m, times);
    if (rc == 0)
      rc = result(utimensat(AT_FDCWD, path, times, 0));
    note(&o, rc, "times");
  }
  return o.rc;
}

int tarn_meta_apply_at(int dirfd, const char *name, bool is_symlink,
                       const struct tarn_meta *m, const char **what)
{
  struct stat st;
  int fd, rc;

  if (is_symlink)
    return apply_symlink(dirfd, name, m, what);
  fd = openat(dirfd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st) < 0) {
    rc = -errno;
    *what = m->set_owner ? "owner" : "mode";
  } else if (S_ISLNK(st.st_mode)) {
    rc = -ELOOP;
    *what = m->set_owner ? "owner" : "mode";
  } else {
    rc = apply_path_fd(fd, m, what);
  }
  if (fd >= 0)
    (void)close(fd);
  return rc;
}
