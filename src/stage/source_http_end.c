#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "loop/url.h"
#include "stage/source_http_impl.h"

/* Names the object and the offset. */
static void put_place(const struct tarn_source_http *src,
                      const struct tarn_span *span, struct tarn_err *err)
{
  err->at = span->at;
  if (span->at > 0)
    tarn_err_prefix(err, "%s: at byte %llu", src->shown,
                    (unsigned long long)span->at);
  else
    tarn_err_prefix(err, "%s", src->shown);
}

static void fail(struct tarn_source_http *src, const struct tarn_span *span,
                 const struct tarn_err *err)
{
  struct tarn_err told = *err;

  /* A host that has given bytes was reached. */
  if (told.code == TARN_EUNREACHABLE && src->any_byte)
    told.code = TARN_ETRANSFER;
  put_place(src, span, &told);
  src->flow->fail(src->flow, &told);
}

static void ask_again(struct tarn_source_http *src, struct tarn_span *span)
{
  tarn_sm_to(&span->sm, TARN_SPAN_READY);
  tarn_source_http_poke(src);
}

/* True when no more tries are left. */
static bool used_up(const struct tarn_source_http *src,
                    const struct tarn_span *span, uint64_t now)
{
  if (src->has_retry_count)
    return span->attempts > src->retry_count;
  return now - tarn_min_u64(src->last_byte_ms, now) >= TARN_GIVE_UP_MS;
}

/* A pause until then would end behind the time at which the job gives up. */
static bool too_long(const struct tarn_source_http *src, uint64_t until)
{
  return !src->has_retry_count &&
         until - tarn_min_u64(src->last_byte_ms, until) >= TARN_GIVE_UP_MS;
}

static bool is_final(const struct tarn_span *span, const struct tarn_err *err)
{
  return err->code == TARN_ENOMEM || err->code == TARN_EFILE ||
         span->xfer.hopeless;
}

/* A stream without ranges begins again at byte 0 (T7): only when a validator
   tells that the object is the same. */
static bool rewind_stream(struct tarn_source_http *src, struct tarn_span *span,
                          struct tarn_err *err)
{
  bool validated = (src->object.etag[0] && !src->object.etag_weak) ||
                   src->object.last_modified[0];

  if (!src->streaming)
    return true;
  if (span->at == 0 && span->skip == 0)
    return true;
  if (validated && tarn_span_rewind(span))
    return true;
  tarn_err_prefix(err,
                  "the server has no ranges%s, so the transfer cannot go "
                  "on",
                  validated ? "" : " and no validator");
  err->code = TARN_ETRANSFER;
  return false;
}

static void try_later(struct tarn_source_http *src, struct tarn_span *span,
                      const struct tarn_err *cause)
{
  uint64_t now = uv_now(src->flow->env->loop), wait;
  int64_t asked = span->verdict ? span->xfer.reply.retry_after_ms : -1;
  struct tarn_err err = *cause;
  /* A connection that was dropped after we had stopped reading it is no
     failure, as long as each of them brings something (T12). */
  bool by_us = span->was_starved && span->since_failure > 0;

  span->starved = span->was_starved = false;
  if (is_final(span, &err) || !rewind_stream(src, span, &err)) {
    fail(src, span, &err);
    return;
  }
  if (span->since_failure >= TARN_FORGIVE_BYTES)
    span->attempts = 0;
  span->since_failure = 0;
  if (!by_us)
    span->attempts++;
  if (used_up(src, span, now)) {
    fail(src, span, &err);
    return;
  }
  wait = by_us ? 0 : tarn_backoff_ms(&src->backoff, span->attempts);
  if (span->verdict == TARN_REPLY_THROTTLED && asked >= 0) {
    src->gate_ms = tarn_max_u64(src->gate_ms, now + (uint64_t)asked);
    wait = (uint64_t)asked;
    if (too_long(src, now + wait)) {
      tarn_err_prefix(&err, "the server asks for a pause of %llu s",
                      (unsigned long long)(wait / 1000));
      fail(src, span, &err);
      return;
    }
  }
  span->due_ms = now + wait;
  span->fresh = true;
  src->flow->retries++;
  put_place(src, span, &err);
  tarn_sm_to(&span->sm, TARN_SPAN_WAITING);
  src->flow->retry(src->flow, &err, span->attempts, wait);
  tarn_source_http_poke(src);
}

