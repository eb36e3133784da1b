#include "os/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_LINKS 40

static void forget(struct tarn_part_file *f)
{
  free(f->path);
  free(f->part);
  f->path = f->part = NULL;
  f->fd = -1;
}

/* The target of link `path`, relative to the link's directory. */
static char *link_target(const char *path, const struct stat *st)
{
  const char *slash = strrchr(path, '/');
  size_t dir = slash ? (size_t)(slash - path) + 1 : 0;
  size_t cap = (size_t)st->st_size + 4096;
  char *out = malloc(dir + cap + 1);
  ssize_t n;

  if (!out)
    return NULL;
  n = readlink(path, out + dir, cap);
  if (n < 0) {
    free(out);
    return NULL;
  }
  out[dir + (size_t)n] = '\0';
  if (out[dir] == '/')
    memmove(out, out + dir, (size_t)n + 1);
  else
    memcpy(out, path, dir);
  return out;
}

/* A link of the kernel's, such as what /dev/stdout leads to: an open file, not
   a name that can be replaced. */
static bool is_magic(const char *path)
{
  return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

/* Follows links to the last name, which need not exist. *in_place: what it
   names is written, not replaced. */
static int resolve(struct tarn_part_file *f, struct stat *st, bool *exists,
                   bool *in_place, struct tarn_err *err)
{
  int links;

  *in_place = stat(f->path, st) == 0 && !S_ISREG(st->st_mode);
  if (*in_place) {
    *exists = true;
    return 0;
  }

  for (links = 0; links < MAX_LINKS; links++) {
    char *next;

    *exists = lstat(f->path, st) == 0;
    if (!*exists && errno != ENOENT)
      return tarn_err_sys(err, TARN_EFILE, errno, "%s", f->path);
    if (!*exists || !S_ISLNK(st->st_mode))
      return 0;
    *in_place = is_magic(f->path);
    if (*in_place)
      return stat(f->path, st) == 0
                 ? 0
                 : tarn_err_sys(err, TARN_EFILE, errno, "%s", f->path);
    next = link_target(f->path, st);
    if (!next)
      return tarn_err_nomem(err, f->path);
    free(f->path);
    f->path = next;
  }
  return tarn_err_sys(err, TARN_EFILE, ELOOP, "%s", f->path);
}

/* The open of a FIFO would wait for a reader, and nobody could end the wait. */
static int open_in_place(struct tarn_part_file *f, const struct stat *st,
                         struct tarn_err *err)
{
  f->is_fifo = S_ISFIFO(st->st_mode);
  f->fd = open(f->path,
               O_WRONLY | O_CLOEXEC | O_NOCTTY | (f->is_fifo ? O_NONBLOCK : 0));
  if (f->fd < 0 && f->is_fifo && errno == ENXIO)
    return TARN_PART_NO_READER;
  if (f->fd < 0)
    return tarn_err_sys(err, TARN_EFILE, errno, "%s: open", f->path);
  return 0;
}

/* True when the locked file still has the name it was opened by. */
static bool is_ours(const struct tarn_part_file *f)
{
  struct stat own, named;

  return fstat(f->fd, &own) == 0 && lstat(f->part, &named) == 0 &&
         own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

static int open_part(struct tarn_part_file *f, const struct stat *st,
                     bool exists, struct tarn_err *err)
{
  size_t len = strlen(f->path);

  f->part = malloc(len + sizeof ".part");
  if (!f->part)
    return tarn_err_nomem(err, f->path);
  memcpy(f->part, f->path, len);
  memcpy(f->part + len, ".part", sizeof ".part");
  f->fd = open(f->part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (f->fd < 0)
    return tarn_err_sys(err, TARN_EFILE, errno, "%s: open", f->part);
  if (flock(f->fd, LOCK_EX | LOCK_NB) != 0) {
    (void)tarn_err_set(err, TARN_EFILE, "%s is being written by another run",
                       f->part);
    (void)close(f->fd); /* and not ours to remove */
    f->fd = -1;
    return TARN_EFILE;
  }
  if (!is_ours(f)) { /* the other run was done between our open and lock */
    (void)tarn_err_set(err, TARN_EFILE, "%s was finished by another run",
                       f->part);
    (void)close(f->fd);
    f->fd = -1;
    return TARN_EFILE;
  }
  if (ftruncate(f->fd, 0) != 0)
    return tarn_err_sys(err, TARN_EFILE, errno, "%s: truncate", f->part);
  /* The replaced file's permissions stay. */
  if (exists)
    (void)fchmod(f->fd, st->st_mode & 07777);
  return 0;
}

int tarn_part_file_open(struct tarn_part_file *f, const char *path,
                        struct tarn_err *err)
{
  struct stat st;
  bool exists = false, in_place = false;
  int rc;

  f->fd = -1;
  f->part = NULL;
  f->is_fifo = false;
  f->path = strdup(path);
  if (!f->path)
    return tarn_err_nomem(err, path);
  rc = resolve(f, &st, &exists, &in_place, err);
  if (rc == 0 && exists && S_ISDIR(st.st_mode))
    rc = tarn_err_sys(err, TARN_EFILE, EISDIR, "%s", path);
  if (rc == 0)
    rc = in_place ? open_in_place(f, &st, err) : open_part(f, &st, exists, err);
  if (rc)
    tarn_part_file_abandon(f);
  return rc;
}

/* fsync of the directory: the rename itself must survive. */
static int sync_parent(const char *path, struct tarn_err *err)
{
  const char *slash = strrchr(path, '/');
  char *dir = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path))
                    : strdup(".");
  int fd, rc = 0;

  if (!dir)
    return tarn_err_nomem(err, path);
  fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL))
    rc = tarn_err_sys(err, TARN_EFILE, errno, "%s: sync", dir);
  if (fd >= 0)
    (void)close(fd);
  free(dir);
  return rc;
}

int tarn_part_file_commit(struct tarn_part_file *f, bool sync,
                          struct tarn_err *err)
{
  int rc = 0;

  if (!f->part) {
    if (close(f->fd) != 0 && errno != EINTR)
      rc = tarn_err_sys(err, TARN_EFILE, errno, "%s: close", f->path);
    forget(f);
    return rc;
  }
  if (sync && fdatasync(f->fd) != 0)
    rc = tarn_err_sys(err, TARN_EFILE, errno, "%s: sync", f->part);
  else if (rename(f->part, f->path) != 0)
    rc = tarn_err_sys(err, TARN_EFILE, errno, "%s: rename", f->path);
  else if (sync)
    rc = sync_parent(f->path, err);
  if (rc) {
    tarn_part_file_abandon(f);
    return rc;
  }
  if (close(f->fd) != 0 && errno != EINTR)
    rc = tarn_err_sys(err, TARN_EFILE, errno, "%s: close", f->path);
  forget(f);
  return rc;
}

void tarn_part_file_abandon(struct tarn_part_file *f)
{
  if (f->fd >= 0 && f->part)
    (void)unlink(f->part);
  if (f->fd >= 0)
    (void)close(f->fd);
  forget(f);
}
