/* The clock of source_http: speeds over a window, pauses, a process that was
   stopped. */
#include "base/num.h"
#include "stage/source_http_impl.h"

/* How often speeds are looked at. */
#define TICK_MS      100u
/* A timer this late means that the process did not run. */
#define SUSPENDED_MS 2000u

void tarn_source_http_take_speed(struct tarn_source_http *src,
                                 struct tarn_span *span)
{
  struct tarn_speed *speed = src->speeds;

  /* No more requests run than there are connections: one is free. */
  while (speed->taken)
    speed++;
  speed->taken = true;
  if (span->fresh)
    speed->counted = false;
  /* Time without a request is not the connection's. */
  speed->since_ms += tarn_source_http_now(src) - speed->idle_ms;
  span->speed = speed;
}

void tarn_source_http_leave_speed(struct tarn_source_http *src,
                                  struct tarn_span *span)
{
  if (!span->speed)
    return;
  span->speed->taken = false;
  span->speed->idle_ms = tarn_source_http_now(src);
  span->speed = NULL;
}

static void begin_window(struct tarn_speed *speed, uint64_t now, bool counted)
{
  speed->counted = counted;
  speed->since_ms = now;
  speed->bytes = 0;
}

static void check_speed(struct tarn_source_http *src, struct tarn_span *span)
{
  struct tarn_speed *speed = span->speed;
  uint64_t now = tarn_source_http_now(src), passed = now - speed->since_ms;
  struct tarn_err err;

  if (!speed->counted || span->starved) {
    begin_window(speed, now, span->xfer.connected && !span->starved);
    return;
  }
  if (passed < src->window_ms)
    return;
  if (speed->bytes * 1000 >= src->min_speed * passed) {
    begin_window(speed, now, true);
    return;
  }
  speed->counted = false;
  (void)tarn_err_set(
      &err, TARN_ETRANSFER, "slower than %llu bytes/s for %llu ms",
      (unsigned long long)src->min_speed, (unsigned long long)passed);
  tarn_xfer_stop(&span->xfer);
  if (src->object_told)
    tarn_span_deliver(span, src->reorder);
  /* A refusal stands, whatever became of its body. Where a redirect leads is
     told at the end only. */
  if (span->verdict == TARN_REPLY_REDIRECT)
    span->verdict = 0;
  tarn_source_http_ended(src, span, &err, NULL);
}

static void check_speeds(struct tarn_source_http *src)
{
  struct tarn_list *link, *next;

  if (src->min_speed == 0)
    return;
  for (link = src->spans.next; link != &src->spans && !src->flow->over;
       link = next) {
    next = link->next;
    if (tarn_span_of(link)->sm.state == TARN_SPAN_RUNNING)
      check_speed(src, tarn_span_of(link));
  }
}

/* Time during which the process was stopped counts for nothing. */
static void forgive(struct tarn_source_http *src, uint64_t ms)
{
  unsigned i;

  src->last_byte_ms += ms;
  for (i = 0; i < src->connections; i++)
    src->speeds[i].counted = false;
}

static void notice_pause(struct tarn_source_http *src, uint64_t now)
{
  if (src->alarm_ms > 0 && now > src->alarm_ms + SUSPENDED_MS)
    forgive(src, now - src->alarm_ms);
}

static void on_timer(uv_timer_t *timer)
{
  struct tarn_source_http *src = timer->data;
  uint64_t now = tarn_source_http_now(src);

  notice_pause(src, now);
  if (now >= src->tick_ms) {
    src->tick_ms = now + TICK_MS;
    check_speeds(src);
  }
  tarn_source_http_advance(src);
}

void tarn_source_http_arm(struct tarn_source_http *src)
{
  uint64_t now = tarn_source_http_now(src),
           at = tarn_max_u64(src->tick_ms, now);
  struct tarn_list *link;

  /* Bytes may be seen before the timer that is late. */
  notice_pause(src, now);
  for (link = src->spans.next; link != &src->spans; link = link->next)
    if (tarn_span_of(link)->sm.state == TARN_SPAN_WAITING)
      at = tarn_min_u64(at, tarn_max_u64(tarn_span_of(link)->due_ms, now));
  if (src->gate_ms > now)
    at = tarn_min_u64(at, src->gate_ms);
  src->alarm_ms = at;
  (void)uv_timer_start(&src->timer, on_timer, at - now, 0);
}
