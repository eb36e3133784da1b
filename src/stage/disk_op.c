#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/path.h"
#include "stage/disk.h"

static const struct {
  enum tarn_entry_type type;
  enum disk_kind kind;
  mode_t node_type;
} kinds[] = {
    {TARN_ENTRY_FILE, DISK_FILE, 0},
    {TARN_ENTRY_DIR, DISK_DIR, 0},
    {TARN_ENTRY_SYMLINK, DISK_SYMLINK, 0},
    {TARN_ENTRY_HARDLINK, DISK_LINK, 0},
    {TARN_ENTRY_CHAR, DISK_NODE, S_IFCHR},
    {TARN_ENTRY_BLOCK, DISK_NODE, S_IFBLK},
    {TARN_ENTRY_FIFO, DISK_NODE, S_IFIFO},
};

static void refuse(struct sink_disk *sink, const struct tarn_entry *entry,
                   const char *why)
{
  sink->flow->failed++;
  tarn_flow_warn(sink->flow, TARN_EPARTIAL, "%s: refused: %s", entry->path,
                 why);
}

/* False when the name must not or need not be made. */
static bool judge_path(struct sink_disk *sink, const struct tarn_entry *entry,
                       char *clean)
{
  size_t len;

  switch (tarn_path_clean(entry->path, entry->path_len, sink->opts.strip, clean,
                          &len)) {
  case TARN_PATH_OK:
    break;
  case TARN_PATH_WAS_ABSOLUTE:
    if (!sink->warned_absolute)
      tarn_flow_warn(sink->flow, 0,
                     "leading slashes are removed from member names");
    sink->warned_absolute = true;
    break;
  case TARN_PATH_STRIPPED:
    return false;
  case TARN_PATH_DOTDOT:
    refuse(sink, entry, "its name has a \"..\"");
    return false;
  case TARN_PATH_TOO_LONG:
    refuse(sink, entry, "its name is too long");
    return false;
  case TARN_PATH_NUL:
  default:
    refuse(sink, entry, "its name has a NUL");
    return false;
  }
  if (len == 0 && entry->type != TARN_ENTRY_DIR) {
    refuse(sink, entry, "it would replace the target directory");
    return false;
  }
  return true;
}

/* The target of a hard link is a name of the archive: judged like one. */
static bool judge_link(struct sink_disk *sink, const struct tarn_entry *entry,
                       char *clean)
{
  size_t len;

  switch (tarn_path_clean(entry->link, entry->link_len, sink->opts.strip, clean,
                          &len)) {
  case TARN_PATH_OK:
  case TARN_PATH_WAS_ABSOLUTE:
    if (len > 0)
      return true;
    refuse(sink, entry, "a hard link to the target directory");
    return false;
  case TARN_PATH_STRIPPED:
    refuse(sink, entry, "the name it links to has been stripped away");
    return false;
  case TARN_PATH_DOTDOT:
    refuse(sink, entry, "the name it links to has a \"..\"");
    return false;
  case TARN_PATH_TOO_LONG:
  case TARN_PATH_NUL:
  default:
    refuse(sink, entry, "the name it links to cannot be used");
    return false;
  }
}

/* False when an id is in no range of its map. */
static bool judge_owner(struct sink_disk *sink, const struct tarn_entry *entry)
{
  const char *kind = "user", *map = "uid_map";
  uint64_t id = entry->uid, to;
  char why[80];

  if (entry->type == TARN_ENTRY_HARDLINK)
    return true;
  if (tarn_id_map_find(&sink->uid_map, id, &to)) {
    kind = "group";
    map = "gid_map";
    id = entry->gid;
    if (tarn_id_map_find(&sink->gid_map, id, &to))
      return true;
  }
  (void)snprintf(why, sizeof why, "its %s id %llu is in no range of %s", kind,
                 (unsigned long long)id, map);
  refuse(sink, entry, why);
  return false;
}

/* Who may not change owners learns it before the first entry fails. */
static void warn_of_owners(struct sink_disk *sink)
{
  if (sink->warned_owners ||
      !(sink->names.chown || sink->uid_map.n || sink->gid_map.n))
    return;
  sink->warned_owners = true;
  if (geteuid() != 0)
    tarn_flow_warn(sink->flow, 0,
                   "owners are set without being root: entries of other "
                   "owners than you will fail");
}

static void set_meta(const struct sink_disk *sink, struct disk_op *op,
                     const struct tarn_entry *entry)
{
  op->meta.set_owner = sink->opts.same_owner;
  op->meta.set_times = !sink->opts.no_mtime && !entry->no_mtime;
  op->meta.mtime = entry->mtime;
  op->meta.mode = entry->mode & 07777;
  if (sink->opts.ignore_perms)
    op->meta.mode = entry->type == TARN_ENTRY_DIR ? 0777 : 0666;
  if (sink->opts.ignore_perms || !sink->opts.same_permissions)
    op->meta.mode &= ~sink->opts.umask;
  op->uid = entry->uid;
  op->gid = entry->gid;
  (void)tarn_id_map_find(&sink->uid_map, entry->uid, &op->uid);
  (void)tarn_id_map_find(&sink->gid_map, entry->gid, &op->gid);
}

static bool is_privileged(const struct sink_disk *sink)
{
  return sink->opts.same_owner && !sink->opts.ignore_perms && geteuid() == 0;
}

/*
 * Attributes are as large as archives like: in waiting they are paid for like
 * bytes. A file's are there until it is complete: never so much is taken for
 * one that no room is left for its content.
 */
