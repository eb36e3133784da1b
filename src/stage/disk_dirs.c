#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "stage/disk.h"

/* Directories in one item. */
#define DIRS_AT_ONCE 1024u

/* ---- while names are made ---- */

/* The node of the first `len` bytes of `path`, or one for it in `parent`. */
static int node_of_part(struct disk_names *n, const char *path, size_t len,
                        uint32_t parent, uint32_t *node)
{
  size_t from = tarn_path_parent_len(path, len);
  struct tarn_inode inode;
  int rc = tarn_dircache_inode(n->place.dirs, path, len, &inode);

  if (rc < 0)
    return rc;
  *node = tarn_dir_tree_find(&n->tree, &inode);
  if (*node != TARN_DIR_NONE)
    return 0;
  from += from > 0;
  *node = tarn_dir_tree_put(&n->tree, &inode, parent, path + from, len - from);
  return *node == TARN_DIR_NONE ? -ENOMEM : 0;
}

/*
 * The path of a directory without links in it, from the target on, or NULL
 * when that cannot be told (it is longer than PATH_MAX). A link may be replaced
 * before the end comes; where the directory is stays.
 */
static char *real_path(struct disk_names *n, const char *path, size_t len)
{
  char link[2][32], *found[2] = {NULL, NULL}, *rest = NULL;
  int fds[2] = {n->root, tarn_dircache_get(n->place.dirs, path, len, 0, NULL)};
  size_t root_len;
  int i;

  for (i = 0; i < 2 && fds[1] >= 0; i++) {
    ssize_t got;

    (void)snprintf(link[i], sizeof link[i], "/proc/self/fd/%d", fds[i]);
    found[i] = calloc(1, PATH_MAX + 1);
    got = found[i] ? readlink(link[i], found[i], PATH_MAX) : -1;
    if (got <= 0 || got >= PATH_MAX - 1)
      break;
  }
  if (i == 2) {
    root_len = strcmp(found[0], "/") == 0 ? 0 : strlen(found[0]);
    if (strncmp(found[0], found[1], root_len) == 0 && found[1][root_len] == '/')
      rest = strdup(found[1] + root_len + 1);
  }
  free(found[0]);
  free(found[1]);
  return rest;
}

/*
 * The node of a directory above a member. Most are known by their inode; else
 * those between it and the next one above that is known become nodes too,
 * which only say where they are.
 */
static int node_along(struct disk_names *n, const char *path, size_t len,
                      uint32_t *node)
{
  struct tarn_inode inode;
  size_t at = len;
  int rc;

  *node = TARN_DIR_NONE;
  for (;; at = tarn_path_parent_len(path, at)) {
    rc = tarn_dircache_inode(n->place.dirs, path, at, &inode);
    if (rc < 0)
      return rc;
    *node = tarn_dir_tree_find(&n->tree, &inode);
    if (*node != TARN_DIR_NONE || at == 0)
      break;
  }
  if (*node == TARN_DIR_NONE)
    rc = node_of_part(n, path, 0, TARN_DIR_NONE, node);
  while (rc == 0 && at < len) {
    const char *slash = memchr(path + at + 1, '/', len - at - 1);

    at = slash ? (size_t)(slash - path) : len;
    rc = node_of_part(n, path, at, *node, node);
  }
  return rc;
}

static int node_of_parent(struct disk_names *n, const char *path, size_t len,
                          uint32_t *node)
{
  struct tarn_inode inode;
  char *real;
  int rc = tarn_dircache_inode(n->place.dirs, path, len, &inode);

  if (rc < 0)
    return rc;
  *node = tarn_dir_tree_find(&n->tree, &inode);
  if (*node != TARN_DIR_NONE)
    return 0;
  real = len > 0 ? real_path(n, path, len) : NULL;
  rc = real ? node_along(n, real, strlen(real), node)
            : node_along(n, path, len, node);
  free(real);
  return rc;
}

