#include "stage/sink_disk.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/process.h"
#include "stage/disk.h"

/* Descriptors files may take: half of what is left, within reason. */
#define MOST_FDS  256u
#define LEAST_FDS 4u

static struct sink_disk *of(struct tarn_tree *tree)
{
  return TARN_CONTAINER(tree, struct sink_disk, tree);
}

/* ---- the end ---- */

static void on_dirs(struct tarn_item *item, int status)
{
  struct disk_dirs *dirs = TARN_CONTAINER(item, struct disk_dirs, item);
  struct sink_disk *s = dirs->sink;
  struct tarn_list *link;

  s->names_running = false;
  while ((link = tarn_list_shift(&dirs->failed))) {
    struct disk_failure *f = TARN_CONTAINER(link, struct disk_failure, link);

    tarn_disk_report(s, f->path, f->what, f->rc);
    free(f);
  }
  if (status) {
    dirs->done = true;
    tarn_flow_fail(s->flow, status, "directories: work item");
  } else if (dirs->out_of_memory) {
    tarn_flow_fail(s->flow, TARN_ENOMEM, "directories: out of memory");
  }
  tarn_disk_advance(s);
  tarn_closer_drop(&s->flow->closer);
}

static void all_done(struct sink_disk *s)
{
  s->finished = true;
  if (s->closing)
    tarn_closer_drop(&s->flow->closer);
  else
    s->flow->finished(s->flow);
}

/* A work tree is the result of a job without any failure, or nothing. */
static void on_target_end(struct tarn_item *item, int status)
{
  struct disk_names *n = TARN_CONTAINER(item, struct disk_names, item);
  struct sink_disk *s = n->sink;

  s->names_running = false;
  if (status)
    tarn_flow_fail(s->flow, status, "target: work item");
  else if (n->err.code && n->commit)
    s->flow->fail(s->flow, &n->err);
  tarn_disk_advance(s);
  tarn_closer_drop(&s->flow->closer);
}

static void end_target(struct sink_disk *s)
{
  s->ended = true;
  s->names_running = true;
  s->names.commit = s->has_end && !s->closing && s->flow->failed == 0;
  if (!s->names.commit && !s->closing)
    tarn_flow_warn(s->flow, 0,
                   "%s: left as it was, as not every entry could be restored",
                   s->path);
  s->names.item.run = tarn_disk_target_end_on_worker;
  s->names.item.done = on_target_end;
  tarn_closer_hold(&s->flow->closer);
  tarn_lane_put(&s->name_lane, &s->names.item);
}

static void advance_end(struct sink_disk *s)
{
  if (s->finished || s->names_running || s->writers_running > 0 ||
      !tarn_list_empty(&s->ops) || !tarn_list_empty(&s->removals) ||
      !tarn_list_empty(&s->names.ops) || !tarn_list_empty(&s->files))
    return;
  if (!s->names.place_open || s->dirs.done || s->names.tree.n == 0 ||
      (s->closing && s->opts.atomic)) {
    if (s->opts.atomic && s->names.place_open && !s->ended)
      end_target(s);
    else
      all_done(s);
    return;
  }
  s->names_running = true;
  s->dirs.item.run = tarn_disk_dirs_on_worker;
  s->dirs.item.done = on_dirs;
  tarn_closer_hold(&s->flow->closer);
  tarn_lane_put(&s->name_lane, &s->dirs.item);
}

/* Does all that is possible now; harmless when nothing is. */
void tarn_disk_advance(struct sink_disk *s)
{
  bool busy;

  if (s->finished || (s->flow->over && !s->closing))
    return;
  tarn_disk_dispatch_names(s);
  tarn_disk_dispatch_writes(s);
  busy = s->names_running || s->writers_running > 0;
  tarn_meter_to(&s->meter, &s->flow->disk,
                busy ? TARN_METER_BUSY : TARN_METER_WAIT_IN);
  if (s->has_end || s->closing)
    advance_end(s);
}

static void on_step(struct tarn_defer *d)
{
  tarn_disk_advance(TARN_CONTAINER(d, struct sink_disk, step));
}

/* ---- the tree's interface ---- */

/*
 * A file that is not complete keeps its descriptor: were there more of those
 * than descriptors, all would wait for one another.
 */
static struct disk_file *hold_file(struct sink_disk *s, struct disk_op *op)
{
  struct disk_file *f;

