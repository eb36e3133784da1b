#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/disk.h"

/* Directories in one item. */
#define DIRS_AT_ONCE 1024u

static unsigned depth_of(const char *path)
{
  unsigned depth = path[0] ? 1 : 0;

  for (; *path; path++)
    depth += *path == '/';
  return depth;
}

bool tarn_disk_dirs_put(struct disk_dirs *dirs, struct disk_op *op)
{
  struct disk_dir *d;

  if (dirs->n == dirs->cap) {
    size_t cap = dirs->cap ? dirs->cap * 2 : 64;
    struct disk_dir *grown = realloc(dirs->dirs, cap * sizeof *grown);

    if (!grown)
      return false;
    dirs->dirs = grown;
    dirs->cap = cap;
  }
  d = &dirs->dirs[dirs->n++];
  d->order = dirs->n;
  d->inode = op->inode;
  d->meta = op->meta;
  d->depth = depth_of(op->path);
  d->path = op->path;
  op->path = NULL;
  return true;
}

void tarn_disk_dirs_free(struct disk_dirs *dirs)
{
  size_t i;

  for (i = 0; i < dirs->n; i++)
    free(dirs->dirs[i].path);
  free(dirs->dirs);
  dirs->dirs = NULL;
  dirs->n = dirs->cap = 0;
}

/* Deepest first; among equals in archive order, so that the last one wins. */
static int compare(const void *a, const void *b)
{
  const struct disk_dir *x = a, *y = b;

  if (x->depth != y->depth)
    return x->depth > y->depth ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

static int finish_dir_on_worker(struct disk_names *n, struct disk_dir *d,
                                const char **what)
{
  struct stat st;
  int rc, fd;

  *what = "open directory";
  fd = tarn_beneath_open(&n->place.beneath, d->path,
                         O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP || fd == -EXDEV)
    return 0; /* replaced by a later member: nothing to restore */
  if (fd < 0)
    return fd;
  if (fstat(fd, &st) != 0)
    rc = -errno;
  else if (st.st_dev != d->inode.dev || st.st_ino != d->inode.ino)
    rc = 0;
  else
    rc = tarn_meta_apply_fd(fd, &d->meta, what);
  (void)close(fd);
  return rc;
}

void tarn_disk_dirs_on_worker(struct tarn_item *item)
{
  struct disk_dirs *dirs = TARN_CONTAINER(item, struct disk_dirs, item);
  struct disk_names *n = &dirs->sink->names;
  const char *what;
  int rc;

  if (!dirs->sorted && dirs->n > 0)
    qsort(dirs->dirs, dirs->n, sizeof *dirs->dirs, compare);
  dirs->sorted = true;
  dirs->upto =
      dirs->n - dirs->done < DIRS_AT_ONCE ? dirs->n : dirs->done + DIRS_AT_ONCE;
  for (; dirs->done < dirs->upto; dirs->done++) {
    rc = finish_dir_on_worker(n, &dirs->dirs[dirs->done], &what);
    if (rc == 0)
      continue;
    if (dirs->n_failed++ == 0) {
      dirs->first_failed = dirs->dirs[dirs->done].path;
      dirs->first_rc = rc;
      dirs->first_what = what;
    }
  }
}
