/*
 * Codecs: compressed bytes in, plain bytes out, one stream at a time.
 *
 * A decoder is a step machine without I/O. It is handed an input and an output
 * window, moves their `pos`, and returns when one is used up. It reads the
 * stream to its real end: every member, frame or stream, with every checksum,
 * size and end mark verified; zero bytes behind the last frame are padding,
 * any other byte there is damage.
 *
 *   tarn_decoder_new(&dec, codec, &limits, &err);
 *   while (more input) {
 *     in = {ptr, size, 0};
 *     do {
 *       out = {slab, cap, 0};
 *       rc = tarn_decoder_step(dec, &in, &out, &err);
 *       use(out.ptr, out.pos);
 *     } while (rc == 0 && (in.pos < in.size || out.pos == out.size));
 *   }
 *   rc = tarn_decoder_finish(dec, &err);
 *
 * Memory: a decoder's own state plus the window the stream asks for, see
 * tarn_decoder_memory. Threads: a decoder belongs to whoever steps it; it may
 * move between threads from one step to the next.
 */
#ifndef TARN_CODEC_CODEC_H
#define TARN_CODEC_CODEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct tarn_in {
  const uint8_t *ptr;
  size_t size, pos;
};

struct tarn_out {
  uint8_t *ptr;
  size_t size, pos;
};

struct tarn_decode_limits {
  /*
   * Bytes a stream may ask for as its window. Less than 128 MiB, 0 included,
   * means 128 MiB, which is always allowed; zstd goes no further than 2 GiB.
   */
  uint64_t max_window;
};

/*
 * What a codec implements. `state` is its own. Each int is 0 or a TARN_E code
 * with *err filled; the offset in *err counts compressed bytes since open and
 * the text names the format, as in "zstd: frame 2: checksum differs".
 */
struct tarn_codec {
  const char *name; /* "gzip" */
  int (*open)(void **state, const struct tarn_decode_limits *limits,
              struct tarn_err *err);
  /*
   * Decodes until the input is used or the output is full. May be called with
   * empty input to drain what is held. Input behind the end of the last frame
   * is consumed as padding or refused.
   */
  int (*step)(void *state, struct tarn_in *in, struct tarn_out *out,
              struct tarn_err *err);
  /* No more input: 0 when the stream ended where a stream may end. */
  int (*finish)(void *state, struct tarn_err *err);
  void (*close)(void *state);
  size_t (*memory)(const void *state); /* bytes held now */
};

struct tarn_decoder;

/* TARN_ENOMEM, TARN_ENOTSUP (codec->open is NULL: not in this build). */
int tarn_decoder_new(struct tarn_decoder **dec, const struct tarn_codec *codec,
                     const struct tarn_decode_limits *limits,
                     struct tarn_err *err);
void tarn_decoder_free(struct tarn_decoder *dec); /* NULL is fine */

/*
 * One step. After an error every further step returns the same error.
 * TARN_EDATA: damaged. TARN_ENOTSUP: a window larger than allowed, named with
 * the option that allows it. TARN_ENOMEM.
 */
int tarn_decoder_step(struct tarn_decoder *dec, struct tarn_in *in,
                      struct tarn_out *out, struct tarn_err *err);
/*
 * The input has ended. Call when a step left room in the output. 0, or
 * TARN_ETRUNCATED naming how far the stream came, or the earlier error.
 */
int tarn_decoder_finish(struct tarn_decoder *dec, struct tarn_err *err);
/* Bytes of memory the decoder holds now, window included. */
size_t tarn_decoder_memory(const struct tarn_decoder *dec);
/* Compressed bytes consumed, decoded bytes produced since the start. */
uint64_t tarn_decoder_in(const struct tarn_decoder *dec);
uint64_t tarn_decoder_out(const struct tarn_decoder *dec);

/* ---- which codec (codec/detect.c) ---- */

/*
 * Codecs of every known format, by enum tarn_compression. One that is not in
 * this build has a name and no open. NULL for AUTO and unknown values.
 */
const struct tarn_codec *tarn_codec_by_kind(enum tarn_compression kind);

/* Most bytes tarn_codec_detect looks at. */
#define TARN_DETECT_MAX 18

/*
 * Judges the first bytes of a stream. Returns the compression, or
 * TARN_COMPRESSION_AUTO when more bytes are needed (never when `at_end` or
 * len >= TARN_DETECT_MAX). *skip is set to the length of a skippable frame
 * (LZ4 frame specification, "Skippable Frames"; RFC 8878, 3.1.2) that starts
 * there, header included: the caller passes that many bytes and asks again.
 * While *skip is not 0 the return value says nothing.
 * TARN_COMPRESSION_NONE: no magic of a known compression.
 */
enum tarn_compression tarn_codec_detect(const uint8_t *ptr, size_t len,
                                        bool at_end, uint64_t *skip);

/*
 * The compression a file name ends in (.tar.gz .tgz .gz .lz4 .tlz4 .zst .tzst
 * .xz .txz .bz2 .tbz .tbz2 .tar), or AUTO when the name says nothing. Letter
 * case is ignored.
 */
enum tarn_compression tarn_codec_by_name(const char *name, size_t len);

/*
 * When the bytes are no tar and no known compression: what they look like,
 * for an error text: "a zip archive", "an HTML page", "a 7-zip archive", "a
 * JSON document"; NULL when nothing is recognised.
 */
const char *tarn_codec_guess(const uint8_t *ptr, size_t len);

#endif
