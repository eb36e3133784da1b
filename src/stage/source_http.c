#include "stage/source_http_impl.h"

#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "loop/url.h"

const char *tarn_source_http_url(const struct tarn_source_http *src)
{
  return src->target ? src->target : src->settings.url;
}

void tarn_source_http_poke(struct tarn_source_http *src)
{
  if (!src->closed)
    tarn_defer_schedule(&src->flow->env->defers, &src->step);
}

static void deliver(struct tarn_source_http *src);

/* ---- one request ---- */

static void learn(struct tarn_source_http *src, struct tarn_span *span)
{
  const struct tarn_reply *reply = &span->xfer.reply;

  src->settled = true;
  src->redirects = 0;
  if (span->after_412)
    src->no_conditions = true;
  if (src->object.known)
    return;
  tarn_object_learn(&src->object, reply, span->verdict);
  src->first_reply = *reply;
  if (src->object.has_total) {
    src->flow->has_wire_total = true;
    src->flow->wire_total = src->object.total;
    tarn_plan_total(&src->plan, src->object.total);
    if (span->verdict == TARN_REPLY_RANGE)
      span->end = tarn_min_u64(span->end, src->object.total);
  }
  tarn_source_http_poke(src);
}

/* A whole reply in the middle of ranges is never spliced in (T4). */
static void judge_whole(struct tarn_source_http *src, struct tarn_span *span)
{
  const struct tarn_reply *reply = &span->xfer.reply;

  if (src->object.known && !src->streaming) {
    (void)tarn_err_set(&span->refusal, TARN_EPROTO,
                       "a whole reply (200) among ranges");
    span->verdict = TARN_REPLY_RETRY;
    return;
  }
  src->streaming = src->plain = true;
  /* Begun anew without a length, it must still have the one that was told. */
  if (reply->has_length)
    span->limit = reply->length;
  else
    span->limit = src->object.has_total ? src->object.total : TARN_SPAN_NO_END;
  tarn_span_stream(span, span->limit);
}

static bool on_head(struct tarn_xfer *x)
{
  struct tarn_span *span = TARN_CONTAINER(x, struct tarn_span, xfer);
  struct tarn_source_http *src = span->owner;

  span->verdict =
      tarn_reply_judge(&x->reply, &span->ask, &src->object, &span->refusal);
  TARN_TRACE(&src->flow->env->trace, TARN_TRACE_TRANSFER,
             "reply %d to bytes %llu-: verdict %d", x->reply.status,
             (unsigned long long)span->at, (int)span->verdict);
  if (span->verdict == TARN_REPLY_WHOLE)
    judge_whole(src, span);
  if (span->verdict == TARN_REPLY_RANGE)
    span->limit = x->reply.last + 1;
  if (span->verdict == TARN_REPLY_RANGE || span->verdict == TARN_REPLY_WHOLE ||
      span->verdict == TARN_REPLY_EMPTY)
    learn(src, span);
  return span->verdict == TARN_REPLY_RANGE || span->verdict == TARN_REPLY_WHOLE;
}

static bool on_data(struct tarn_xfer *x, const uint8_t *ptr, size_t len)
{
  struct tarn_span *span = TARN_CONTAINER(x, struct tarn_span, xfer);
  struct tarn_source_http *src = span->owner;
  bool taken = tarn_span_take(span, ptr, len);

  if (taken && span->at > span->skip) {
    src->any_byte = src->delivered = true;
    src->last_byte_ms = tarn_source_http_now(src);
  }
  tarn_source_http_poke(src);
  return taken;
}

static void on_done(struct tarn_xfer *x, const struct tarn_err *err,
                    const char *redirect)
{
  struct tarn_span *span = TARN_CONTAINER(x, struct tarn_span, xfer);
  struct tarn_source_http *src = span->owner;

  /* A short span may end before the step that tells of the object. */
  if (!src->flow->over)
    deliver(src);
  if (!src->flow->over)
    tarn_source_http_ended(src, span, err, redirect);
}

static void set_ask(struct tarn_source_http *src, struct tarn_span *span)
{
  struct tarn_ask *ask = &span->ask;

  memset(ask, 0, sizeof *ask);
  ask->ranged = !src->plain && !src->streaming;
  ask->first = span->at;
  ask->last = span->end - 1;
  ask->redirected = src->target != NULL;
  ask->delivered = src->delivered || src->settled;
  ask->after_412 = span->after_412;
  ask->conditional = ask->ranged && src->object.known && src->object.etag[0] &&
                     !src->object.etag_weak && !src->object.etag_folded &&
                     !src->no_conditions && !span->after_412;
  ask->fail_statuses = src->fail_statuses;
  ask->n_fail_statuses = src->n_fail_statuses;
}

