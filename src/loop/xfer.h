/*
 * One HTTP request: a GET of a URL or of one range of it.
 *
 * The reply's head is told before any byte of its body; whoever is told says
 * whether the body is wanted. Bytes come from inside libcurl: the receiver
 * copies them and does nothing else.
 *
 *   x->on_head = judge; x->on_data = copy_bytes; x->on_done = next;
 *   tarn_xfer_start(x, env, settings, &ask, &err);
 *
 * Memory: one easy handle and what libcurl holds (some tens of KiB). Threads:
 * the loop's only.
 */
#ifndef TARN_LOOP_XFER_H
#define TARN_LOOP_XFER_H

#include "http/reply.h"
#include "loop/env.h"
#include "loop/http_settings.h"

/* What is to be asked; strings are lent until tarn_xfer_start returns. */
struct tarn_xfer_ask {
  const char *url;
  bool ranged;
  uint64_t first, last;
  const char *if_match; /* an entity tag with its quotes, or NULL */
  bool fresh;           /* on a connection of its own, as after a failure */
};

struct tarn_xfer {
  struct tarn_curl_req req;
  struct tarn_env *env;
  struct curl_slist *fields;
  char curl_text[CURL_ERROR_SIZE];
  struct tarn_reply reply;
  bool connected; /* the request has been or is being sent */
  bool head_told, refused, running;
  bool hopeless; /* the failure cannot pass: a certificate, a bad option */
  uint64_t refused_bytes;
  char expired_probe[256]; /* start of a 400's body, for its code */
  size_t probe_len;

  /* Inside libcurl, at the end of the head: true when the body is wanted. */
  bool (*on_head)(struct tarn_xfer *x);
  /* Inside libcurl: takes all `len` bytes and returns true, or none. It is
     offered them again after tarn_xfer_resume. */
  bool (*on_data)(struct tarn_xfer *x, const uint8_t *ptr, size_t len);
  /*
   * The request is over and *x may be used again. err->code is 0 when the body
   * came whole (or was not wanted: x->refused). *redirect is the absolute
   * target of a 3xx, else NULL.
   */
  void (*on_done)(struct tarn_xfer *x, const struct tarn_err *err,
                  const char *redirect);
};

void tarn_xfer_init(struct tarn_xfer *x, struct tarn_env *env);
/* 0 and on_done comes later, or TARN_ENOMEM, TARN_EFILE. */
int tarn_xfer_start(struct tarn_xfer *x, const struct tarn_http_settings *s,
                    const struct tarn_xfer_ask *ask, struct tarn_err *err);
/* Offers what was not taken again. */
void tarn_xfer_resume(struct tarn_xfer *x);
/* Ends the request; no on_done comes. Idempotent. Not from on_head, on_data. */
void tarn_xfer_stop(struct tarn_xfer *x);

#endif
