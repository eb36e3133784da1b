#include "stage/reorder.h"

struct waiting {
  struct tarn_list link;
  uint64_t at;
  struct tarn_slice slice;
};

/*
 * Invariants: `waiting` is sorted by offset, without overlap; its first is
 * above `at`.
 */
struct tarn_reorder {
  struct tarn_flow *flow;
  struct tarn_stage *next;
  uint64_t at;
  struct tarn_list waiting;
  bool has_end, ended, proven;
  uint64_t end;
};

struct tarn_reorder *tarn_reorder_new(struct tarn_flow *flow)
{
  struct tarn_reorder *r = calloc(1, sizeof *r);

  if (!r)
    return NULL;
  r->flow = flow;
  tarn_list_init(&r->waiting);
  return r;
}

void tarn_reorder_drop(struct tarn_reorder *r)
{
  struct tarn_list *link;

  while ((link = tarn_list_shift(&r->waiting))) {
    struct waiting *w = TARN_CONTAINER(link, struct waiting, link);

    tarn_slice_drop(&w->slice);
    free(w);
  }
}

void tarn_reorder_free(struct tarn_reorder *r)
{
  if (r)
    tarn_reorder_drop(r);
  free(r);
}

void tarn_reorder_to(struct tarn_reorder *r, struct tarn_stage *next)
{
  r->next = next;
}

/* Drops the first `n` bytes of a slice. */
static void behead(struct tarn_slice *slice, uint64_t n)
{
  if (n >= slice->len) {
    tarn_slice_drop(slice);
    return;
  }
  slice->ptr += n;
  slice->len -= (size_t)n;
}

static void pass(struct tarn_reorder *r, struct tarn_slice slice)
{
  r->at += slice.len;
  r->flow->raw_bytes = r->at;
  tarn_stage_put(r->next, slice);
}

/* Passes on all that has become contiguous. */
static void advance(struct tarn_reorder *r)
{
  struct tarn_list *link;

  while (!r->flow->over && (link = tarn_list_first(&r->waiting))) {
    struct waiting *w = TARN_CONTAINER(link, struct waiting, link);
    struct tarn_slice slice = w->slice;

    if (w->at > r->at)
      break;
    tarn_list_remove(link);
    behead(&slice, r->at - w->at);
    free(w);
    if (slice.len > 0)
      pass(r, slice);
  }
  if (r->has_end && !r->ended && !r->flow->over && r->at == r->end) {
    r->ended = true;
    tarn_stage_end(r->next, r->proven);
  }
}

static void keep(struct tarn_reorder *r, uint64_t at, struct tarn_slice slice)
{
  struct waiting *w = malloc(sizeof *w);
  struct tarn_list *before = r->waiting.prev;

  if (!w) {
    tarn_slice_drop(&slice);
    tarn_flow_fail(r->flow, TARN_ENOMEM, "reorder: out of memory");
    return;
  }
  w->at = at;
  w->slice = slice;
  tarn_list_init(&w->link);
  while (before != &r->waiting &&
         TARN_CONTAINER(before, struct waiting, link)->at > at)
    before = before->prev;
  tarn_list_insert(before, &w->link);
}

void tarn_reorder_put(struct tarn_reorder *r, uint64_t at,
                      struct tarn_slice slice)
{
  if (at <= r->at) {
    behead(&slice, r->at - at);
    if (slice.len > 0)
      pass(r, slice);
  } else {
    keep(r, at, slice);
  }
  advance(r);
}

void tarn_reorder_end(struct tarn_reorder *r, uint64_t total, bool proven)
{
  r->has_end = true;
  r->end = total;
  r->proven = proven;
  advance(r);
}

uint64_t tarn_reorder_at(const struct tarn_reorder *r)
{
  return r->at;
}