static void start_span(struct tarn_source_http *src, struct tarn_span *span)
{
  struct tarn_xfer_ask ask;
  struct tarn_err err;

  set_ask(src, span);
  free(span->asked_url);
  span->asked_url = strdup(tarn_source_http_url(src));
  span->verdict = 0;
  span->overrun = false;
  span->starved = span->was_starved = false;
  span->limit = span->end;
  tarn_err_clear(&span->refusal);
  ask = (struct tarn_xfer_ask){tarn_source_http_url(src),
                               span->ask.ranged,
                               span->ask.first,
                               span->ask.last,
                               span->ask.conditional ? src->object.etag : NULL,
                               span->fresh};
  tarn_source_http_take_speed(src, span);
  span->fresh = false;
  tarn_sm_to(&span->sm, TARN_SPAN_RUNNING);
  src->n_running++;
  src->flow->connections = src->n_running;
  TARN_TRACE(&src->flow->env->trace, TARN_TRACE_TRANSFER,
             "ask for bytes %llu-%llu", (unsigned long long)ask.first,
             (unsigned long long)ask.last);
  if (!span->asked_url ||
      tarn_xfer_start(&span->xfer, &src->settings, &ask, &err) != 0) {
    if (!span->asked_url)
      (void)tarn_err_nomem(&err, "request");
    src->flow->fail(src->flow, &err);
  }
}

/* ---- what to ask for ---- */

static bool may_start(const struct tarn_source_http *src)
{
  unsigned most = src->connections;

  /* Until a URL has answered well, one request finds out. Without a known
     length ranges go one after another. */
  if (!src->settled || src->streaming ||
      (src->object.known && !src->object.has_total))
    most = 1;
  return src->n_running < most && tarn_source_http_now(src) >= src->gate_ms;
}

static void start_waiting(struct tarn_source_http *src)
{
  uint64_t now = tarn_source_http_now(src);
  struct tarn_list *link;

  for (link = src->spans.next; link != &src->spans; link = link->next) {
    struct tarn_span *span = tarn_span_of(link);

    if (span->sm.state == TARN_SPAN_WAITING && span->due_ms <= now)
      tarn_sm_to(&span->sm, TARN_SPAN_READY);
    if (span->sm.state == TARN_SPAN_READY && may_start(src) && !src->flow->over)
      start_span(src, span);
  }
}

static bool all_planned(const struct tarn_source_http *src)
{
  return src->end_known || src->streaming || tarn_plan_peek(&src->plan) == 0;
}

static bool plan_span(struct tarn_source_http *src)
{
  uint64_t at, len = tarn_plan_peek(&src->plan);
  size_t cost = tarn_span_cost(src->flow, len);
  struct tarn_span *span;

  if (!tarn_budget_reserve(&src->flow->in, cost)) {
    TARN_TRACE(&src->flow->env->trace, TARN_TRACE_MEMORY,
               "input: %zu of %zu bytes in use, %zu more must wait",
               src->flow->in.used, src->flow->in.cap, cost);
    tarn_budget_wait(&src->flow->in, &src->room);
    tarn_meter_to(&src->meter, &src->flow->network, TARN_METER_WAIT_OUT);
    return false;
  }
  (void)tarn_plan_next(&src->plan, &at, &len);
  span = tarn_span_new(src->flow, src, at, len, cost);
  if (!span) {
    tarn_budget_release(&src->flow->in, cost);
    tarn_flow_fail(src->flow, TARN_ENOMEM, "range: out of memory");
    return false;
  }
  span->xfer.on_head = on_head;
  span->xfer.on_data = on_data;
  span->xfer.on_done = on_done;
  tarn_list_append(&src->spans, &span->link);
  start_span(src, span);
  return true;
}

static unsigned count_spans(const struct tarn_source_http *src)
{
  const struct tarn_list *link;
  unsigned n = 0;

  for (link = src->spans.next; link != &src->spans; link = link->next)
    n++;
  return n;
}

/* A probe is out while nothing is known: its span is all there is. A span that
   waits for its next try keeps its connection. */
static bool may_plan(const struct tarn_source_http *src)
{
  if (all_planned(src) || !may_start(src) || src->flow->over ||
      count_spans(src) >= src->connections)
    return false;
  return src->object.known
             ? src->object.has_total || tarn_list_empty(&src->spans)
             : src->plan.next == 0;
}