static bool set_xattrs(struct sink_disk *sink, struct disk_op *op,
                       const struct tarn_entry *entry)
{
  struct tarn_xattr_policy policy = {.none = sink->opts.no_xattrs,
                                     .privileged = is_privileged(sink),
                                     .no_lists = !sink->opts.same_permissions,
                                     .include = sink->opts.xattrs_include};
  size_t size;

  if (entry->type == TARN_ENTRY_HARDLINK)
    return true;
  if (tarn_xattrs_new(&op->meta.xattrs, &policy, entry) != 0)
    return false;
  size = tarn_xattrs_size(op->meta.xattrs);
  if (size == 0)
    return true;
  op->paid = &sink->flow->out;
  op->n_paid = size < op->paid->cap / 4 ? size : op->paid->cap / 4;
  tarn_budget_force(op->paid, op->n_paid);
  return true;
}

static bool copy(char **to, const char *from)
{
  *to = strdup(from);
  return *to != NULL;
}

static struct disk_op *make(struct sink_disk *sink,
                            const struct tarn_entry *entry,
                            struct tarn_slab *slab, const char *path,
                            const char *target)
{
  struct disk_op *op = calloc(1, sizeof *op);
  size_t i = 0;

  if (!op)
    return NULL;
  tarn_list_init(&op->link);
  op->fd = -1;
  if (!copy(&op->path, path) || !copy(&op->target, target) ||
      !copy(&op->uname, entry->uname) || !copy(&op->gname, entry->gname)) {
    tarn_disk_op_free(op);
    return NULL;
  }
  while (kinds[i].type != entry->type)
    i++;
  op->kind = kinds[i].kind;
  op->node_type = kinds[i].node_type;
  op->dev = makedev(entry->dev_major, entry->dev_minor);
  op->linked = op->kind == DISK_LINK && entry->size > 0;
  if (op->linked)
    op->kind = DISK_FILE;
  op->sparse = entry->sparse || op->linked; /* it may have been longer */
  op->size = entry->size;
  set_meta(sink, op, entry);
  if (!set_xattrs(sink, op, entry)) {
    tarn_disk_op_free(op);
    return NULL;
  }
  op->hold = slab;
  tarn_slab_ref(slab);
  return op;
}

/* Cleaned names: most are short, some are as long as a header may be. */
struct names {
  char small[2][512];
  char *path, *target;
  char *big;
};

static bool names_init(struct names *n, const struct tarn_entry *entry)
{
  n->big = NULL;
  n->path = n->small[0];
  n->target = n->small[1];
  if (entry->path_len < sizeof n->small[0] &&
      entry->link_len < sizeof n->small[1])
    return true;
  n->big = malloc(entry->path_len + entry->link_len + 2);
  n->path = n->big;
  n->target = n->big ? n->big + entry->path_len + 1 : NULL;
  return n->big != NULL;
}

struct disk_op *tarn_disk_op_new(struct sink_disk *sink,
                                 const struct tarn_entry *entry,
                                 struct tarn_slab *slab)
{
  struct disk_op *op = NULL;
  struct names n;
  const char *target = entry->link;
  bool wanted;

  if (sink->opts.ignore_nodes &&
      (entry->type == TARN_ENTRY_CHAR || entry->type == TARN_ENTRY_BLOCK ||
       entry->type == TARN_ENTRY_FIFO))
    return NULL;
  if (!names_init(&n, entry)) {
    tarn_flow_fail(sink->flow, TARN_ENOMEM, "member: out of memory");
    return NULL;
  }
  warn_of_owners(sink);
  wanted = judge_path(sink, entry, n.path) && judge_owner(sink, entry);
  if (wanted && entry->type == TARN_ENTRY_HARDLINK) {
    wanted = judge_link(sink, entry, n.target);
    target = n.target;
  }
  if (wanted) {
    op = make(sink, entry, slab, n.path, target);
    if (!op)
      tarn_flow_fail(sink->flow, TARN_ENOMEM, "member: out of memory");
  }
  free(n.big);
  return op;
}

struct disk_op *tarn_disk_op_remove(const char *path,
                                    const struct tarn_inode *inode,
                                    struct disk_file *file)
{
  struct disk_op *op = calloc(1, sizeof *op);

  if (!op)
    return NULL;
  tarn_list_init(&op->link);
  op->kind = DISK_REMOVE;
  op->fd = -1;
  op->inode = *inode;
  op->file = file;
  if (!copy(&op->path, path)) {
    free(op);
    return NULL;
  }
  return op;
}

void tarn_disk_op_free(struct disk_op *op)
{
  if (!op)
    return;
  tarn_list_remove(&op->link);
  tarn_slab_unref(op->hold);
  tarn_xattrs_free(op->meta.xattrs);
  if (op->paid)
    tarn_budget_release(op->paid, op->n_paid);
  free(op->path);
  free(op->target);
  free(op->uname);
  free(op->gname);
  free(op);
}

struct disk_file *tarn_disk_file_new(struct disk_op *op)
{
  struct disk_file *file = calloc(1, sizeof *file);

  if (!file)
    return NULL;
  tarn_list_init(&file->link);
  tarn_list_init(&file->all);
  tarn_list_init(&file->pieces);
  tarn_list_init(&file->links);
  file->op = op;
  file->fd = -1;
  op->file = file;
  return file;
}

void tarn_disk_file_free(struct disk_file *file)
{
  struct tarn_list *link;

  tarn_list_remove(&file->link);
  tarn_list_remove(&file->all);
  while ((link = tarn_list_shift(&file->links)))
    free(TARN_CONTAINER(link, struct disk_name, link));
  while ((link = tarn_list_shift(&file->pieces))) {
    struct disk_piece *piece = TARN_CONTAINER(link, struct disk_piece, link);

    tarn_slice_drop(&piece->slice);
    free(piece);
  }
  tarn_disk_op_free(file->op);
  free(file);
}
