#include "stage/sink_list.h"

#include <stdlib.h>
#include <string.h>

struct sink_list {
  struct tarn_tree tree;
  struct tarn_flow *flow;
  struct tarn_list open; /* struct member */
};

/* A file whose size its format tells only by its content. */
struct member {
  struct tarn_tree_member member;
  struct tarn_list link;
  struct tarn_entry entry;
  char path[];
};

static struct sink_list *of(struct tarn_tree *tree)
{
  return TARN_CONTAINER(tree, struct sink_list, tree);
}

static struct member *member_of(struct tarn_tree_member *member)
{
  return TARN_CONTAINER(member, struct member, member);
}

static void tell(struct sink_list *s, const struct tarn_entry *e)
{
  s->flow->files++;
  if (s->flow->entry)
    s->flow->entry(s->flow, e);
}

/* Told when its size is known. Formats that tell no size have no strings but
   the path, so the others point to nothing that goes. */
static struct tarn_tree_member *wait_for_size(struct sink_list *s,
                                              const struct tarn_entry *e)
{
  struct member *m = malloc(sizeof *m + e->path_len + 1);

  if (!m) {
    tarn_flow_fail(s->flow, TARN_ENOMEM, "member: out of memory");
    return NULL;
  }
  memcpy(m->path, e->path, e->path_len + 1);
  m->member.tree = &s->tree;
  m->entry = *e;
  m->entry.path = m->path;
  m->entry.link = m->entry.uname = m->entry.gname = "";
  m->entry.acl_access = m->entry.acl_default = "";
  m->entry.xattrs = NULL;
  m->entry.n_xattrs = m->entry.link_len = 0;
  tarn_list_init(&m->link);
  tarn_list_append(&s->open, &m->link);
  return &m->member;
}

static struct tarn_tree_member *entry(struct tarn_tree *tree,
                                      const struct tarn_entry *e,
                                      struct tarn_slab *slab)
{
  (void)slab;
  if (e->no_size)
    return wait_for_size(of(tree), e);
  tell(of(tree), e);
  return NULL;
}

static void body(struct tarn_tree *tree, struct tarn_tree_member *member,
                 struct tarn_slice slice, uint64_t at)
{
  (void)tree;
  member_of(member)->entry.size = at + slice.len;
  tarn_slice_drop(&slice);
}

static void free_member(struct member *m)
{
  tarn_list_remove(&m->link);
  free(m);
}

static void finish(struct tarn_tree *tree, struct tarn_tree_member *member)
{
  struct member *m = member_of(member);

  m->entry.no_size = false;
  tell(of(tree), &m->entry);
  free_member(m);
}

static void flush(struct tarn_tree *tree)
{
  (void)tree;
}

static void end(struct tarn_tree *tree)
{
  struct sink_list *s = of(tree);

  s->flow->finished(s->flow);
}

static void close_tree(struct tarn_tree *tree, bool keep)
{
  (void)tree;
  (void)keep;
}

static void free_tree(struct tarn_tree *tree)
{
  struct sink_list *s = of(tree);

  while (!tarn_list_empty(&s->open))
    free_member(TARN_CONTAINER(s->open.next, struct member, link));
  free(s);
}

static const struct tarn_tree_ops ops = {entry, body,       finish,   flush,
                                         end,   close_tree, free_tree};

struct tarn_tree *tarn_sink_list_new(struct tarn_flow *flow)
{
  struct sink_list *s = calloc(1, sizeof *s);

  if (!s)
    return NULL;
  s->tree.ops = &ops;
  s->flow = flow;
  tarn_list_init(&s->open);
  return &s->tree;
}
