#include "stage/members.h"

void tarn_members_init(struct tarn_members *m, struct tarn_flow *flow,
                       const struct tarn_members_options *opts,
                       struct tarn_tree *tree)
{
  m->flow = flow;
  m->tree = tree;
  m->opts = *opts;
  m->n = 0;
  m->claimed = 0;
}

/* What was refused counts too: an archive of nothing else must end as well. */
static bool count(struct tarn_members *m)
{
  m->n++;
  if (!m->opts.max_files || m->n <= m->opts.max_files)
    return true;
  tarn_flow_fail(m->flow, TARN_ELIMIT, "more than %llu members (--max-files)",
                 (unsigned long long)m->opts.max_files);
  return false;
}

static bool has_room(struct tarn_members *m, const struct tarn_entry *entry)
{
  if (!m->opts.max_size || entry->type != TARN_ENTRY_FILE)
    return true;
  if (entry->size <= m->opts.max_size - m->claimed) {
    m->claimed += entry->size;
    return true;
  }
  tarn_flow_fail(m->flow, TARN_ELIMIT,
                 "%s: with its %llu bytes the members have more than %llu "
                 "(--max-size)",
                 entry->path, (unsigned long long)entry->size,
                 (unsigned long long)m->opts.max_size);
  return false;
}

struct tarn_tree_member *tarn_members_entry(struct tarn_members *m,
                                            const struct tarn_entry *entry,
                                            struct tarn_slab *slab)
{
  if (!count(m))
    return NULL;
  TARN_TRACE(&m->flow->env->trace, TARN_TRACE_TREE,
             "member %llu at byte %llu: type %d, %llu bytes",
             (unsigned long long)m->n, (unsigned long long)entry->header_at,
             (int)entry->type, (unsigned long long)entry->size);
  if (!tarn_select_takes(m->opts.select, entry->path, entry->path_len) ||
      !has_room(m, entry))
    return NULL;
  return m->tree->ops->entry(m->tree, entry, slab);
}

void tarn_members_body(struct tarn_members *m, struct tarn_tree_member *member,
                       const struct tarn_slice *slice, size_t from, size_t len,
                       uint64_t at)
{
  struct tarn_slice body;

  if (!member)
    return;
  body = tarn_slice_dup(slice);
  body.ptr += from;
  body.len = len;
  m->tree->ops->body(m->tree, member, body, at);
}

void tarn_members_finish(struct tarn_members *m,
                         struct tarn_tree_member *member)
{
  if (member)
    m->tree->ops->finish(m->tree, member);
}

void tarn_members_refused(struct tarn_members *m, const struct tarn_err *err)
{
  if (!count(m))
    return;
  m->flow->failed++;
  m->flow->warn(m->flow, err);
}
