/*
 * Decode: compressed slices in, decoded slices out, on a worker.
 *
 * The compression is the one given, else what the first bytes say, else what
 * the name says. While one item decodes, the input for the next gathers and
 * the output of the last is consumed. Bytes that are not compressed pass
 * through without a copy.
 *
 * Memory: output slabs from the output budget; the decoder's window beside it.
 * Threads: the loop's only; the decoder travels with its one item.
 */
#ifndef TARN_STAGE_DECODE_H
#define TARN_STAGE_DECODE_H

#include "codec/codec.h"
#include "stage/stage.h"

struct tarn_decode_options {
  enum tarn_compression kind;    /* AUTO: find out */
  enum tarn_compression by_name; /* what the name says, or AUTO */
  bool must_match_name; /* no magic and a name that promises one: an error */
  /*
   * Peel one Content-Encoding (RFC 9110 section 8.4) of this kind: decode only
   * if the magic agrees, pass everything else through.
   */
  bool peel;
  /* The end of the stream is where the transport says, and not proven by the
     format's own end mark: a stream of several frames may be cut behind any of
     them. The next stage has an end mark of its own. */
  bool end_by_transport;
  uint64_t max_window; /* bytes, see struct tarn_decode_limits */
  uint64_t max_size;   /* decoded bytes, 0: no limit */
  double max_ratio;    /* decoded to raw bytes, 0: no limit */
};

/* NULL when memory is out. */
struct tarn_stage *tarn_decode_new(struct tarn_flow *flow,
                                   const struct tarn_decode_options *opts,
                                   struct tarn_stage *next);
/* The name promises nothing any more: a content coding was what it meant. */
void tarn_decode_forget_name(struct tarn_stage *stage);

#endif
