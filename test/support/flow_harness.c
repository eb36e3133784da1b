#include "flow_harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"

enum { WATCHDOG_MS = 60000, HELD = 3 };

unsigned flow_random(unsigned *seed)
{
  *seed = *seed * 1103515245u + 12345u;
  return *seed >> 16 & 0x7fff;
}

static struct flow_harness *of(struct tarn_flow *flow)
{
  return TARN_CONTAINER(flow, struct flow_harness, flow);
}

static void on_fail(struct tarn_flow *flow, const struct tarn_err *err)
{
  assert_true(err->code < 0);
  of(flow)->n_fails++;
  tarn_err_first(&of(flow)->err, err);
  flow->over = true;
  uv_stop(&of(flow)->loop);
}

static void on_warn(struct tarn_flow *flow, const struct tarn_err *err)
{
  of(flow)->n_warnings++;
  of(flow)->last_warning = *err;
}

static void on_finished(struct tarn_flow *flow)
{
  assert_false(of(flow)->finished);
  of(flow)->finished = true;
  uv_stop(&of(flow)->loop);
}

static void on_flow_closed(struct tarn_closer *closer)
{
  of(TARN_CONTAINER(closer, struct tarn_flow, closer))->flow_closed = true;
}

static void on_env_closed(struct tarn_closer *closer)
{
  TARN_CONTAINER(closer, struct flow_harness, env_closer)->env_closed = true;
}

static void on_watchdog(uv_timer_t *timer)
{
  (void)timer;
  fail_msg("nothing happens any more");
}

static size_t power_below(size_t n, size_t least, size_t most)
{
  size_t p = least;

  while (p < most && p * 2 <= n)
    p *= 2;
  return p;
}

void flow_open(struct flow_harness *h, size_t memory)
{
  struct tarn_flow *flow = &h->flow;

  memset(h, 0, sizeof *h);
  assert_int_equal(uv_loop_init(&h->loop), 0);
  (void)uv_timer_init(&h->loop, &h->watchdog);
  (void)uv_timer_start(&h->watchdog, on_watchdog, WATCHDOG_MS, 0);
  (void)uv_idle_init(&h->loop, &h->feeder);
  h->feeder.data = h;
  h->env.loop = &h->loop;
  h->env.umask = 022;
  tarn_defers_init(&h->env.defers, &h->loop);
  tarn_work_init(&h->env.work, &h->loop, 4);
  assert_int_equal(tarn_curl_loop_init(&h->env.curl, &h->loop, &h->env.defers,
                                       &h->env.trace, NULL),
                   0);
  tarn_closer_init(&h->env_closer, on_env_closed);
  flow->env = &h->env;
  tarn_budget_init(&flow->total, SIZE_MAX, NULL);
  tarn_budget_init(&flow->in, memory / 2, &flow->total);
  tarn_budget_init(&flow->out, memory / 2, &flow->total);
  tarn_slab_pool_init(&flow->in_pool,
                      power_below(memory / 128, 16u << 10, 256u << 10));
  tarn_slab_pool_init(&flow->out_pool,
                      power_below(memory / 32, 64u << 10, 1u << 20));
  tarn_closer_init(&flow->closer, on_flow_closed);
  flow->fail = on_fail;
  flow->warn = on_warn;
  flow->finished = on_finished;
}

void flow_own(struct flow_harness *h, struct tarn_stage *stage)
{
  assert_non_null(stage);
  assert_true(h->n_stages < FLOW_STAGES);
  h->stages[h->n_stages++] = stage;
}

struct tarn_slice flow_slice(struct flow_harness *h, const void *ptr,
                             size_t len)
{
  struct tarn_slab *slab;
  struct tarn_slice slice;

  assert_true(len <= h->flow.in_pool.slab_size);
  tarn_budget_force(&h->flow.in, h->flow.in_pool.slab_size);
  slab = tarn_slab_new(&h->flow.in_pool, &h->flow.in);
  assert_non_null(slab);
  memcpy(slab->data, ptr, len);
  slice = tarn_slice_of(slab, 0, len);
  tarn_slab_unref(slab);
  return slice;
}

/* Pieces of one byte, some bytes, or a slab; several share one slab. */
static size_t piece_len(struct flow_harness *h)
{
  unsigned r;

  if (h->whole)
    return SIZE_MAX;
  r = flow_random(&h->seed);
  if (r % 8 == 0)
    return 1;
  if (r % 8 < 4)
    return 1 + flow_random(&h->seed) % 700;
  return 1 + flow_random(&h->seed) % (16u << 10);
}

static void feed_slab(struct flow_harness *h)
{
  size_t size = h->flow.in_pool.slab_size, fill = 0, n;
  struct tarn_slab *slab = tarn_slab_new(&h->flow.in_pool, &h->flow.in);

  assert_non_null(slab);
  while (fill < size && h->at < h->len && !h->flow.over) {
    n = tarn_min_size(piece_len(h), tarn_min_size(size - fill, h->len - h->at));
    memcpy(slab->data + fill, h->ptr + h->at, n);
    h->at += n;
    tarn_stage_put(h->to, tarn_slice_of(slab, fill, n));
    fill += n;
    if (!h->whole && flow_random(&h->seed) % 16 == 0)
      break;
  }
  tarn_slab_unref(slab);
}

