#include <stdio.h>
#include <string.h>

#include "http/reply.h"

enum tarn_identity tarn_object_compare(const struct tarn_object *object,
                                       const struct tarn_reply *reply)
{
  bool has_total = reply->has_range ? reply->has_total : reply->has_length;
  uint64_t total = reply->has_range ? reply->total : reply->length;
  bool same_total = !object->has_total || !has_total || object->total == total;

  if (object->etag[0] && reply->etag[0] && !object->etag_weak &&
      !reply->etag_weak) {
    if (strcmp(object->etag, reply->etag) != 0)
      return TARN_OBJECT_CHANGED;
    return same_total ? TARN_OBJECT_SAME : TARN_OBJECT_CONTRADICTION;
  }
  if (object->last_modified[0] && reply->last_modified[0] &&
      strcmp(object->last_modified, reply->last_modified) != 0)
    return TARN_OBJECT_CHANGED;
  return same_total ? TARN_OBJECT_SAME : TARN_OBJECT_CHANGED;
}

void tarn_object_learn(struct tarn_object *object,
                       const struct tarn_reply *reply,
                       enum tarn_verdict verdict)
{
  memset(object, 0, sizeof *object);
  object->known = true;
  if (verdict == TARN_REPLY_EMPTY) {
    object->has_total = true;
  } else if (verdict == TARN_REPLY_RANGE) {
    object->has_total = reply->has_total;
    object->total = reply->total;
  } else {
    object->has_total = reply->has_length;
    object->total = reply->length;
  }
  memcpy(object->etag, reply->etag, sizeof object->etag);
  object->etag_weak = reply->etag_weak;
  object->etag_folded = reply->etag_folded;
  memcpy(object->last_modified, reply->last_modified,
         sizeof object->last_modified);
  memcpy(object->coding, reply->coding, sizeof object->coding);
}

static enum tarn_verdict say(enum tarn_verdict verdict, struct tarn_err *err,
                             int code, int status, const char *text)
{
  (void)tarn_err_set(err, code, "%s", text);
  if (err)
    err->http_status = status;
  return verdict;
}

static enum tarn_verdict changed(const struct tarn_reply *reply,
                                 struct tarn_err *err)
{
  return say(TARN_REPLY_FATAL, err, TARN_ECHANGED, reply->status,
             "the object changed during the download");
}

/* SAME, or what to do when it is not: `verdict` is for the same object. */
static enum tarn_verdict if_same(const struct tarn_object *object,
                                 const struct tarn_reply *reply,
                                 enum tarn_verdict verdict,
                                 struct tarn_err *err)
{
  switch (tarn_object_compare(object, reply)) {
  case TARN_OBJECT_SAME:
    return verdict;
  case TARN_OBJECT_CONTRADICTION:
    return say(TARN_REPLY_RETRY, err, TARN_EPROTO, reply->status,
               "the same entity tag with another total");
  case TARN_OBJECT_CHANGED:
  default:
    return changed(reply, err);
  }
}

static enum tarn_verdict wrong_range(const struct tarn_reply *reply,
                                     const struct tarn_ask *ask,
                                     struct tarn_err *err)
{
  char text[160];

  if (reply->has_range)
    (void)snprintf(
        text, sizeof text,
        "asked for bytes %llu-%llu, the reply holds %llu-%llu",
        (unsigned long long)ask->first, (unsigned long long)ask->last,
        (unsigned long long)reply->first, (unsigned long long)reply->last);
  else
    (void)snprintf(text, sizeof text, "a 206 reply %s Content-Range",
                   reply->bad_range ? "with a wrong" : "without");
  return say(TARN_REPLY_RETRY, err, TARN_EPROTO, reply->status, text);
}

/* RFC 9110 section 15.3.7: a 206 may hold less than was asked, never other. */
static enum tarn_verdict judge_206(const struct tarn_reply *reply,
                                   const struct tarn_ask *ask,
                                   const struct tarn_object *object,
                                   struct tarn_err *err)
{
  if (!ask->ranged)
    return say(TARN_REPLY_RETRY, err, TARN_EPROTO, reply->status,
               "a 206 reply to a request without a range");
  if (!reply->has_range || reply->first != ask->first ||
      reply->last > ask->last)
    return wrong_range(reply, ask, err);
  if (reply->has_length && reply->length != reply->last - reply->first + 1)
    return say(TARN_REPLY_RETRY, err, TARN_EPROTO, reply->status,
               "Content-Length and Content-Range differ");
  if (object->known && strcmp(object->coding, reply->coding) != 0)
    return changed(reply, err);
  if (object->known)
    return if_same(object, reply, TARN_REPLY_RANGE, err);
  /* Ranges of a coded reply are of coded bytes, which only a strong tag
     proves to be the same bytes each time. */
  if (reply->coding[0] && (!reply->etag[0] || reply->etag_weak))
    return TARN_REPLY_PLAIN;
  return TARN_REPLY_RANGE;
}

static enum tarn_verdict judge_200(const struct tarn_reply *reply,
                                   const struct tarn_ask *ask,
                                   const struct tarn_object *object,
                                   struct tarn_err *err)
{
  enum tarn_verdict verdict = TARN_REPLY_WHOLE;

