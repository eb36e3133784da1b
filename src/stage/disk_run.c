/* What goes to the two lanes of sink_disk, and what comes back from them. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "stage/disk.h"

void tarn_disk_report(struct sink_disk *s, const char *path, const char *what,
                      int rc)
{
  struct tarn_err err;

  s->flow->failed++;
  (void)tarn_err_sys(&err, TARN_EPARTIAL, -rc, "%s: %s", path[0] ? path : ".",
                     what);
  if (err.code == TARN_ENOSPC) {
    s->flow->fail(s->flow, &err);
    return;
  }
  if (rc == -EXDEV)
    (void)tarn_err_set(&err, TARN_EPARTIAL,
                       "%s: refused: its path leads out of the target", path);
  s->flow->warn(s->flow, &err);
}

/* ---- files ---- */

void tarn_disk_await(struct sink_disk *s, struct disk_file *f)
{
  if (!f->opened || f->held || f->awaited)
    return;
  f->awaited = true;
  s->n_awaited++;
}

void tarn_disk_make_ready(struct sink_disk *s, struct disk_file *f)
{
  bool last = f->in_flight == 0 && (f->complete || f->failed);

  if (!f->opened || f->closing || !tarn_list_empty(&f->link))
    return;
  if (last || (!f->failed && !tarn_list_empty(&f->pieces)))
    tarn_list_append(&s->ready, &f->link);
}

static void drop_pieces(struct tarn_list *pieces)
{
  struct tarn_list *link;

  while ((link = tarn_list_shift(pieces))) {
    struct disk_piece *piece = TARN_CONTAINER(link, struct disk_piece, link);

    tarn_slice_drop(&piece->slice);
    free(piece);
  }
}

static void free_file(struct sink_disk *s, struct disk_file *f)
{
  if (!f->held) {
    tarn_disk_file_free(f);
    return;
  }
  f->gone = true;
  tarn_list_remove(&f->op->link);
  drop_pieces(&f->pieces);
  tarn_list_remove(&f->link);
  tarn_list_remove(&f->all);
  tarn_list_append(&s->gone, &f->all);
}

/* From here on it is only closed and taken away. */
void tarn_disk_give_up(struct sink_disk *s, struct disk_file *f)
{
  f->failed = true;
  drop_pieces(&f->pieces);
  tarn_disk_make_ready(s, f);
}

static void queue_remove(struct sink_disk *s, const char *path,
                         const struct tarn_inode *inode, struct disk_file *f)
{
  struct disk_op *op = tarn_disk_op_remove(path, inode, f);

  if (op) {
    tarn_list_append(&s->removals, &op->link);
    return;
  }
  tarn_flow_fail(s->flow, TARN_ENOMEM, "%s: out of memory", path);
  if (f)
    free_file(s, f);
}

/*
 * Names that were linked to a file that failed go with it. The file is known
 * until the last of these has gone: what is linked to one of them meanwhile
 * goes too.
 */
static void remove_links(struct sink_disk *s, struct disk_file *f)
{
  struct tarn_list *link;

  if (tarn_list_empty(&f->links)) {
    free_file(s, f);
    return;
  }
  while ((link = tarn_list_shift(&f->links))) {
    struct disk_name *name = TARN_CONTAINER(link, struct disk_name, link);
    bool last = tarn_list_empty(&f->links);

    s->flow->files--;
    s->flow->failed++;
    tarn_flow_warn(s->flow, TARN_EPARTIAL,
                   "%s: removed: the file it is a link to failed", name->path);
    queue_remove(s, name->path, &name->inode, last ? f : NULL);
    free(name);
    if (last)
      return;
  }
}

/* ---- the name lane ---- */

/* Another name of the file, which goes with it if it fails. */
static void remember_name(struct sink_disk *s, struct disk_file *f,
                          const char *path, const struct tarn_inode *inode)
{
  size_t len = strlen(path);
  struct disk_name *name = malloc(sizeof *name + len + 1);

  if (!name) {
    tarn_flow_fail(s->flow, TARN_ENOMEM, "link: out of memory");
    return;
  }
  name->inode = *inode;
  memcpy(name->path, path, len + 1);
  tarn_list_init(&name->link);
  tarn_list_append(&f->links, &name->link);
}

static void remember_link(struct sink_disk *s, const struct disk_op *op)
{
  struct tarn_list *link;

  for (link = s->files.next; link != &s->files; link = link->next) {
    struct disk_file *f = TARN_CONTAINER(link, struct disk_file, all);

    /* Files are opened in the order of the list: behind the first that is
       not, there is none, and very many may wait. */
    if (!f->opened)
      return;
    if (f->op->inode.ino != op->inode.ino || f->op->inode.dev != op->inode.dev)
      continue;
    remember_name(s, f, op->path, &op->inode);
    return;
  }
}

