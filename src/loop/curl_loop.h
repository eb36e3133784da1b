/*
 * libcurl's multi interface on a libuv loop: every hazard of the pair is here.
 *
 * Requests are added, removed and resumed by a deferred step, never from
 * inside a libcurl callback, and their end is told from there too. One call
 * into libcurl may hand out tens of megabytes before it returns; a request's
 * write callback asks tarn_curl_loop_may_take and pauses when the call has had
 * its share, and the deferred step resumes it.
 *
 *   req->easy = easy; req->done = on_done;
 *   tarn_curl_loop_add(cl, req);
 *
 * Memory: one small struct a socket. Threads: the loop's only.
 */
#ifndef TARN_LOOP_CURL_LOOP_H
#define TARN_LOOP_CURL_LOOP_H

#include <curl/curl.h>

#include "base/trace.h"
#include "loop/defer.h"

/* Bytes one call into libcurl may hand out. */
#define TARN_CURL_CALL_SHARE (1024u * 1024u)

struct tarn_curl_req {
  struct tarn_list link;
  CURL *easy; /* the caller's; its CURLOPT_PRIVATE is the req */
  void (*done)(struct tarn_curl_req *req, CURLcode result);
  CURLcode result;
  struct tarn_list active; /* linked while libcurl has it */
  bool added;              /* libcurl has it */
  bool paused;             /* its write callback returned PAUSE */
};

struct tarn_curl_loop {
  uv_loop_t *loop;
  struct tarn_defers *defers;
  const struct tarn_trace *trace;
  CURLM *multi;
  uv_timer_t timer;
  struct tarn_defer step;
  struct tarn_list adds, resumes; /* requests */
  struct tarn_list active;        /* those libcurl has */
  bool broken; /* out of memory within libcurl: no request can be trusted to
                  end by itself */
  struct tarn_list sockets;
  size_t call_bytes;  /* handed out in the call that runs */
  unsigned n_closing; /* handles whose close has not ended */
  struct tarn_closer *closer;
};

/* 0, TARN_ENOMEM or TARN_EINTERNAL. */
int tarn_curl_loop_init(struct tarn_curl_loop *cl, uv_loop_t *loop,
                        struct tarn_defers *defers,
                        const struct tarn_trace *trace, struct tarn_err *err);
/* Every request must be gone. Holds `closer` until all handles are closed. */
void tarn_curl_loop_close(struct tarn_curl_loop *cl,
                          struct tarn_closer *closer);

/* Sets the options on an easy handle that tie it to this loop. */
void tarn_curl_loop_prepare(struct tarn_curl_loop *cl, CURL *easy);
/* Starts a request in the next step. */
void tarn_curl_loop_add(struct tarn_curl_loop *cl, struct tarn_curl_req *req);
/* Forgets a request, wherever it is; no done comes. Not from a libcurl
   callback. The easy handle may be cleaned up afterwards. */
void tarn_curl_loop_remove(struct tarn_curl_loop *cl,
                           struct tarn_curl_req *req);
/* For write callbacks: false when this call has handed out its share; the
   caller then sets req->paused, calls tarn_curl_loop_resume and returns
   CURL_WRITEFUNC_PAUSE */
bool tarn_curl_loop_may_take(struct tarn_curl_loop *cl, size_t len);
/* Resumes a paused request in the next step. */
void tarn_curl_loop_resume(struct tarn_curl_loop *cl,
                           struct tarn_curl_req *req);

#endif