  if (object->known)
    verdict = if_same(object, reply, verdict, err);
  if (verdict != TARN_REPLY_WHOLE)
    return verdict;
  if (object->known && ask->ranged && ask->first > 0)
    return say(TARN_REPLY_RETRY, err, TARN_EPROTO, reply->status,
               "a whole reply (200) to a request for a later range");
  if (reply->has_length && reply->length == 0 && !object->known)
    return TARN_REPLY_EMPTY;
  return TARN_REPLY_WHOLE;
}

/* What a status is when it is neither success nor redirect. */
static const struct status_rule {
  int from, to;
  enum tarn_verdict verdict;
  int code;
  const char *text;
} status_rules[] = {
    {401, 401, TARN_REPLY_FATAL, TARN_EDENIED, "401 Unauthorized"},
    {403, 403, TARN_REPLY_FATAL, TARN_EDENIED, "403 Forbidden"},
    {404, 404, TARN_REPLY_FATAL, TARN_ENOTFOUND, "404 Not Found"},
    {407, 407, TARN_REPLY_FATAL, TARN_EUNREACHABLE,
     "407 Proxy Authentication Required"},
    {408, 408, TARN_REPLY_RETRY, TARN_ETRANSFER, "408 Request Timeout"},
    {410, 410, TARN_REPLY_FATAL, TARN_ENOTFOUND, "410 Gone"},
    {425, 425, TARN_REPLY_RETRY, TARN_ETRANSFER, "425 Too Early"},
    {429, 429, TARN_REPLY_THROTTLED, TARN_ETHROTTLED, "429 Too Many Requests"},
    {503, 503, TARN_REPLY_THROTTLED, TARN_ETHROTTLED,
     "503 Service Unavailable"},
    {500, 599, TARN_REPLY_RETRY, TARN_ETRANSFER, "server error"},
    {INT32_MIN, INT32_MAX, TARN_REPLY_FATAL, TARN_ETRANSFER,
     "unexpected status"},
};

static enum tarn_verdict judge_status(const struct tarn_reply *reply,
                                      struct tarn_err *err)
{
  const struct status_rule *r = status_rules;
  char text[64];

  while (reply->status < r->from || reply->status > r->to)
    r++;
  if (r->from == r->to)
    return say(r->verdict, err, r->code, reply->status, r->text);
  (void)snprintf(text, sizeof text, "%s %d", r->text, reply->status);
  return say(r->verdict, err, r->code, reply->status, text);
}

static bool listed(const struct tarn_ask *ask, int status)
{
  size_t i;

  for (i = 0; i < ask->n_fail_statuses; i++)
    if (ask->fail_statuses[i] == status)
      return true;
  return false;
}

static bool is_redirect(int status)
{
  return status == 301 || status == 302 || status == 303 || status == 307 ||
         status == 308;
}

/* Ranges may be what this server does not do. */
static bool refuses_ranges(const struct tarn_reply *reply,
                           const struct tarn_ask *ask,
                           const struct tarn_object *object)
{
  if (!ask->ranged || object->known)
    return false;
  return reply->status == 400 || reply->status == 405 || reply->status == 501 ||
         reply->status == 416;
}

static bool target_expired(const struct tarn_reply *reply,
                           const struct tarn_ask *ask)
{
  if (!ask->redirected || !ask->delivered)
    return false;
  return reply->status == 401 || reply->status == 403 || reply->status == 410 ||
         (reply->status == 400 && reply->says_expired);
}

static enum tarn_verdict judge_416(const struct tarn_reply *reply,
                                   const struct tarn_object *object,
                                   struct tarn_err *err)
{
  if (reply->unsatisfied && reply->total == 0)
    return object->known ? changed(reply, err) : TARN_REPLY_EMPTY;
  if (object->known && reply->unsatisfied && object->has_total &&
      reply->total != object->total)
    return changed(reply, err);
  return say(TARN_REPLY_RETRY, err, TARN_EPROTO, reply->status,
             "416 Range Not Satisfiable");
}

enum tarn_verdict tarn_reply_judge(const struct tarn_reply *reply,
                                   const struct tarn_ask *ask,
                                   const struct tarn_object *object,
                                   struct tarn_err *err)
{
  if (listed(ask, reply->status)) {
    (void)judge_status(reply, err);
    return TARN_REPLY_FATAL;
  }
  if (reply->status == 206)
    return judge_206(reply, ask, object, err);
  if (reply->status == 200)
    return judge_200(reply, ask, object, err);
  if (is_redirect(reply->status))
    return TARN_REPLY_REDIRECT;
  if (reply->status == 416 && reply->unsatisfied &&
      (object->known || reply->total == 0))
    return judge_416(reply, object, err);
  if (target_expired(reply, ask))
    return TARN_REPLY_RENEW;
  if (refuses_ranges(reply, ask, object))
    return TARN_REPLY_PLAIN;
  if (reply->status == 416)
    return judge_416(reply, object, err);
  if (reply->status == 412)
    return ask->conditional ? TARN_REPLY_UNCONDITIONAL : changed(reply, err);
  return judge_status(reply, err);
}
