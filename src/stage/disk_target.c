/*
 * The target directory: opened before the first name is made, and with
 * `atomic` a work tree beside it, which gets its name when all has gone well
 * and goes wholly when it has not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/disk.h"

/* mkdir -p, then open. */
static int make_target(struct disk_names *n)
{
  size_t len = strlen(n->root_path), i;
  char *path = strdup(n->root_path);

  if (!path)
    return tarn_err_nomem(&n->err, "target");
  for (i = 1; i <= len; i++) {
    char kept = path[i];

    if (kept != '/' && kept != '\0')
      continue;
    path[i] = '\0';
    if (mkdir(path, 0777) != 0 && errno != EEXIST && errno != EISDIR &&
        kept == '\0') {
      int failed = errno;

      free(path);
      return tarn_err_sys(&n->err, TARN_EFILE, failed, "%s: make directory",
                          n->root_path);
    }
    path[i] = kept;
  }
  n->root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  free(path);
  if (n->root < 0)
    return tarn_err_sys(&n->err, TARN_EFILE, errno, "%s: open directory",
                        n->root_path);
  return 0;
}

static int make_work_tree(struct disk_names *n)
{
  int rc =
      tarn_work_tree_open(&n->work, n->root_path, 0777 & ~n->umask, &n->err);

  if (rc)
    return rc;
  n->root = fcntl(n->work.dir, F_DUPFD_CLOEXEC, 0);
  if (n->root >= 0)
    return 0;
  rc = tarn_err_sys(&n->err, TARN_EFILE, errno, "%s: open directory",
                    n->root_path);
  tarn_work_tree_drop(&n->work);
  return rc;
}

int tarn_disk_target_open_on_worker(struct disk_names *n)
{
  int rc = n->chown ? tarn_owner_force(n->owners, n->chown, &n->err) : 0;

  if (rc == 0)
    rc = n->sink->opts.atomic ? make_work_tree(n) : make_target(n);
  if (rc)
    return rc;
  if (tarn_place_open(&n->place, n->root, !n->no_openat2, n->umask) != 0)
    return tarn_err_nomem(&n->err, "target");
  n->place.old = n->sink->opts.old;
  n->place.keep_dir_symlink = n->sink->opts.keep_dir_symlink;
  n->place.tree = &n->tree;
  n->place_open = true;
  return 0;
}

void tarn_disk_target_end_on_worker(struct tarn_item *item)
{
  struct disk_names *n = TARN_CONTAINER(item, struct disk_names, item);

  if (n->commit &&
      tarn_work_tree_commit(&n->work, !n->sink->opts.no_sync, &n->err) == 0)
    return;
  tarn_work_tree_drop(&n->work);
}