static void file_opened(struct sink_disk *s, struct disk_op *op)
{
  struct disk_file *f = op->file;

  tarn_slab_unref(op->hold);
  op->hold = NULL;
  f->opened = true;
  f->fd = op->fd;
  s->n_open++;
  tarn_disk_await(s, f);
  if (op->linked)
    remember_name(s, f, op->target, &op->inode);
  tarn_disk_make_ready(s, f);
}

/* Nothing was made. */
static void op_left(struct sink_disk *s, struct disk_op *op)
{
  if (op->kind != DISK_FILE) {
    tarn_disk_op_free(op);
    return;
  }
  tarn_budget_release(&s->fds, 1);
  free_file(s, op->file); /* frees the operation too */
}

static void name_made(struct sink_disk *s, struct disk_op *op)
{
  if (op->meta_rc)
    tarn_disk_report(s, op->path, op->what, op->meta_rc);
  else
    s->flow->files++;
  if (op->kind == DISK_LINK)
    remember_link(s, op);
  tarn_disk_op_free(op);
}

static void op_done(struct sink_disk *s, struct disk_op *op)
{
  if (op->kind == DISK_REMOVE) { /* or it was another's name by now */
    if (op->file)
      remove_links(s, op->file);
    tarn_disk_op_free(op);
  } else if (op->rc) {
    tarn_disk_report(s, op->path, op->what, op->rc);
    op_left(s, op);
  } else if (op->skipped) {
    if (op->newer)
      tarn_flow_warn(s->flow, 0,
                     "%s: kept, as it is newer than the member or as old",
                     op->path);
    op_left(s, op);
  } else if (op->kind == DISK_FILE) {
    file_opened(s, op);
  } else {
    name_made(s, op);
  }
}

/* Operations that have not begun are dropped, all but removals. */
void tarn_disk_drop_ops(struct sink_disk *s, struct tarn_list *ops)
{
  struct tarn_list *link = ops->next, *next;

  for (; link != ops; link = next) {
    struct disk_op *op = tarn_disk_op_of(link);

    next = link->next;
    if (op->kind == DISK_REMOVE)
      continue;
    if (op->kind == DISK_FILE) {
      if (ops == &s->names.ops)
        tarn_budget_release(&s->fds, 1);
      free_file(s, op->file);
    } else {
      tarn_disk_op_free(op);
    }
  }
}

static void on_names(struct tarn_item *item, int status)
{
  struct disk_names *n = TARN_CONTAINER(item, struct disk_names, item);
  struct sink_disk *s = n->sink;
  struct tarn_list *link;

  s->names_running = false;
  while ((link = tarn_list_shift(&n->done)))
    op_done(s, tarn_disk_op_of(link));
  if (n->place_open && s->flow->wait_for_target)
    s->flow->start(s->flow);
  if (status)
    tarn_flow_fail(s->flow, status, "names: work item");
  else if (n->err.code)
    s->flow->fail(s->flow, &n->err);
  else if (n->dir_xattrs > TARN_DISK_DIR_XATTRS)
    tarn_flow_fail(s->flow, TARN_ELIMIT,
                   "the access control lists of directories take more than "
                   "%u MiB",
                   TARN_DISK_DIR_XATTRS >> 20);
  if (s->closing && (!s->keep || n->err.code)) {
    tarn_disk_drop_ops(s, &n->ops);
    tarn_disk_drop_ops(s, &s->ops);
  }
  if (n->must_settle && !tarn_list_empty(&n->ops)) {
    tarn_disk_op_of(n->ops.next)->settled = true;
    s->wait_to_settle = true;
  }
  if (n->out_of_fds) {
    s->wait_for_close = true;
    if (s->n_open == 0)
      tarn_flow_fail(s->flow, TARN_EFILE,
                     "no file can be opened: too many open files");
  }
  tarn_disk_advance(s);
  tarn_closer_drop(&s->flow->closer);
}

static void gather_names(struct sink_disk *s)
{
  struct tarn_list *link;
  unsigned n = 0;

  while ((link = tarn_list_shift(&s->removals)))
    tarn_list_insert(&s->names.ops, link);
  for (link = s->names.ops.next; link != &s->names.ops; link = link->next)
    n++;
  for (; n < TARN_DISK_NAMES && (link = tarn_list_first(&s->ops)); n++) {
    if (tarn_disk_op_of(link)->kind == DISK_FILE &&
        !tarn_budget_reserve(&s->fds, 1))
      break;
    tarn_list_remove(link);
    tarn_list_append(&s->names.ops, link);
  }
}

/* Files that are open, for the overwrite options; open ones come first. */
static void tell_busy(struct sink_disk *s)
{
  struct disk_names *n = &s->names;
  struct tarn_list *link;

  n->n_busy = 0;
  if (!n->busy)
    return;
  for (link = s->files.next; link != &s->files; link = link->next) {
    struct disk_file *f = TARN_CONTAINER(link, struct disk_file, all);

    if (!f->opened)
      break;
    if (f->fd >= 0)
      n->busy[n->n_busy++] = f->op->inode;
  }
}

