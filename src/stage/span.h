/*
 * A span: one range of the object on its way into memory.
 *
 * Its memory is reserved before it is asked for, so it can always be finished.
 * Bytes are copied once, from libcurl into slabs; what has come is handed to
 * reorder by reference. A span outlives the requests that fail for it: the
 * next one asks for the exact next byte.
 *
 * Memory: the slabs of its length; a span without an end (a stream) reserves
 * slab by slab and pauses when refused. Threads: the loop's only.
 */
#ifndef TARN_STAGE_SPAN_H
#define TARN_STAGE_SPAN_H

#include "base/sm.h"
#include "codec/digest.h"
#include "loop/xfer.h"
#include "stage/reorder.h"

#define TARN_SPAN_NO_END UINT64_MAX

enum tarn_span_state {
  TARN_SPAN_READY = 0, /* may be asked for */
  TARN_SPAN_WAITING,   /* until due_ms */
  TARN_SPAN_RUNNING,
  TARN_SPAN_COMPLETE
};

/* How fast a connection is: bytes since a checkpoint. It goes on from one span
   to the next on that connection (T9). */
struct tarn_speed {
  bool taken;   /* a request runs on it */
  bool counted; /* the window has begun */
  uint64_t since_ms, bytes;
  uint64_t idle_ms; /* when the last request ended */
};

struct tarn_span {
  struct tarn_list link;
  struct tarn_flow *flow;
  void *owner;
  struct tarn_xfer xfer;
  struct tarn_sm sm;

  uint64_t at;    /* the next byte wanted from the wire */
  uint64_t end;   /* exclusive, or TARN_SPAN_NO_END */
  uint64_t limit; /* where the present reply ends, exclusive */
  bool overrun;   /* the reply went on behind its limit */
  bool no_memory;

  struct tarn_slab *slab; /* being filled */
  size_t fill;
  size_t paid;                 /* bytes reserved for slabs not taken yet */
  struct tarn_slice_queue got; /* ends at `at` */
  bool starved;                /* paused until the budget grants a slab */
  bool was_starved;            /* ... at some time during this request */

  /* A stream begun anew: bytes up to `skip` are compared, not used. */
  uint64_t skip;
  struct tarn_digest *print, *print_again;

  unsigned attempts;      /* failures in a row */
  uint64_t since_failure; /* bytes since the last one */
  uint64_t due_ms;
  bool fresh, after_412;
  char *asked_url; /* of the request that runs */
  struct tarn_ask ask;
  enum tarn_verdict verdict; /* 0 until the head has come */
  struct tarn_err refusal;

  struct tarn_speed *speed; /* of the connection it runs on, or NULL */
};

/* A span [at, at + len) or, with len TARN_SPAN_NO_END, an endless one, whose
   first `paid` bytes are reserved. NULL when memory is out. */
struct tarn_span *tarn_span_new(struct tarn_flow *flow, void *owner,
                                uint64_t at, uint64_t len, size_t paid);
/* Stops its request, gives memory back. */
void tarn_span_free(struct tarn_span *s);

/* Bytes of slabs that `len` bytes take. */
size_t tarn_span_cost(const struct tarn_flow *flow, uint64_t len);
/* Makes it a stream: all bytes to the end of the reply, with a fingerprint of
   them for a second try. */
void tarn_span_stream(struct tarn_span *s, uint64_t end);
/* Begins a stream anew from byte 0. False when what was delivered could not
   be recognised: no library for fingerprints. */
bool tarn_span_rewind(struct tarn_span *s);

/* From inside libcurl: takes all bytes or none (false, `starved` set). */
bool tarn_span_take(struct tarn_span *s, const uint8_t *ptr, size_t len);
/* Hands what has come to `r`. */
void tarn_span_deliver(struct tarn_span *s, struct tarn_reorder *r);
/* All bytes have come: gives back what was reserved too much. */
void tarn_span_complete(struct tarn_span *s);

#endif
