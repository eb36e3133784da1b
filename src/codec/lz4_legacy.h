/*
 * The legacy LZ4 frame (LZ4 frame specification, "Legacy frame"): after the
 * magic number come blocks, each a 32-bit size and its data, each 8 MiB when
 * decoded but the last. There is no end mark, no checksum: the frame ends with
 * the input, or where a number that cannot be a block's size is the magic of
 * the next frame. That the end was not cut off between two blocks cannot be
 * seen here; the archive inside has its own end.
 *
 * Memory: up to 16 MiB, made when first needed and kept. Threads: as the owner.
 */
#ifndef TARN_CODEC_LZ4_LEGACY_H
#define TARN_CODEC_LZ4_LEGACY_H

#include "codec/frames.h"

#define TARN_LZ4_LEGACY_MAGIC 0x184c2102u

struct tarn_lz4_legacy {
  size_t n_magic;  /* bytes of the magic number still to pass */
  uint8_t word[4]; /* a block's size, or what follows the frame */
  size_t n_word;
  size_t n_block; /* size of the block at hand; 0: its size comes first */
  size_t n_data;  /* bytes of it collected in `data` */
  uint8_t *data;  /* compressed, when the input has not all of it */
  uint8_t *plain; /* decoded, when the output has not room for all */
  size_t n_plain, plain_at;
};

void tarn_lz4_legacy_begin(struct tarn_lz4_legacy *l);
/* As run in struct tarn_frame_rules. */
int tarn_lz4_legacy_run(struct tarn_lz4_legacy *l, struct tarn_frames *f,
                        struct tarn_in *in, struct tarn_out *out,
                        struct tarn_err *err);
/* The input ended in this frame. */
int tarn_lz4_legacy_finish(const struct tarn_lz4_legacy *l,
                           const struct tarn_frames *f, struct tarn_err *err);
size_t tarn_lz4_legacy_memory(const struct tarn_lz4_legacy *l);
void tarn_lz4_legacy_close(struct tarn_lz4_legacy *l);

#endif