static void on_feed(uv_idle_t *idle)
{
  struct flow_harness *h = idle->data;

  if (h->flow.over) {
    (void)uv_idle_stop(idle);
    return;
  }
  if (h->at < h->len) {
    if (tarn_budget_reserve(&h->flow.in, h->flow.in_pool.slab_size))
      feed_slab(h);
    return;
  }
  (void)uv_idle_stop(idle);
  tarn_stage_end(h->to, !h->unproven);
}

void flow_feed(struct flow_harness *h, struct tarn_stage *to,
               const uint8_t *ptr, size_t len, unsigned seed)
{
  h->to = to;
  h->ptr = ptr;
  h->len = len;
  h->at = 0;
  h->seed = seed;
  h->whole = seed == 0;
  (void)uv_idle_start(&h->feeder, on_feed);
}

void flow_run(struct flow_harness *h)
{
  while (!h->finished && !h->err.code)
    (void)uv_run(&h->loop, UV_RUN_DEFAULT);
}

void flow_close(struct flow_harness *h, bool keep)
{
  size_t i;

  h->flow.over = true;
  (void)uv_idle_stop(&h->feeder);
  for (i = 0; i < h->n_stages; i++)
    h->stages[i]->ops->close(h->stages[i], keep);
  tarn_closer_drop(&h->flow.closer);
  while (!h->flow_closed)
    (void)uv_run(&h->loop, UV_RUN_ONCE);
  for (i = 0; i < h->n_stages; i++)
    h->stages[i]->ops->free(h->stages[i]);
  assert_int_equal(h->flow.in.used, 0);
  assert_int_equal(h->flow.out.used, 0);
  assert_int_equal(h->flow.total.used, 0);
  tarn_slab_pool_close(&h->flow.in_pool);
  tarn_slab_pool_close(&h->flow.out_pool);
  tarn_curl_loop_close(&h->env.curl, &h->env_closer);
  tarn_defers_close(&h->env.defers, &h->env_closer);
  tarn_closer_drop(&h->env_closer);
  uv_close((uv_handle_t *)&h->watchdog, NULL);
  uv_close((uv_handle_t *)&h->feeder, NULL);
  (void)uv_run(&h->loop, UV_RUN_DEFAULT);
  assert_true(h->env_closed);
  assert_int_equal(uv_loop_close(&h->loop), 0);
}

/* ---- the collector ---- */

static struct flow_collector *collector(struct tarn_stage *stage)
{
  return TARN_CONTAINER(stage, struct flow_collector, stage);
}

static void let_go(struct flow_collector *c)
{
  struct tarn_slice slice;

  if (tarn_slice_queue_take(&c->held, &slice))
    tarn_slice_drop(&slice);
}

static void on_idle(uv_idle_t *idle)
{
  let_go(idle->data);
}

static void collect(struct tarn_stage *stage, struct tarn_slice slice)
{
  struct flow_collector *c = collector(stage);

  assert_false(c->ended);
  bytes_put(&c->got, slice.ptr, slice.len);
  if (!c->hold) {
    tarn_slice_drop(&slice);
    return;
  }
  assert_int_equal(tarn_slice_queue_put(&c->held, slice), 0);
  while (c->held.n > HELD)
    let_go(c);
}

static void collect_end(struct tarn_stage *stage, bool proven)
{
  struct flow_collector *c = collector(stage);

  assert_false(c->ended);
  c->ended = true;
  c->proven = proven;
  c->h->flow.finished(&c->h->flow);
}

static void on_collector_closed(uv_handle_t *handle)
{
  struct flow_collector *c = handle->data;

  tarn_closer_drop(&c->h->flow.closer);
}

static void collect_close(struct tarn_stage *stage, bool keep)
{
  struct flow_collector *c = collector(stage);

  (void)keep;
  tarn_slice_queue_close(&c->held);
  tarn_closer_hold(&c->h->flow.closer);
  uv_close((uv_handle_t *)&c->idle, on_collector_closed);
}

static void collect_free(struct tarn_stage *stage)
{
  (void)stage;
}

void flow_collector_init(struct flow_collector *c, struct flow_harness *h,
                         bool hold)
{
  static const struct tarn_stage_ops ops = {"collector", collect, collect_end,
                                            collect_close, collect_free};

  memset(c, 0, sizeof *c);
  c->stage.ops = &ops;
  c->h = h;
  c->hold = hold;
  tarn_slice_queue_init(&c->held);
  (void)uv_idle_init(&h->loop, &c->idle);
  c->idle.data = c;
  (void)uv_idle_start(&c->idle, on_idle);
  flow_own(h, &c->stage);
}