static void deliver(struct tarn_source_http *src)
{
  struct tarn_list *link;

  if (!src->object_told && src->object.known) {
    src->object_told = true;
    src->flow->object(src->flow, &src->first_reply);
  }
  if (!src->object_told)
    return;
  for (link = src->spans.next; link != &src->spans && !src->flow->over;
       link = link->next)
    tarn_span_deliver(tarn_span_of(link), src->reorder);
}

/* Spans that paused for lack of a slab try again. */
static void wake_starved(struct tarn_source_http *src)
{
  struct tarn_list *link;

  for (link = src->spans.next; link != &src->spans; link = link->next) {
    struct tarn_span *span = tarn_span_of(link);

    if (span->starved && span->sm.state == TARN_SPAN_RUNNING) {
      size_t slab = src->flow->in_pool.slab_size;

      if (!tarn_budget_reserve(&src->flow->in, slab)) {
        tarn_budget_wait(&src->flow->in, &src->room);
        tarn_meter_to(&src->meter, &src->flow->network, TARN_METER_WAIT_OUT);
        continue;
      }
      span->paid += slab;
      span->starved = false;
      tarn_xfer_resume(&span->xfer);
    }
  }
}

/* A reply that went on too far, or no memory: the pause becomes an end. */
static void stop_broken(struct tarn_source_http *src)
{
  struct tarn_list *link = src->spans.next, *next;
  struct tarn_err none;

  tarn_err_clear(&none);
  for (; link != &src->spans && !src->flow->over; link = next) {
    struct tarn_span *span = tarn_span_of(link);

    next = link->next;
    if (span->sm.state != TARN_SPAN_RUNNING ||
        (!span->overrun && !span->no_memory))
      continue;
    tarn_xfer_stop(&span->xfer);
    tarn_source_http_ended(src, span, &none, NULL);
  }
}

static void finish(struct tarn_source_http *src)
{
  if (src->done || !all_planned(src) || !tarn_list_empty(&src->spans))
    return;
  if (!src->object.known)
    return;
  if (!src->end_known) {
    src->end_known = true;
    src->total = src->object.total;
    src->proven = true;
  }
  src->done = true;
  (void)uv_timer_stop(&src->timer);
  tarn_budget_unwait(&src->room);
  tarn_meter_to(&src->meter, &src->flow->network, TARN_METER_WAIT_IN);
  tarn_reorder_end(src->reorder, src->total, src->proven);
}

static void on_certificates(void *user)
{
  struct tarn_source_http *src = user;

  src->loading = false;
  tarn_source_http_poke(src);
  tarn_closer_drop(&src->flow->closer);
}

/* Trusted certificates come from a worker, before the first request by https,
   the given URL's or a redirect's. True when they are there or not needed. */
static bool has_certificates(struct tarn_source_http *src)
{
  struct tarn_err err;
  int ready;

  if ((src->settings.flags & TARN_INSECURE) ||
      strncasecmp(tarn_source_http_url(src), "https:", 6) != 0)
    return true;
  ready = tarn_ca_store_ready(src->settings.ca, &err);
  if (ready < 0) {
    src->flow->fail(src->flow, &err);
  } else if (ready == 0 && !src->loading) {
    src->loading = true;
    tarn_closer_hold(&src->flow->closer);
    tarn_ca_store_load(src->settings.ca, on_certificates, src);
  }
  return ready > 0;
}

/* Does all that is possible now; harmless when nothing is. */
void tarn_source_http_advance(struct tarn_source_http *src)
{
  if (src->closed || !src->started || src->flow->over)
    return;
  if (tarn_list_empty(&src->room.link))
    tarn_meter_to(&src->meter, &src->flow->network, TARN_METER_BUSY);
  deliver(src);
  stop_broken(src);
  wake_starved(src);
  if (has_certificates(src)) {
    start_waiting(src);
    while (may_plan(src) && plan_span(src))
      ;
  }
  if (src->flow->over)
    return;
  finish(src);
  if (!src->done)
    tarn_source_http_arm(src);
}

static void on_step(struct tarn_defer *d)
{
  tarn_source_http_advance(TARN_CONTAINER(d, struct tarn_source_http, step));
}

static void on_room(struct tarn_budget_waiter *w)
{
  tarn_source_http_poke(TARN_CONTAINER(w, struct tarn_source_http, room));
}

/* ---- life ---- */

static struct tarn_source_http *of(struct tarn_source_stage *source)
{
  return TARN_CONTAINER(source, struct tarn_source_http, source);
}

