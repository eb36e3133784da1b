/*
 * Inside source_http: shared by source_http.c (what to ask for),
 * source_http_time.c (when, and whether it is fast enough) and
 * source_http_end.c (what the end of a request means).
 */
#ifndef TARN_STAGE_SOURCE_HTTP_IMPL_H
#define TARN_STAGE_SOURCE_HTTP_IMPL_H

#include "http/backoff.h"
#include "http/plan.h"
#include "stage/source_http.h"
#include "stage/span.h"

/* Without --retry-count a job ends after so long without a byte. */
#define TARN_GIVE_UP_MS    120000u
/* So many bytes in a row and earlier failures are forgotten. */
#define TARN_FORGIVE_BYTES (1024u * 1024u)
#define TARN_MAX_REDIRECTS 10u

struct tarn_source_http {
  struct tarn_source_stage source;
  struct tarn_flow *flow;
  struct tarn_reorder *reorder;
  struct tarn_http_settings settings;
  char shown[512]; /* the URL for texts */

  /* What was asked for in the options. */
  unsigned connections;
  bool has_retry_count;
  unsigned retry_count;
  uint64_t min_speed, window_ms;
  int *fail_statuses;
  size_t n_fail_statuses;

  /* The object. */
  struct tarn_object object;
  struct tarn_reply first_reply;
  bool object_told; /* the flow knows it: bytes may be delivered */
  bool streaming;   /* one span without ranges */
  bool plain;       /* ask without a range */
  bool no_conditions;
  bool end_known; /* total, proven below are final */
  uint64_t total;
  bool proven;

  /* Where it is fetched: the given URL, or the target it redirects to. */
  char *target;
  bool settled;   /* the present URL has answered well: bytes are coming */
  bool delivered; /* ... and has given bytes */
  unsigned redirects;

  struct tarn_plan plan;
  struct tarn_backoff backoff;
  struct tarn_list spans; /* not complete, in file order */
  unsigned n_running;
  struct tarn_speed *speeds; /* one for each of `connections` */
  uint64_t gate_ms;          /* the host wants no request before */
  uint64_t last_byte_ms;     /* or the start */
  bool any_byte;

  uv_timer_t timer;
  uint64_t alarm_ms; /* when the timer should fire */
  uint64_t tick_ms;  /* when speeds are looked at next */
  struct tarn_defer step;
  struct tarn_budget_waiter room;
  struct tarn_meter meter;
  bool loading; /* certificates */
  bool started, closed, done;
};

static inline struct tarn_span *tarn_span_of(struct tarn_list *link)
{
  return TARN_CONTAINER(link, struct tarn_span, link);
}

/* Milliseconds of the loop's clock. */
static inline uint64_t tarn_source_http_now(const struct tarn_source_http *src)
{
  return uv_now(src->flow->env->loop);
}

/* Does all that is possible now; harmless when nothing is. */
void tarn_source_http_advance(struct tarn_source_http *src);
/* A request of `span` begins on, ends on a connection, for its speed. */
void tarn_source_http_take_speed(struct tarn_source_http *src,
                                 struct tarn_span *span);
void tarn_source_http_leave_speed(struct tarn_source_http *src,
                                  struct tarn_span *span);
/* Sets the timer for what comes next. */
void tarn_source_http_arm(struct tarn_source_http *src);
/* The URL the next request goes to. */
const char *tarn_source_http_url(const struct tarn_source_http *src);
/* Schedules advance. */
void tarn_source_http_poke(struct tarn_source_http *src);
/* The request of `span` is over (on_done of xfer, or a stall). */
void tarn_source_http_ended(struct tarn_source_http *src,
                            struct tarn_span *span, const struct tarn_err *err,
                            const char *redirect);

#endif
