#include "stage/sink_list.h"

#include <stdlib.h>

struct sink_list {
  struct tarn_tree tree;
  struct tarn_flow *flow;
};

static struct sink_list *of(struct tarn_tree *tree)
{
  return TARN_CONTAINER(tree, struct sink_list, tree);
}

static struct tarn_tree_member *entry(struct tarn_tree *tree,
                                      const struct tarn_entry *e,
                                      struct tarn_slab *slab)
{
  struct sink_list *s = of(tree);

  (void)slab;
  s->flow->files++;
  if (s->flow->entry)
    s->flow->entry(s->flow, e);
  return NULL;
}

/* No member wants content, so these are never called. */
static void body(struct tarn_tree *tree, struct tarn_tree_member *member,
                 struct tarn_slice slice, uint64_t at)
{
  (void)tree;
  (void)member;
  (void)at;
  tarn_slice_drop(&slice);
}

static void finish(struct tarn_tree *tree, struct tarn_tree_member *member)
{
  (void)tree;
  (void)member;
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
  free(of(tree));
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
  return &s->tree;
}
