#include "loop/defer.h"

static void on_check(uv_check_t *check)
{
  struct tarn_defers *q = check->data;
  struct tarn_list now, *link;

  tarn_list_init(&now);
  tarn_list_splice(&now, &q->queue);
  while ((link = tarn_list_shift(&now))) {
    struct tarn_defer *d = TARN_CONTAINER(link, struct tarn_defer, link);
    d->cb(d);
  }
  if (tarn_list_empty(&q->queue) && !uv_is_closing((uv_handle_t *)&q->idle))
    (void)uv_idle_stop(&q->idle);
}

static void on_idle(uv_idle_t *idle)
{
  (void)idle;
}

void tarn_defers_init(struct tarn_defers *q, uv_loop_t *loop)
{
  tarn_list_init(&q->queue);
  /* None of these can fail on Unix. */
  (void)uv_check_init(loop, &q->check);
  (void)uv_idle_init(loop, &q->idle);
  q->check.data = q;
  q->idle.data = q;
  (void)uv_check_start(&q->check, on_check);
  uv_unref((uv_handle_t *)&q->check);
}

static void on_closed(uv_handle_t *handle)
{
  struct tarn_defers *q = handle->data;

  tarn_closer_drop(q->closer);
}

void tarn_defers_close(struct tarn_defers *q, struct tarn_closer *closer)
{
  q->closer = closer;
  tarn_closer_hold(closer);
  tarn_closer_hold(closer);
  uv_close((uv_handle_t *)&q->check, on_closed);
  uv_close((uv_handle_t *)&q->idle, on_closed);
}

void tarn_defer_init(struct tarn_defer *d, void (*cb)(struct tarn_defer *d))
{
  tarn_list_init(&d->link);
  d->cb = cb;
}

void tarn_defer_schedule(struct tarn_defers *q, struct tarn_defer *d)
{
  if (!tarn_list_empty(&d->link) || uv_is_closing((uv_handle_t *)&q->idle))
    return;
  tarn_list_append(&q->queue, &d->link);
  if (!uv_is_active((uv_handle_t *)&q->idle))
    (void)uv_idle_start(&q->idle, on_idle);
}

void tarn_defer_cancel(struct tarn_defer *d)
{
  tarn_list_remove(&d->link);
}
