/*
 * Origin: who signs the requests for one object and renews what they need.
 *
 * A plain URL has none. An object store (src/remote) implements one; the job
 * hands it to the source, which calls it before each request and after each
 * refusal:
 *
 *   rc = o->ops->ready(o, &err);          // 0: o->ops->wait(o, again, user)
 *   rc = o->ops->sign(o, &request, &err); // url and header lines
 *   ...
 *   switch (o->ops->refused(o, &reply, body, len, &err)) ...
 *   o->ops->close(o, gone, user);         // then o->ops->free(o)
 *
 * Memory: each origin says what it holds. Threads: the loop's only; no call
 * blocks.
 */
#ifndef TARN_HTTP_ORIGIN_H
#define TARN_HTTP_ORIGIN_H

#include <stddef.h>

#include "http/reply.h"

struct tarn_origin;

/* What a request needs. Header lines have the form "Name: value". */
struct tarn_origin_request {
  char *url;
  char **lines;
  size_t n_lines;
};

enum tarn_origin_answer {
  TARN_ORIGIN_NO_OPINION = 0, /* judge the reply as any other */
  TARN_ORIGIN_AGAIN,          /* something is renewed: wait until ready, sign
                                 anew, ask again; counts as no failure */
  TARN_ORIGIN_FATAL           /* *err says why, with the service's request id */
};

struct tarn_origin_ops {
  /* 1: sign may be called. 0: not yet. Below 0: it never will (TARN_E*). */
  int (*ready)(struct tarn_origin *o, struct tarn_err *err);
  /* Calls back once, from the loop and never from inside, when `ready` may say
     something else. One waiter at a time; NULL takes the call back. */
  void (*wait)(struct tarn_origin *o, void (*cb)(void *user), void *user);
  /* Fills *request, which tarn_origin_request_close frees. TARN_ENOMEM. */
  int (*sign)(struct tarn_origin *o, struct tarn_origin_request *request,
              struct tarn_err *err);
  /* A reply of status 300 or more, with the beginning of its body. */
  enum tarn_origin_answer (*refused)(struct tarn_origin *o,
                                     const struct tarn_reply *reply,
                                     const char *body, size_t len,
                                     struct tarn_err *err);
  /* Lets go of what runs; `gone` comes once, later. */
  void (*close)(struct tarn_origin *o, void (*gone)(void *user), void *user);
  void (*free)(struct tarn_origin *o);
};

struct tarn_origin {
  const struct tarn_origin_ops *ops;
};

#endif