static void follow(struct tarn_source_http *src, struct tarn_span *span,
                   const char *redirect)
{
  struct tarn_err err;
  enum tarn_scheme scheme;
  char *target;

  if (!redirect) {
    (void)tarn_err_set(&err, TARN_EPROTO, "a redirect without a target");
    try_later(src, span, &err);
    return;
  }
  if (tarn_url_scheme(redirect, &scheme, &err) != 0 ||
      scheme == TARN_SCHEME_FILE) {
    (void)tarn_err_set(&err, TARN_EPROTO,
                       "a redirect to a scheme that is not http or https");
    fail(src, span, &err);
    return;
  }
  if (++src->redirects > TARN_MAX_REDIRECTS) {
    (void)tarn_err_set(&err, TARN_ETRANSFER, "more than %u redirects",
                       TARN_MAX_REDIRECTS);
    fail(src, span, &err);
    return;
  }
  target = strdup(redirect);
  if (!target) {
    (void)tarn_err_nomem(&err, "redirect");
    fail(src, span, &err);
    return;
  }
  free(src->target);
  src->target = target;
  src->settled = src->delivered = false;
  ask_again(src, span);
}

/* The redirect's target has expired: one request fetches a new one, the other
   spans wait for it. */
static void renew(struct tarn_source_http *src, struct tarn_span *span)
{
  if (src->target && span->asked_url &&
      strcmp(span->asked_url, src->target) == 0) {
    free(src->target);
    src->target = NULL;
    src->settled = src->delivered = false;
  }
  ask_again(src, span);
}

static void complete(struct tarn_source_http *src, struct tarn_span *span)
{
  (void)src;
  tarn_span_complete(span);
  tarn_span_free(span);
}

/* A 206 has ended: whole, short, or broken. */
static void range_ended(struct tarn_source_http *src, struct tarn_span *span,
                        const struct tarn_err *err)
{
  struct tarn_err none;

  if (span->at >= span->end) {
    complete(src, span);
    tarn_source_http_poke(src);
  } else if (err->code) {
    try_later(src, span, err);
  } else if (span->at == span->ask.first) {
    (void)tarn_err_set(&none, TARN_EPROTO, "a 206 reply without a body");
    try_later(src, span, &none);
  } else {
    ask_again(src, span); /* shorter than asked is legal: take the rest */
  }
}

static void stream_ended(struct tarn_source_http *src, struct tarn_span *span,
                         const struct tarn_err *err)
{
  struct tarn_err early;

  if (err->code) {
    try_later(src, span, err);
    return;
  }
  if (span->at < span->skip ||
      (span->limit != TARN_SPAN_NO_END && span->at < span->limit)) {
    (void)tarn_err_set(&early, TARN_ETRANSFER, "the reply ends early");
    try_later(src, span, &early);
    return;
  }
  src->end_known = true;
  src->total = span->at;
  src->proven = span->xfer.reply.framed;
  complete(src, span);
  tarn_source_http_poke(src);
}

/* The object's length was never told; this request asked behind its end. */
static bool behind_the_end(struct tarn_source_http *src, struct tarn_span *span)
{
  const struct tarn_reply *reply = &span->xfer.reply;

  if (!src->object.known || src->object.has_total || src->streaming ||
      !span->verdict || reply->status != 416)
    return false;
  src->end_known = true;
  src->total = span->at;
  src->proven = reply->unsatisfied && reply->total == span->at;
  complete(src, span);
  tarn_source_http_poke(src);
  return true;
}

static void empty_object(struct tarn_source_http *src, struct tarn_span *span)
{
  src->end_known = true;
  src->total = 0;
  src->proven = true;
  complete(src, span);
  tarn_source_http_poke(src);
}

void tarn_source_http_ended(struct tarn_source_http *src,
                            struct tarn_span *span, const struct tarn_err *err,
                            const char *redirect)
{
  struct tarn_err own;

  tarn_source_http_leave_speed(src, span);
  src->n_running--;
  src->flow->connections = src->n_running;
  if (span->no_memory) {
    (void)tarn_err_nomem(&own, "receiving");
    fail(src, span, &own);
    return;
  }
  if (span->overrun && span->verdict != TARN_REPLY_FATAL) {
    (void)tarn_err_set(&own, TARN_EPROTO,
                       "the reply holds more bytes than it said");
    if (span->at >= span->end) /* nothing is left to ask for again */
      fail(src, span, &own);
    else
      try_later(src, span, &own);
    return;
  }
  if (behind_the_end(src, span))
    return;
  switch (span->verdict) {
  case TARN_REPLY_RANGE:
    range_ended(src, span, err);
    break;
  case TARN_REPLY_WHOLE:
    stream_ended(src, span, err);
    break;
  case TARN_REPLY_EMPTY:
    empty_object(src, span);
    break;
  case TARN_REPLY_PLAIN:
    src->plain = true;
    ask_again(src, span);
    break;
  case TARN_REPLY_REDIRECT:
    follow(src, span, redirect);
    break;
  case TARN_REPLY_RENEW:
    renew(src, span);
    break;
  case TARN_REPLY_UNCONDITIONAL:
    span->after_412 = true;
    ask_again(src, span);
    break;
  case TARN_REPLY_RETRY:
  case TARN_REPLY_THROTTLED:
    try_later(src, span, &span->refusal);
    break;
  case TARN_REPLY_FATAL:
    fail(src, span, &span->refusal);
    break;
  default: /* no reply came */
    try_later(src, span, err);
    break;
  }
}
