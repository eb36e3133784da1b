/*
 * Feeds a codec every way a stream can be cut, and damages it everywhere.
 *
 *   struct bytes plain = {0}, packed = {0};
 *   bytes_fill(&plain, 5000, 1);
 *   ... packed = what an encoder makes of plain
 *   codec_gives(&tarn_codec_gzip, &packed, &plain);
 *   codec_misses_the_end(&tarn_codec_gzip, &packed);
 *   codec_sees_damage(&tarn_codec_gzip, &packed, &plain);
 *   bytes_free(&plain);
 *
 * A program for one codec ends in codec_run, which gives each test two packed
 * streams; the tests that all codecs share are the codec_test functions.
 *
 * Every window handed to the codec is a block of its own, so that the address
 * sanitizer sees one byte too far. Memory: bytes_free. Threads: one.
 */
#ifndef TARN_TEST_CODEC_HARNESS_H
#define TARN_TEST_CODEC_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/codec.h"

struct bytes {
  uint8_t *ptr;
  size_t len, cap;
};

/* Room for `len` more bytes, at ptr + len. */
uint8_t *bytes_room(struct bytes *b, size_t len);
void bytes_put(struct bytes *b, const void *ptr, size_t len);
void bytes_zeros(struct bytes *b, size_t len);
/* Appends bytes that compress to about a third, the same for one seed. */
void bytes_fill(struct bytes *b, size_t len, unsigned seed);
/* Appends bytes that do not compress, the same for one seed. */
void bytes_noise(struct bytes *b, size_t len, unsigned seed);
void bytes_free(struct bytes *b);

/* The state of a test: two streams of one frame each, of 900 and 70000 bytes,
   and what is in them. They are the test's to damage. */
struct codec_pair {
  const struct tarn_codec *codec;
  struct bytes plain_a, plain_b, a, b;
};

/* Appends one frame of `plain` to `packed`. */
typedef void (*codec_pack_fn)(struct bytes *packed, const struct bytes *plain);

/* Runs a group of tests; each gets a fresh pair as its state. */
int codec_run(const struct tarn_codec *codec, codec_pack_fn pack,
              struct CMUnitTest *tests, size_t n_tests);

/* How the input is cut: whole, byte by byte, at random. */
enum codec_cut { CODEC_WHOLE, CODEC_BYTES, CODEC_RANDOM };

/*
 * Decodes `in` into `plain` with an output window of `window` bytes (or less,
 * at random). Returns what finish or the failing step returned.
 */
int codec_decode(const struct tarn_codec *codec,
                 const struct tarn_decode_limits *limits,
                 const struct bytes *in, enum codec_cut cut, size_t window,
                 struct bytes *plain, struct tarn_err *err);

/* Every cut and window gives `plain` and success. */
void codec_gives(const struct tarn_codec *codec, const struct bytes *in,
                 const struct bytes *plain);
/* As codec_gives, but with no tiny windows: for mebibytes. */
void codec_gives_large(const struct tarn_codec *codec, const struct bytes *in,
                       const struct bytes *plain);
/*
 * Puts up to 12 streams of `parts` in a row, each with what it decodes to in
 * `plains`, in an order that `seed` gives, and reads them as one.
 */
void codec_gives_any_row(const struct tarn_codec *codec,
                         const struct bytes *parts, const struct bytes *plains,
                         size_t n_parts, unsigned seed);
/* Every cut gives `code` with `text` in its text. The last error in *err. */
void codec_refuses(const struct tarn_codec *codec, const struct bytes *in,
                   int code, const char *text, struct tarn_err *err);
/* Every proper beginning is TARN_ETRUNCATED, at its length. */
void codec_misses_the_end(const struct tarn_codec *codec,
                          const struct bytes *in);
/* Each bit flipped, each byte inverted: refused, or the same bytes. */
void codec_sees_damage(const struct tarn_codec *codec, const struct bytes *in,
                       const struct bytes *plain);

/*
 * Bodies of tests that every codec passes, under codec_run: each program calls
 * them from tests named in the words of its format (stream, member, frame).
 */
/* Several frames, skipped zero bytes, foreign bytes: rules C2 and C3. */
void codec_test_reads_on(void **state);
/* codec_misses_the_end of the first stream. */
void codec_test_cuts(void **state);
/* codec_sees_damage of the first stream. */
void codec_test_damage(void **state);
/* Skippable frames, as LZ4 and Zstandard share them. */
void codec_test_skippable(void **state);

#endif
