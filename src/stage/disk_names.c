#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stage/disk.h"

static int find_owner_on_worker(struct disk_names *n, struct disk_op *op)
{
  struct tarn_acl_ids ids = {n->owners, &n->sink->uid_map, &n->sink->gid_map};
  int rc;

  tarn_xattrs_resolve(op->meta.xattrs, &ids);
  if (!op->meta.set_owner || op->kind == DISK_LINK || op->linked)
    return 0;
  rc = tarn_owner_uid(n->owners, op->uname, op->uid, &op->meta.uid);
  if (rc == 0)
    rc = tarn_owner_gid(n->owners, op->gname, op->gid, &op->meta.gid);
  if (rc)
    op->what = "owner";
  return rc;
}

/* Symlinks and nodes have no descriptor for a writer: done here. */
static void set_meta_on_worker(struct disk_names *n, struct disk_op *op)
{
  const char *name;
  int dir = tarn_place_parent(&n->place, op->path, &name);

  if (dir < 0)
    op->meta_rc = dir;
  else
    op->meta_rc = tarn_meta_apply_at(dir, name, op->kind == DISK_SYMLINK,
                                     &op->meta, &op->what);
}

/* Which inode a hard link was made to, for the case that its file fails. */
static void find_inode_on_worker(struct disk_names *n, struct disk_op *op)
{
  const char *name;
  struct stat st;
  int dir = tarn_place_parent(&n->place, op->path, &name);

  if (dir >= 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
    op->inode.dev = st.st_dev;
    op->inode.ino = st.st_ino;
  }
}

/* What need not wait for the end. */
static void begin_dir_on_worker(struct disk_names *n, struct disk_op *op)
{
  const char *name;
  int dir = tarn_place_parent(&n->place, op->path, &name);

  op->meta_rc =
      dir < 0 ? dir : tarn_meta_begin_dir_at(dir, name, &op->meta, &op->what);
}

static int make_dir_on_worker(struct disk_names *n, struct disk_op *op)
{
  struct tarn_place_dir made;
  int rc = tarn_place_dir(&n->place, op->path, &made);

  if (rc < 0)
    return rc;
  op->inode = made.inode;
  rc = tarn_disk_dirs_put_on_worker(n, op->path, strlen(op->path), &made,
                                    &op->meta);
  if (rc == 0 && op->meta.xattrs)
    begin_dir_on_worker(n, op);
  return rc;
}

static void make_name_on_worker(struct disk_names *n, struct disk_op *op)
{
  op->what = "make";
  switch (op->kind) {
  case DISK_FILE:
    op->fd = op->linked ? tarn_disk_link_open_on_worker(n, op)
                        : tarn_place_file(&n->place, op->path, &op->inode);
    op->rc = op->fd < 0 ? op->fd : 0;
    if (op->rc == 0)
      tarn_disk_made_on_worker(n, &op->inode);
    break;
  case DISK_DIR:
    op->rc = make_dir_on_worker(n, op);
    break;
  case DISK_SYMLINK:
    op->rc = tarn_place_symlink(&n->place, op->path, op->target);
    break;
  case DISK_LINK:
    op->what = "link";
    op->rc = tarn_place_link(&n->place, op->path, op->target,
                             op->settled || n->in_flight == 0);
    if (op->rc == 0)
      find_inode_on_worker(n, op);
    break;
  case DISK_NODE:
    op->rc =
        tarn_place_node(&n->place, op->path, op->node_type | 0600, op->dev);
    break;
  case DISK_REMOVE:
  default:
    op->what = "remove";
    op->rc = tarn_place_remove(&n->place, op->path, &op->inode);
    break;
  }
  if (op->rc == 0 && (op->kind == DISK_SYMLINK || op->kind == DISK_NODE))
    set_meta_on_worker(n, op);
}

/* Whether what has the name lets it be made: by the overwrite options. */
static void judge_old_on_worker(struct disk_names *n, struct disk_op *op)
{
  struct tarn_place_wish wish = {0};
  int rc;

  wish.path = op->path;
  wish.link = op->kind == DISK_LINK || op->linked ? op->target : NULL;
  wish.is_dir = op->kind == DISK_DIR;
  wish.mtime = op->meta.mtime;
  wish.busy = n->busy;
  wish.n_busy = op->settled ? 0 : n->n_busy;
  op->what = "make";
  rc = tarn_place_judge(&n->place, &wish);
  op->rc = rc < 0 ? rc : 0;
  op->skipped = rc > 0;
  op->newer = rc == TARN_PLACE_NEWER;
  if (rc == -EEXIST) /* and it is nobody's that may yet go */
    op->settled = true;
}

/* True when a directory above could not be used, and can be now. */
static bool make_way_on_worker(struct disk_names *n, const char *path)
{
  struct tarn_place_dir made;
  size_t next = 0, len;
  bool any = false;

  while (tarn_place_make_way(&n->place, path, &next, &len, &made) > 0) {
    any = true;
    if (tarn_disk_dirs_put_on_worker(n, path, len, &made, NULL) < 0)
      return false;
  }
  return any;
}

static void do_op_on_worker(struct disk_names *n, struct disk_op *op)
{
  bool again;

  if (op->kind == DISK_REMOVE) {
    make_name_on_worker(n, op);
    return;
  }
  op->rc = find_owner_on_worker(n, op);
  if (op->rc < 0)
    return;
  do {
    judge_old_on_worker(n, op);
    if (op->rc == 0 && !op->skipped)
      make_name_on_worker(n, op);
    again = op->rc == -EACCES && make_way_on_worker(n, op->path);
    if (op->rc == -EACCES && (op->kind == DISK_LINK || op->linked))
      again |= make_way_on_worker(n, op->target);
  } while (again);
}

static void count_open_on_worker(struct disk_names *n, const struct disk_op *op)
{
  n->in_flight++;
  if (n->busy)
    n->busy[n->n_busy++] = op->inode;
}

void tarn_disk_names_on_worker(struct tarn_item *item)
{
  struct disk_names *n = TARN_CONTAINER(item, struct disk_names, item);
  struct tarn_list *link;

  n->out_of_fds = n->must_settle = false;
  if (!n->place_open && tarn_disk_target_open_on_worker(n) != 0)
    return;
  while ((link = tarn_list_first(&n->ops))) {
    struct disk_op *op = TARN_CONTAINER(link, struct disk_op, link);

    do_op_on_worker(n, op);
    if (op->rc == -EMFILE || op->rc == -ENFILE) {
      n->out_of_fds = true;
      return;
    }
    if (op->rc < 0 && !op->settled && n->in_flight > 0) {
      n->must_settle = true;
      return;
    }
    if (op->rc == 0 && op->kind == DISK_FILE && !op->skipped)
      count_open_on_worker(n, op);
    tarn_list_remove(link);
    tarn_list_append(&n->done, link);
    if (op->rc == -ENOSPC || op->rc == -EDQUOT || op->rc == -EROFS)
      return; /* the job ends: nothing more is made */
  }
}