static int node_of(struct disk_names *n, const char *path, size_t len,
                   const struct tarn_inode *inode, uint32_t *node)
{
  size_t from = tarn_path_parent_len(path, len);
  uint32_t parent;
  int rc;

  if (len == 0)
    return node_of_part(n, path, 0, TARN_DIR_NONE, node);
  rc = node_of_parent(n, path, from, &parent);
  if (rc < 0)
    return rc;
  from += from > 0;
  *node = tarn_dir_tree_put(&n->tree, inode, parent, path + from, len - from);
  return *node == TARN_DIR_NONE ? -ENOMEM : 0;
}

int tarn_disk_dirs_put_on_worker(struct disk_names *n, const char *path,
                                 size_t len, const struct tarn_place_dir *made,
                                 const struct tarn_meta *meta)
{
  struct tarn_xattrs *xattrs, *last = n->last_xattrs;
  uint32_t node;
  int rc = node_of(n, path, len, &made->inode, &node);

  if (rc < 0)
    return rc;
  if (made->opened_up)
    tarn_dir_tree_keep_mode(&n->tree, node, made->old_mode);
  if (!meta)
    return 0;
  rc = tarn_xattrs_keep(&xattrs, meta->xattrs, &n->last_xattrs);
  if (rc < 0)
    return rc;
  if (n->last_xattrs != last)
    n->dir_xattrs += tarn_xattrs_size(xattrs);
  return tarn_dir_tree_set(&n->tree, node, meta, xattrs) ? 0 : -ENOMEM;
}

/* ---- at the end ---- */

static int apply_on_worker(int fd, const struct tarn_dir_finish *finish,
                           const char **what)
{
  struct stat st;

  if (fstat(fd, &st) != 0)
    return -errno;
  if (st.st_dev != finish->inode.dev || st.st_ino != finish->inode.ino)
    return 0; /* another one by now */
  if (finish->set_meta) {
    struct tarn_meta meta = finish->meta;

    meta.xattrs = finish->extra;
    return tarn_meta_apply_fd(fd, &meta, what);
  }
  *what = "mode";
  return fchmod(fd, finish->meta.mode) < 0 ? -errno : 0;
}

static int finish_on_worker(struct disk_names *n, const char *path,
                            const struct tarn_dir_finish *finish,
                            const char **what)
{
  int rc, fd;

  *what = "open directory";
  if (!path)
    return -errno;
  fd = tarn_beneath_open(&n->place.beneath, path,
                         O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP || fd == -EXDEV)
    return 0; /* replaced by a later member: nothing to restore */
  if (fd < 0)
    return fd;
  rc = apply_on_worker(fd, finish, what);
  (void)close(fd);
  return rc;
}

static void note_failure(struct disk_dirs *dirs, const char *path, int rc,
                         const char *what)
{
  size_t len = path ? strlen(path) : 0;
  struct disk_failure *f = malloc(sizeof *f + len + 1);

  if (!f) {
    dirs->out_of_memory = true;
    return;
  }
  f->rc = rc;
  f->what = what;
  if (len > 0)
    memcpy(f->path, path, len);
  f->path[len] = '\0';
  tarn_list_init(&f->link);
  tarn_list_append(&dirs->failed, &f->link);
}

void tarn_disk_dirs_on_worker(struct tarn_item *item)
{
  struct disk_dirs *dirs = TARN_CONTAINER(item, struct disk_dirs, item);
  struct disk_names *n = &dirs->sink->names;
  unsigned i;

  if (!dirs->sorted && !tarn_dir_tree_sort(&n->tree)) {
    dirs->out_of_memory = dirs->done = true;
    return;
  }
  dirs->sorted = true;
  for (i = 0; i < DIRS_AT_ONCE; i++) {
    uint32_t node = tarn_dir_tree_next(&n->tree);
    struct tarn_dir_finish finish;
    const char *what;
    char *path;
    int rc;

    if (node == TARN_DIR_NONE) {
      dirs->done = true;
      return;
    }
    path = tarn_dir_tree_path(&n->tree, node);
    tarn_dir_tree_get(&n->tree, node, &finish);
    rc = finish_on_worker(n, path, &finish, &what);
    if (rc < 0)
      note_failure(dirs, path, rc, what);
    free(path);
  }
}