void tarn_disk_dispatch_names(struct sink_disk *s)
{
  bool only_target;

  if (s->names_running || (s->wait_for_close && s->n_open > 0) ||
      (s->wait_to_settle && s->n_awaited > 0))
    return;
  only_target = (s->has_end || s->opts.atomic) && !s->closing &&
                !s->names.place_open && !s->names.err.code;
  gather_names(s);
  if (tarn_list_empty(&s->names.ops) && !only_target)
    return;
  TARN_TRACE(&s->flow->env->trace, TARN_TRACE_DISK,
             "names: an item goes out, %u files open", s->n_open);
  s->wait_for_close = s->wait_to_settle = false;
  s->names_running = true;
  s->names.in_flight = s->n_open;
  tell_busy(s);
  s->names.item.run = tarn_disk_names_on_worker;
  s->names.item.done = on_names;
  tarn_closer_hold(&s->flow->closer);
  tarn_lane_put(&s->name_lane, &s->names.item);
}

/* ---- the write lane ---- */

static void file_closed(struct sink_disk *s, struct disk_share *share)
{
  struct disk_file *f = share->file;

  f->fd = -1;
  s->n_open--;
  if (f->awaited)
    s->n_awaited--;
  tarn_budget_release(&s->fds, 1);
  if (f->failed) {
    queue_remove(s, f->op->path, &f->op->inode, f);
    return;
  }
  if (share->meta_rc)
    tarn_disk_report(s, f->op->path, share->what, share->meta_rc);
  else
    s->flow->files++;
  free_file(s, f);
}

static void share_done(struct sink_disk *s, struct disk_share *share)
{
  struct disk_file *f = share->file;

  drop_pieces(&share->pieces);
  f->in_flight--;
  if (share->rc && !f->failed) {
    tarn_disk_report(s, f->op->path, share->what, share->rc);
    tarn_disk_give_up(s, f);
  }
  if (share->meta)
    file_closed(s, share);
  else
    tarn_disk_make_ready(s, f);
}

static void on_written(struct tarn_item *item, int status)
{
  struct disk_write *w = TARN_CONTAINER(item, struct disk_write, item);
  struct sink_disk *s = w->sink;
  unsigned i;

  s->writers_running--;
  s->flow->disk.busy_ns = s->write_lane.busy_ns + s->name_lane.busy_ns;
  for (i = 0; i < w->n_shares; i++) {
    if (status) { /* nothing was done: not even closed */
      w->shares[i].rc = -EIO;
      if (w->shares[i].meta)
        (void)close(w->shares[i].fd);
    }
    share_done(s, &w->shares[i]);
  }
  w->n_shares = 0;
  tarn_list_append(&s->idle_writers, &w->link);
  if (status)
    tarn_flow_fail(s->flow, status, "write: work item");
  tarn_disk_advance(s);
  tarn_closer_drop(&s->flow->closer);
}

/* Takes pieces of `f` into a share, up to `room` bytes but at least one. */
static size_t take_share(struct sink_disk *s, struct disk_file *f,
                         struct disk_share *share, size_t room)
{
  struct tarn_list *link;
  size_t bytes = 0;

  (void)s;
  memset(share, 0, sizeof *share);
  tarn_list_init(&share->pieces);
  share->file = f;
  share->fd = f->fd;
  while (bytes < room && (link = tarn_list_shift(&f->pieces))) {
    bytes += TARN_CONTAINER(link, struct disk_piece, link)->slice.len;
    tarn_list_append(&share->pieces, link);
  }
  if (tarn_list_empty(&f->pieces) && f->in_flight == 0 &&
      (f->complete || f->failed)) {
    share->meta = &f->op->meta;
    share->set_size = f->op->sparse;
    share->size = f->op->size;
    share->rc = f->failed ? -ECANCELED : 0;
    f->closing = true;
  }
  f->in_flight++;
  return bytes;
}

void tarn_disk_dispatch_writes(struct sink_disk *s)
{
  while (!tarn_list_empty(&s->ready) && !tarn_list_empty(&s->idle_writers) &&
         tarn_lane_free(&s->write_lane)) {
    struct disk_write *w = TARN_CONTAINER(tarn_list_shift(&s->idle_writers),
                                          struct disk_write, link);
    size_t bytes = 0;

    while (w->n_shares < TARN_DISK_FILES && bytes < TARN_DISK_BYTES &&
           !tarn_list_empty(&s->ready)) {
      struct disk_file *f =
          TARN_CONTAINER(tarn_list_shift(&s->ready), struct disk_file, link);

      bytes +=
          take_share(s, f, &w->shares[w->n_shares++], TARN_DISK_BYTES - bytes);
      tarn_disk_make_ready(s, f);
    }
    TARN_TRACE(&s->flow->env->trace, TARN_TRACE_DISK,
               "writers: %u files, %zu bytes go out", w->n_shares, bytes);
    s->writers_running++;
    w->item.run = tarn_disk_write_on_worker;
    w->item.done = on_written;
    tarn_closer_hold(&s->flow->closer);
    tarn_lane_put(&s->write_lane, &w->item);
  }
}
