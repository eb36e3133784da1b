#include "stage/sink_call.h"

struct sink_call {
  struct tarn_stage stage;
  struct tarn_flow *flow;
  bool allow_unproven;
  void (*call)(void *user, const void *ptr, size_t len);
  void *user;
  struct tarn_slice_queue lent;
  bool has_end, done, closed;
  struct tarn_defer step;
};

static struct sink_call *of(struct tarn_stage *stage)
{
  return TARN_CONTAINER(stage, struct sink_call, stage);
}

/* Finished when every byte's credit has come back. */
static void advance(struct sink_call *s)
{
  if (!s->has_end || s->done || s->closed || s->lent.bytes > 0)
    return;
  s->done = true;
  s->flow->finished(s->flow);
}

static void on_step(struct tarn_defer *d)
{
  advance(TARN_CONTAINER(d, struct sink_call, step));
}

static void put(struct tarn_stage *stage, struct tarn_slice slice)
{
  struct sink_call *s = of(stage);
  const void *ptr = slice.ptr;
  size_t len = slice.len;

  if (tarn_slice_queue_put(&s->lent, slice) != 0) {
    tarn_flow_fail(s->flow, TARN_ENOMEM, "output: out of memory");
    return;
  }
  s->call(s->user, ptr, len);
}

static void end(struct tarn_stage *stage, bool proven)
{
  struct sink_call *s = of(stage);

  if (!proven && !s->allow_unproven) {
    tarn_flow_fail(s->flow, TARN_EUNPROVEN,
                   "nothing proves that these bytes are all: no length, no "
                   "end mark");
    return;
  }
  s->has_end = true;
  tarn_defer_schedule(&s->flow->env->defers, &s->step);
}

void tarn_sink_call_consumed(struct tarn_stage *stage, size_t len)
{
  struct sink_call *s = of(stage);

  if (s->closed)
    return;
  (void)tarn_slice_queue_skip(&s->lent, len);
  tarn_defer_schedule(&s->flow->env->defers, &s->step);
}

static void close_stage(struct tarn_stage *stage, bool keep)
{
  struct sink_call *s = of(stage);

  (void)keep;
  s->closed = true;
  tarn_defer_cancel(&s->step);
  tarn_slice_queue_close(&s->lent);
}

static void free_stage(struct tarn_stage *stage)
{
  free(of(stage));
}

static const struct tarn_stage_ops ops = {"sink_call", put, end, close_stage,
                                          free_stage};

struct tarn_stage *
tarn_sink_call_new(struct tarn_flow *flow, bool allow_unproven,
                   void (*call)(void *user, const void *ptr, size_t len),
                   void *user)
{
  struct sink_call *s = calloc(1, sizeof *s);

  if (!s)
    return NULL;
  s->stage.ops = &ops;
  s->flow = flow;
  s->allow_unproven = allow_unproven;
  s->call = call;
  s->user = user;
  tarn_slice_queue_init(&s->lent);
  tarn_defer_init(&s->step, on_step);
  return &s->stage;
}
