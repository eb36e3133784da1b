/*
 * A hard link that brings content (POSIX pax, -o linkdata; archives converted
 * from cpio, where only the last name of a file has its content): the link is
 * made, and the content goes into the file.
 *
 * That writes into something that is there already, which nothing else does.
 * So it must be a file that this very job has made: not what somebody has laid
 * into the target, a name of a file elsewhere for one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/disk.h"

/* The files made last, by inode; a power of two. */
#define N_MADE 16384u

static struct tarn_inode *slot_of(struct disk_names *n,
                                  const struct tarn_inode *inode)
{
  return &n->made[(inode->ino ^ inode->dev * 31u) & (N_MADE - 1)];
}

void tarn_disk_made_on_worker(struct disk_names *n,
                              const struct tarn_inode *inode)
{
  if (!n->made)
    n->made = calloc(N_MADE, sizeof *n->made);
  if (n->made) /* without memory nothing is known as ours */
    *slot_of(n, inode) = *inode;
}

static bool is_ours(struct disk_names *n, const struct stat *st)
{
  struct tarn_inode inode = tarn_inode_of(st);

  return S_ISREG(st->st_mode) && n->made &&
         tarn_inode_same(slot_of(n, &inode), &inode);
}

/* Owners may not write to a file of mode 0444; it gets its mode back. */
static int open_for_writing(int dir, const char *name)
{
  enum { FLAGS = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK };
  int fd = openat(dir, name, FLAGS), path_fd;

  if (fd >= 0 || errno != EACCES)
    return fd < 0 ? -errno : fd;
  path_fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (path_fd < 0)
    return -errno;
  if (tarn_meta_chmod(path_fd, 0600) == 0)
    fd = openat(dir, name, FLAGS);
  (void)close(path_fd);
  return fd < 0 ? -EACCES : fd;
}

/* A link's header never applies metadata: what the file has is set again, as
   writing takes some of it away. */
static void keep_meta(struct disk_op *op, const struct stat *st)
{
  op->meta.set_owner = op->meta.set_times = true;
  op->meta.uid = st->st_uid;
  op->meta.gid = st->st_gid;
  op->meta.mode = st->st_mode & 07777;
  op->meta.mtime.sec = st->st_mtim.tv_sec;
  op->meta.mtime.nsec = (uint32_t)st->st_mtim.tv_nsec;
}

int tarn_disk_link_open_on_worker(struct disk_names *n, struct disk_op *op)
{
  struct stat st, opened;
  const char *name;
  int rc, dir, fd;

  op->what = "link";
  /* Whoever writes to the file now must have finished. */
  if (n->in_flight > 0 && !op->settled)
    return -EBUSY;
  rc = tarn_place_link(&n->place, op->path, op->target, true);
  if (rc < 0)
    return rc;
  op->what = "content of a hard link to what this archive has not made";
  dir = tarn_place_parent(&n->place, op->path, &name);
  if (dir < 0)
    return dir;
  if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
    return -errno;
  if (!is_ours(n, &st))
    return -EPERM;
  op->what = "content of a hard link";
  fd = open_for_writing(dir, name);
  if (fd < 0)
    return fd;
  if (fstat(fd, &opened) < 0 || !is_ours(n, &opened) ||
      opened.st_ino != st.st_ino) {
    (void)close(fd);
    return -EPERM;
  }
  keep_meta(op, &st);
  op->inode = tarn_inode_of(&opened);
  return fd;
}