  if (s->n_held >= s->fds.cap) {
    tarn_flow_fail(s->flow, TARN_EFILE,
                   "%u files are open at once, more than the limit of open "
                   "files allows",
                   s->n_held + 1);
    return NULL;
  }
  f = tarn_disk_file_new(op);
  if (!f) {
    tarn_flow_fail(s->flow, TARN_ENOMEM, "member: out of memory");
    return NULL;
  }
  f->member.tree = &s->tree;
  f->held = true;
  s->n_held++;
  tarn_list_append(&s->files, &f->all);
  return f;
}

static struct tarn_tree_member *entry(struct tarn_tree *tree,
                                      const struct tarn_entry *e,
                                      struct tarn_slab *slab)
{
  struct sink_disk *s = of(tree);
  struct disk_op *op = tarn_disk_op_new(s, e, slab);
  struct disk_file *f = NULL;

  if (!op)
    return NULL;
  if (s->flow->entry)
    s->flow->entry(s->flow, e);
  if (op->kind == DISK_FILE && !(f = hold_file(s, op))) {
    tarn_disk_op_free(op);
    return NULL;
  }
  tarn_list_append(&s->ops, &op->link);
  return f ? &f->member : NULL;
}

static struct disk_file *file_of(struct tarn_tree_member *member)
{
  return TARN_CONTAINER(member, struct disk_file, member);
}

static void body(struct tarn_tree *tree, struct tarn_tree_member *member,
                 struct tarn_slice slice, uint64_t at)
{
  struct sink_disk *s = of(tree);
  struct disk_file *f = file_of(member);
  struct disk_piece *piece;

  if (f->failed || f->gone) {
    tarn_slice_drop(&slice);
    return;
  }
  piece = malloc(sizeof *piece);
  if (!piece) {
    tarn_slice_drop(&slice);
    tarn_flow_fail(s->flow, TARN_ENOMEM, "member: out of memory");
    return;
  }
  tarn_list_init(&piece->link);
  piece->slice = slice;
  piece->at = at;
  tarn_list_append(&f->pieces, &piece->link);
  tarn_disk_make_ready(s, f);
}

static void finish(struct tarn_tree *tree, struct tarn_tree_member *member)
{
  struct sink_disk *s = of(tree);
  struct disk_file *f = file_of(member);

  f->held = false;
  s->n_held--;
  if (f->gone) {
    tarn_disk_file_free(f);
    return;
  }
  f->complete = true;
  tarn_disk_await(s, f);
  tarn_disk_make_ready(s, f);
}

static void flush(struct tarn_tree *tree)
{
  struct sink_disk *s = of(tree);

  tarn_defer_schedule(&s->flow->env->defers, &s->step);
}

static void end(struct tarn_tree *tree)
{
  struct sink_disk *s = of(tree);

  s->has_end = true;
  flush(tree);
}

static void close_tree(struct tarn_tree *tree, bool keep)
{
  struct sink_disk *s = of(tree);
  struct tarn_list *link, *next;

  if (s->closing)
    return;
  s->closing = true;
  s->keep = keep = keep && !s->opts.atomic; /* which keeps all or nothing */
  if (s->finished)
    return;
  tarn_closer_hold(&s->flow->closer);
  for (link = s->files.next; link != &s->files; link = link->next) {
    struct disk_file *f = TARN_CONTAINER(link, struct disk_file, all);

    f->held = false;
    tarn_disk_await(s, f);
  }
  if (!keep || (!s->names_running && s->names.err.code)) {
    tarn_disk_drop_ops(s, &s->ops);
    if (!s->names_running)
      tarn_disk_drop_ops(s, &s->names.ops);
  }
  for (link = s->files.next; link != &s->files; link = next) {
    struct disk_file *f = TARN_CONTAINER(link, struct disk_file, all);

    next = link->next;
    if (f->closing || f->failed || (keep && f->complete))
      continue;
    tarn_disk_give_up(s, f);
  }
  flush(tree);
}

/* The options' own strings are gone behind the call. */
static bool copy_owner_options(struct sink_disk *s,
                               const struct tarn_disk_options *o)
{
  s->opts.chown = s->opts.uid_map = s->opts.gid_map = NULL;
  if (o->uid_map || o->gid_map)
    s->opts.numeric_owner = true;
  s->names.owners = tarn_owner_cache_new(s->opts.numeric_owner);
  s->names.chown = o->chown ? strdup(o->chown) : NULL;
  return s->names.owners && (!o->chown || s->names.chown) &&
         tarn_id_map_parse(&s->uid_map, o->uid_map, "uid_map", NULL) == 0 &&
         tarn_id_map_parse(&s->gid_map, o->gid_map, "gid_map", NULL) == 0;
}