static void start(struct tarn_source_stage *source)
{
  struct tarn_source_http *src = of(source);

  src->last_byte_ms = tarn_source_http_now(src);
  src->started = true;
  tarn_source_http_poke(src);
}

/* Spans as large as is useful, but so that every connection can have one and
   one more can wait in reorder. */
static void set_plan(struct tarn_source_http *src,
                     const struct tarn_get_options *opts)
{
  uint64_t slab = src->flow->in_pool.slab_size;
  uint64_t fits = src->flow->in.cap / (src->connections + 1) / slab * slab;
  uint64_t len = tarn_min_u64(4u << 20, tarn_max_u64(fits, slab));
  uint64_t first = tarn_min_u64(1u << 20, len);

  if (opts->chunk_size > 0) {
    len = tarn_min_u64(opts->chunk_size, tarn_max_u64(fits, slab));
    first = tarn_min_u64(first, len);
  }
  tarn_plan_init(&src->plan, first, len, src->connections);
}

static bool copy_statuses(struct tarn_source_http *src,
                          const struct tarn_get_options *opts)
{
  if (opts->n_fail_statuses == 0)
    return true;
  src->fail_statuses = calloc(opts->n_fail_statuses, sizeof(int));
  if (!src->fail_statuses)
    return false;
  memcpy(src->fail_statuses, opts->fail_statuses,
         opts->n_fail_statuses * sizeof(int));
  src->n_fail_statuses = opts->n_fail_statuses;
  return true;
}

static void set_limits(struct tarn_source_http *src,
                       const struct tarn_get_options *opts)
{
  src->connections = opts->connections ? opts->connections : 4;
  src->has_retry_count = opts->has_retry_count != 0;
  src->retry_count = opts->retry_count;
  src->min_speed = opts->has_min_speed ? opts->min_speed : 1000;
  src->window_ms = opts->min_speed_wait_ms ? opts->min_speed_wait_ms : 5000;
  tarn_backoff_init(&src->backoff,
                    opts->retry_wait_ms ? opts->retry_wait_ms : 1000,
                    opts->max_wait_ms ? opts->max_wait_ms : 10000, uv_hrtime());
}

static void on_timer_closed(uv_handle_t *handle)
{
  struct tarn_source_http *src = handle->data;

  tarn_closer_drop(&src->flow->closer);
}

static void close_source(struct tarn_source_stage *source)
{
  struct tarn_source_http *src = of(source);
  struct tarn_list *link;

  if (src->closed)
    return;
  src->closed = true;
  src->flow->connections = 0;
  while ((link = tarn_list_first(&src->spans)))
    tarn_span_free(tarn_span_of(link));
  tarn_defer_cancel(&src->step);
  tarn_budget_unwait(&src->room);
  tarn_closer_hold(&src->flow->closer);
  uv_close((uv_handle_t *)&src->timer, on_timer_closed);
}

static void free_source(struct tarn_source_stage *source)
{
  struct tarn_source_http *src = of(source);

  tarn_http_settings_close(&src->settings);
  free(src->target);
  free(src->fail_statuses);
  free(src->speeds);
  free(src);
}

static const struct tarn_source_ops ops = {start, close_source, free_source};

int tarn_source_http_new(struct tarn_source_stage **out, struct tarn_flow *flow,
                         struct tarn_reorder *reorder,
                         const struct tarn_get_options *opts,
                         struct tarn_err *err)
{
  struct tarn_source_http *src = calloc(1, sizeof *src);
  int rc;

  *out = NULL;
  if (!src)
    return tarn_err_nomem(err, "transfer");
  src->flow = flow;
  src->reorder = reorder;
  tarn_list_init(&src->spans);
  tarn_defer_init(&src->step, on_step);
  tarn_budget_waiter_init(&src->room, on_room);
  tarn_meter_init(&src->meter);
  tarn_url_public(opts->url, src->shown, sizeof src->shown);
  set_limits(src, opts);
  set_plan(src, opts);
  rc = tarn_http_settings_init(&src->settings, &flow->env->work, opts, err);
  src->speeds = calloc(src->connections, sizeof *src->speeds);
  if (rc == 0 && (!src->speeds || !copy_statuses(src, opts))) {
    tarn_http_settings_close(&src->settings);
    rc = tarn_err_nomem(err, "transfer");
  }
  if (rc) {
    free(src->speeds);
    free(src);
    return rc;
  }
  (void)uv_timer_init(flow->env->loop, &src->timer);
  src->timer.data = src;
  src->source.ops = &ops;
  *out = &src->source;
  return 0;
}
