/*
 * What a reply says of itself, from its header fields (RFC 9110), and what it
 * means for the request that was sent.
 *
 * No byte of a body is used before its reply is judged here.
 *
 *   tarn_reply_init(&reply, 206);
 *   tarn_reply_field(&reply, "Content-Range", "bytes 0-9/100");
 *   verdict = tarn_reply_judge(&reply, &ask, &object, &err);
 *
 * Memory: none beyond the structs; fields too long for them are ignored,
 * but for an entity tag, of which a hash is kept.
 * Threads: any.
 */
#ifndef TARN_HTTP_REPLY_H
#define TARN_HTTP_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define TARN_ETAG_MAX 256

struct tarn_reply {
  int status;
  bool has_length;
  uint64_t length;      /* Content-Length */
  bool has_range;       /* a Content-Range that could be read */
  bool bad_range;       /* a Content-Range that could not */
  bool unsatisfied;     /* "bytes * / total" */
  uint64_t first, last; /* inclusive, as in the field */
  bool has_total;       /* total is not "*" */
  uint64_t total;
  char etag[TARN_ETAG_MAX]; /* with quotes, without W/; "" if none */
  bool etag_weak;
  bool etag_folded; /* too long to keep: etag is a hash of it, for comparing
                       and not for sending */
  char last_modified[64];
  char coding[32]; /* Content-Encoding, lower case; "" for identity */
  char content_type[96];
  int64_t retry_after_ms; /* set by who can read dates; -1 for none */
  bool framed;            /* the end of the body is marked: by a length, by
                             chunks, by HTTP/2 */
  bool says_expired;      /* a 400 whose body names an expired signature */
};

/* The object behind the URL, as the first good reply described it. */
struct tarn_object {
  bool known;
  bool has_total;
  uint64_t total;
  char etag[TARN_ETAG_MAX];
  bool etag_weak, etag_folded;
  char last_modified[64];
  char coding[32];
};

/* What was asked. */
struct tarn_ask {
  bool ranged;
  uint64_t first, last;
  bool redirected;  /* sent to the target of a redirect */
  bool delivered;   /* this URL has given bytes before */
  bool conditional; /* If-Match was sent */
  bool after_412;   /* sent again without If-Match because of a 412 */
  const int *fail_statuses;
  size_t n_fail_statuses;
};

enum tarn_verdict {
  TARN_REPLY_RANGE = 1, /* the bytes first..last of the known object */
  TARN_REPLY_WHOLE,     /* all bytes from 0 */
  TARN_REPLY_EMPTY,     /* the object has no bytes */
  TARN_REPLY_PLAIN,     /* ask again without a range */
  TARN_REPLY_REDIRECT,
  TARN_REPLY_RENEW,         /* this redirect's target has expired */
  TARN_REPLY_UNCONDITIONAL, /* 412: ask once more without If-Match */
  TARN_REPLY_RETRY,         /* passing trouble, in *err */
  TARN_REPLY_THROTTLED,     /* passing, and the whole host must wait */
  TARN_REPLY_FATAL          /* in *err */
};

void tarn_reply_init(struct tarn_reply *reply, int status);
/* Takes a header field it knows; others are ignored. Name in any case. */
void tarn_reply_field(struct tarn_reply *reply, const char *name,
                      const char *value);

/*
 * Judges. `object` is what is known (object->known false: the first request;
 * it is not changed). RETRY, THROTTLED and FATAL fill *err, its code saying
 * how the job ends when no retry is left.
 */
enum tarn_verdict tarn_reply_judge(const struct tarn_reply *reply,
                                   const struct tarn_ask *ask,
                                   const struct tarn_object *object,
                                   struct tarn_err *err);

/* Fills *object from a reply judged RANGE, WHOLE or EMPTY. */
void tarn_object_learn(struct tarn_object *object,
                       const struct tarn_reply *reply,
                       enum tarn_verdict verdict);

enum tarn_identity {
  TARN_OBJECT_SAME = 1,
  TARN_OBJECT_CHANGED,
  TARN_OBJECT_CONTRADICTION /* the same strong tag, another total */
};

/*
 * Whether the reply is about the known object: the total is compared when both
 * have one, the strong ETag when both have one, Last-Modified only otherwise,
 * weak tags never (RFC 9110 section 8.8.3.2).
 */
enum tarn_identity tarn_object_compare(const struct tarn_object *object,
                                       const struct tarn_reply *reply);

#endif