static void free_owner_options(struct sink_disk *s)
{
  tarn_owner_cache_free(s->names.owners);
  free(s->names.made);
  free(s->names.chown);
  tarn_id_map_close(&s->uid_map);
  tarn_id_map_close(&s->gid_map);
}

static void free_tree(struct tarn_tree *tree)
{
  struct sink_disk *s = of(tree);
  struct tarn_list *link;

  tarn_defer_cancel(&s->step);
  while ((link = tarn_list_first(&s->ops)))
    tarn_disk_op_free(tarn_disk_op_of(link));
  while ((link = tarn_list_first(&s->removals)))
    tarn_disk_op_free(tarn_disk_op_of(link));
  while ((link = tarn_list_first(&s->gone)))
    tarn_disk_file_free(TARN_CONTAINER(link, struct disk_file, all));
  if (s->names.place_open)
    tarn_place_close(&s->names.place);
  if (s->names.root >= 0)
    (void)close(s->names.root);
  tarn_work_tree_drop(&s->names.work); /* gone by now, unless memory was out */
  free_owner_options(s);
  tarn_dir_tree_free(&s->names.tree);
  tarn_xattrs_free(s->names.last_xattrs);
  free(s->names.busy);
  free(s->writers);
  free(s->path);
  free(s);
}

static const struct tarn_tree_ops ops = {entry, body,       finish,   flush,
                                         end,   close_tree, free_tree};

static unsigned fds_for_files(void)
{
  unsigned n = tarn_process_free_fds() / 2;

  if (n < LEAST_FDS)
    return LEAST_FDS;
  return n < MOST_FDS ? n : MOST_FDS;
}

static void init_lists(struct sink_disk *s)
{
  unsigned i;

  tarn_list_init(&s->ops);
  tarn_list_init(&s->removals);
  tarn_list_init(&s->files);
  tarn_list_init(&s->ready);
  tarn_list_init(&s->gone);
  tarn_list_init(&s->idle_writers);
  tarn_list_init(&s->names.ops);
  tarn_list_init(&s->names.done);
  tarn_list_init(&s->dirs.failed);
  for (i = 0; i < s->opts.writers; i++) {
    s->writers[i].sink = s;
    tarn_list_init(&s->writers[i].link);
    tarn_list_append(&s->idle_writers, &s->writers[i].link);
  }
}

/* Room for every file that may be open. */
static bool alloc_busy(struct sink_disk *s)
{
  if (s->opts.old == TARN_OLD_REPLACE || s->opts.old == TARN_OLD_UNLINK_FIRST)
    return true;
  s->names.busy = calloc(s->fds.cap, sizeof *s->names.busy);
  return s->names.busy != NULL;
}

static void free_xattrs(void *extra)
{
  tarn_xattrs_free(extra);
}

struct tarn_tree *tarn_sink_disk_new(struct tarn_flow *flow,
                                     const struct tarn_disk_options *opts)
{
  struct sink_disk *s = calloc(1, sizeof *s);

  if (!s)
    return NULL;
  s->tree.ops = &ops;
  s->flow = flow;
  s->opts = *opts;
  if (s->opts.writers == 0 || s->opts.writers > TARN_DISK_WRITERS)
    s->opts.writers = s->opts.writers ? TARN_DISK_WRITERS : 1;
  s->path = strdup(opts->path);
  s->writers = calloc(s->opts.writers, sizeof *s->writers);
  s->names.root = s->names.work.parent = s->names.work.dir = -1;
  tarn_dir_tree_init(&s->names.tree, free_xattrs);
  tarn_budget_init(&s->fds, fds_for_files(), NULL);
  if (!copy_owner_options(s, opts) || !s->path || !s->writers ||
      !alloc_busy(s)) {
    free(s->path);
    free(s->writers);
    free_owner_options(s);
    free(s);
    return NULL;
  }
  s->opts.path = s->names.root_path = s->path;
  s->names.sink = s->dirs.sink = s;
  s->names.umask = opts->umask;
  s->names.no_openat2 = opts->no_openat2;
  init_lists(s);
  tarn_lane_init(&s->name_lane, &flow->env->work, 1);
  tarn_lane_init(&s->write_lane, &flow->env->work, s->opts.writers);
  tarn_defer_init(&s->step, on_step);
  tarn_meter_init(&s->meter);
  if (s->opts.atomic) {
    flow->wait_for_target = true;
    tarn_defer_schedule(&flow->env->defers, &s->step);
  }
  return &s->tree;
}
