/*
 * What lies between the frames of a compressed stream.
 *
 * Every format here allows several frames (members, streams) in a row, and
 * asks the same questions wherever one may start: is this a frame, a frame to
 * skip, padding, damage, or the end? This machine answers them; the codec
 * decodes what is inside.
 *
 *   static const struct tarn_frame_rules rules = {
 *       .format = "gzip", .unit = "member", .head = gzip_head,
 *       .begin = gzip_begin, .run = gzip_run};
 *   tarn_frames_init(&g->frames, &rules, g);
 *   return tarn_frames_step(&g->frames, in, out, err);
 *
 * Rules: zero bytes behind the last frame are padding; whatever follows them
 * is damage, except where the format has padding between frames. Skippable
 * frames (LZ4 frame specification; RFC 8878, 3.1.2) may stand anywhere. A
 * stream of no bytes has no frame and is truncated.
 *
 * Memory: none but the struct. Threads: as the owner.
 */
#ifndef TARN_CODEC_FRAMES_H
#define TARN_CODEC_FRAMES_H

#include "codec/codec.h"

/* Longest frame header a codec wants to see whole: LZ4's. */
#define TARN_FRAME_HEAD_MAX 19

struct tarn_frame_rules {
  const char *format; /* "gzip": begins every error text */
  const char *unit;   /* "member": what the format calls a frame */
  /*
   * Judges the `len` >= 1 bytes that may start a frame. Returns 0 when they
   * do not, else the length of the header the codec wants to see, at most
   * TARN_FRAME_HEAD_MAX, as far as it is known: more than `len` asks for more.
   */
  size_t (*head)(const uint8_t *ptr, size_t len);
  /*
   * A frame starts whose header is at frames->head: look at it, make ready.
   * Nothing is consumed. NULL: nothing to do.
   */
  int (*begin)(void *state, const uint8_t *head, struct tarn_err *err);
  /*
   * Decodes within the frame until input or output is used up or the frame
   * ends: tells by tarn_frames_took, then tarn_frames_end. Called with the
   * whole header first, which it consumes whole.
   */
  int (*run)(void *state, struct tarn_in *in, struct tarn_out *out,
             struct tarn_err *err);
  bool skippable;    /* the format has skippable frames */
  unsigned pad_unit; /* so many zero bytes may stand between frames; 0: none */
};

struct tarn_frames {
  const struct tarn_frame_rules *rules;
  void *state;   /* the codec's */
  uint64_t at;   /* compressed bytes consumed since open */
  uint64_t n;    /* frames begun, skipped ones too */
  uint64_t pad;  /* zero bytes passed since the last frame */
  uint64_t skip; /* bytes of a skippable frame still to pass */
  bool inside;   /* in a frame: the codec's turn */
  bool fresh;    /* the frame has not begun yet */
  bool full;     /* the codec filled the output and may hold more */
  /*
   * Once inside: the frame's header. Its first n_hold bytes were consumed and
   * are in `hold`; when the header lay whole in the input, n_hold is 0 and
   * `head` points there, still to be consumed.
   */
  const uint8_t *head;
  size_t n_hold;
  uint8_t hold[TARN_FRAME_HEAD_MAX];
};

void tarn_frames_init(struct tarn_frames *f,
                      const struct tarn_frame_rules *rules, void *state);
/* One step of the codec, as struct tarn_codec defines it. */
int tarn_frames_step(struct tarn_frames *f, struct tarn_in *in,
                     struct tarn_out *out, struct tarn_err *err);
/*
 * The frame has ended, and the last `len` bytes the codec consumed (no more
 * than the shortest header) belong behind it: they are judged anew.
 */
int tarn_frames_end_before(struct tarn_frames *f, const uint8_t *ptr,
                           size_t len, struct tarn_err *err);
/* The codec consumed `len` bytes. */
void tarn_frames_took(struct tarn_frames *f, size_t len);
/* The frame has ended. */
void tarn_frames_end(struct tarn_frames *f);
/* The input has ended: 0 or TARN_ETRUNCATED. */
int tarn_frames_finish(const struct tarn_frames *f, struct tarn_err *err);

/*
 * TARN_EDATA: "gzip: member 2: reason, after byte 1234". So much was consumed
 * in good order; libraries that judge whole blocks do not say where in one.
 */
int tarn_frames_bad(const struct tarn_frames *f, struct tarn_err *err,
                    const char *reason);
/* TARN_ETRUNCATED here. */
int tarn_frames_cut(const struct tarn_frames *f, struct tarn_err *err);
/*
 * TARN_ENOTSUP: the frame asks for a window of `need` bytes and `allowed` are.
 * The text names both and the option that raises the limit.
 */
int tarn_frames_window(const struct tarn_frames *f, uint64_t need,
                       uint64_t allowed, struct tarn_err *err);

#endif
