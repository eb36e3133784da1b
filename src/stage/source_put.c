#include "stage/source_put.h"

#include <string.h>

#include "base/num.h"

struct source_put {
  struct tarn_source_stage source;
  struct tarn_flow *flow;
  struct tarn_reorder *reorder;
  void (*on_room)(void *user);
  void *user;
  struct tarn_slab *slab;
  size_t fill;
  struct tarn_slice_queue got; /* handed on by the next step */
  uint64_t at;
  struct tarn_budget_waiter room;
  struct tarn_defer step;
  bool has_end, ended, refused, closed;
};

static struct source_put *of(struct tarn_source_stage *source)
{
  return TARN_CONTAINER(source, struct source_put, source);
}

static bool make_room(struct source_put *s)
{
  size_t size = s->flow->in_pool.slab_size;

  if (s->slab && s->fill < size)
    return true;
  if (!tarn_budget_reserve(&s->flow->in, size))
    return false;
  tarn_slab_unref(s->slab);
  s->slab = tarn_slab_new(&s->flow->in_pool, &s->flow->in);
  s->fill = 0;
  if (!s->slab) {
    tarn_budget_release(&s->flow->in, size);
    tarn_flow_fail(s->flow, TARN_ENOMEM, "input: out of memory");
  }
  return s->slab != NULL;
}

int64_t tarn_source_put_bytes(struct tarn_source_stage *source, const void *ptr,
                              size_t len)
{
  struct source_put *s = of(source);
  size_t done = 0, n;

  if (s->has_end)
    return TARN_EINVAL;
  while (done < len && !s->closed && !s->flow->over && make_room(s)) {
    n = tarn_min_size(len - done, s->flow->in_pool.slab_size - s->fill);
    memcpy(s->slab->data + s->fill, (const uint8_t *)ptr + done, n);
    if (tarn_slice_queue_put(&s->got, tarn_slice_of(s->slab, s->fill, n))) {
      tarn_flow_fail(s->flow, TARN_ENOMEM, "input: out of memory");
      return TARN_ENOMEM;
    }
    s->fill += n;
    done += n;
  }
  if (done < len && !s->closed && !s->flow->over) {
    s->refused = true;
    tarn_budget_wait(&s->flow->in, &s->room);
  }
  if (!s->closed)
    tarn_defer_schedule(&s->flow->env->defers, &s->step);
  return (int64_t)done;
}

int tarn_source_put_end(struct tarn_source_stage *source)
{
  struct source_put *s = of(source);

  if (s->has_end)
    return TARN_EINVAL;
  s->has_end = true;
  if (!s->closed)
    tarn_defer_schedule(&s->flow->env->defers, &s->step);
  return 0;
}

static void advance(struct source_put *s)
{
  struct tarn_slice slice;
  uint64_t at;

  while (!s->flow->over && tarn_slice_queue_take(&s->got, &slice)) {
    at = s->at;
    s->at += slice.len;
    s->flow->wire_bytes = s->at;
    tarn_reorder_put(s->reorder, at, slice);
  }
  if (s->flow->over)
    return;
  if (s->has_end && !s->ended) {
    s->ended = true;
    tarn_slab_unref(s->slab);
    s->slab = NULL;
    tarn_reorder_end(s->reorder, s->at, true);
  }
  if (s->refused && tarn_list_empty(&s->room.link)) {
    s->refused = false;
    s->on_room(s->user);
  }
}

static void on_step(struct tarn_defer *d)
{
  advance(TARN_CONTAINER(d, struct source_put, step));
}

static void on_room(struct tarn_budget_waiter *w)
{
  struct source_put *s = TARN_CONTAINER(w, struct source_put, room);

  tarn_defer_schedule(&s->flow->env->defers, &s->step);
}

static void start(struct tarn_source_stage *source)
{
  struct source_put *s = of(source);
  struct tarn_reply none;

  tarn_reply_init(&none, 0);
  s->flow->object(s->flow, &none);
}

static void close_source(struct tarn_source_stage *source)
{
  struct source_put *s = of(source);

  s->closed = true;
  tarn_budget_unwait(&s->room);
  tarn_defer_cancel(&s->step);
  tarn_slice_queue_close(&s->got);
  tarn_slab_unref(s->slab);
  s->slab = NULL;
}

static void free_source(struct tarn_source_stage *source)
{
  free(of(source));
}

static const struct tarn_source_ops ops = {start, close_source, free_source};

struct tarn_source_stage *tarn_source_put_new(struct tarn_flow *flow,
                                              struct tarn_reorder *reorder,
                                              void (*on_room_cb)(void *user),
                                              void *user)
{
  struct source_put *s = calloc(1, sizeof *s);

  if (!s)
    return NULL;
  s->source.ops = &ops;
  s->flow = flow;
  s->reorder = reorder;
  s->on_room = on_room_cb;
  s->user = user;
  tarn_slice_queue_init(&s->got);
  tarn_budget_waiter_init(&s->room, on_room);
  tarn_defer_init(&s->step, on_step);
  return &s->source;
}
