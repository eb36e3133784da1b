/*
 * LZ4 frames: liblz4 decodes them and checks header, block and content
 * checksums and a content size that is not zero. Legacy frames are ours.
 */
#include "codec/formats.h"

#include <lz4.h>
#include <lz4frame.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "codec/frames.h"
#include "codec/le.h"
#include "codec/lz4_legacy.h"

#define FRAME_MAGIC 0x184d2204u

/* The frame descriptor's flags. */
#define FLAG_DICTIONARY  0x01u
#define FLAG_SIZE        0x08u
#define FLAG_INDEPENDENT 0x20u

struct lz4 {
  struct tarn_frames frames;
  LZ4F_dctx *dctx;
  struct tarn_lz4_legacy legacy;
  bool in_legacy;
  bool must_be_empty; /* the header gives a content size of zero */
  size_t buffers;     /* what liblz4 holds for its largest frame so far */
};

static bool magic_fits(uint32_t magic, const uint8_t *ptr, size_t len)
{
  size_t n = tarn_min_size(len, 4);

  return tarn_le(ptr, n) == (magic & (UINT64_C(0xffffffff) >> (8 * (4 - n))));
}

static size_t lz4_head(const uint8_t *ptr, size_t len)
{
  if (magic_fits(TARN_LZ4_LEGACY_MAGIC, ptr, len))
    return 4;
  if (!magic_fits(FRAME_MAGIC, ptr, len))
    return 0;
  if (len < 5)
    return 5;
  return 7u + (ptr[4] & FLAG_SIZE ? 8u : 0u) +
         (ptr[4] & FLAG_DICTIONARY ? 4u : 0u);
}

/* What liblz4 allocates for a frame: a block each way, history when linked. */
static size_t buffers_of(const uint8_t *head)
{
  unsigned id = head[5] >> 4 & 7;
  size_t block = (size_t)1 << (8 + 2 * (id < 4 ? 4 : id));

  return 2 * block + (head[4] & FLAG_INDEPENDENT ? 0 : (size_t)128 << 10);
}

static int lz4_begin(void *state, const uint8_t *head, struct tarn_err *err)
{
  struct lz4 *z = state;
  size_t buffers;

  z->in_legacy = tarn_le32(head) == TARN_LZ4_LEGACY_MAGIC;
  z->must_be_empty = false;
  if (z->in_legacy) {
    tarn_lz4_legacy_begin(&z->legacy);
    return 0;
  }
  if (head[4] & FLAG_DICTIONARY)
    return tarn_err_at(err, TARN_ENOTSUP, z->frames.at,
                       "lz4: frame %llu needs a dictionary",
                       (unsigned long long)z->frames.n);
  z->must_be_empty = head[4] & FLAG_SIZE && !tarn_le(head + 6, 8);
  buffers = buffers_of(head);
  if (buffers > z->buffers)
    z->buffers = buffers;
  return 0;
}

/* liblz4 exports names of its errors but no codes. */
static int lz4_bad(struct lz4 *z, size_t code, struct tarn_err *err)
{
  static const struct {
    const char *name, *text;
  } texts[] = {
      {"ERROR_contentChecksum_invalid", "content checksum differs"},
      {"ERROR_blockChecksum_invalid", "block checksum differs"},
      {"ERROR_headerChecksum_invalid", "header checksum differs"},
      {"ERROR_frameSize_wrong", "content size differs"},
      {"ERROR_decompressionFailed", "a block cannot be decoded"},
      {"ERROR_maxBlockSize_invalid", "block size is not allowed"},
      {"ERROR_reservedFlag_set", "a reserved flag is set"},
      {"ERROR_headerVersion_wrong", "version is not known"},
  };
  const char *name = LZ4F_getErrorName(code);
  size_t i;

  if (strcmp(name, "ERROR_allocation_failed") == 0)
    return tarn_err_nomem(err, "lz4");
  for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (strcmp(name, texts[i].name) == 0)
      return tarn_frames_bad(&z->frames, err, texts[i].text);
  return tarn_frames_bad(&z->frames, err, name);
}

static int run_frame(struct lz4 *z, struct tarn_in *in, struct tarn_out *out,
                     struct tarn_err *err)
{
  /* The output is not ours behind the call: liblz4 keeps its own history. */
  static const LZ4F_decompressOptions_t options = {.stableDst = 0};
  size_t n_in = in->size - in->pos, n_out = out->size - out->pos;
  size_t rc = LZ4F_decompress(z->dctx, out->ptr + out->pos, &n_out,
                              in->ptr + in->pos, &n_in, &options);

  if (LZ4F_isError(rc))
    return lz4_bad(z, rc, err);
  in->pos += n_in;
  out->pos += n_out;
  tarn_frames_took(&z->frames, n_in);
  if (z->must_be_empty && n_out)
    return tarn_frames_bad(&z->frames, err, "content size differs");
  if (rc == 0)
    tarn_frames_end(&z->frames);
  return 0;
}

static int lz4_run(void *state, struct tarn_in *in, struct tarn_out *out,
                   struct tarn_err *err)
{
  struct lz4 *z = state;

  return z->in_legacy
             ? tarn_lz4_legacy_run(&z->legacy, &z->frames, in, out, err)
             : run_frame(z, in, out, err);
}

static const struct tarn_frame_rules rules = {.format = "lz4",
                                              .unit = "frame",
                                              .head = lz4_head,
                                              .begin = lz4_begin,
                                              .run = lz4_run,
                                              .skippable = true};

static int lz4_open(void **state, const struct tarn_decode_limits *limits,
                    struct tarn_err *err)
{
  struct lz4 *z = calloc(1, sizeof *z);

  (void)limits; /* a block is 4 MiB at most */
  if (!z)
    return tarn_err_nomem(err, "lz4");
  tarn_frames_init(&z->frames, &rules, z);
  if (LZ4F_isError(LZ4F_createDecompressionContext(&z->dctx, LZ4F_VERSION))) {
    free(z);
    return tarn_err_nomem(err, "lz4");
  }
  *state = z;
  return 0;
}

static int lz4_step(void *state, struct tarn_in *in, struct tarn_out *out,
                    struct tarn_err *err)
{
  struct lz4 *z = state;

  return tarn_frames_step(&z->frames, in, out, err);
}

static int lz4_finish(void *state, struct tarn_err *err)
{
  struct lz4 *z = state;

  return z->frames.inside && z->in_legacy
             ? tarn_lz4_legacy_finish(&z->legacy, &z->frames, err)
             : tarn_frames_finish(&z->frames, err);
}

static void lz4_close(void *state)
{
  struct lz4 *z = state;

  LZ4F_freeDecompressionContext(z->dctx);
  tarn_lz4_legacy_close(&z->legacy);
  free(z);
}

static size_t lz4_memory(const void *state)
{
  const struct lz4 *z = state;

  return sizeof *z + z->buffers + tarn_lz4_legacy_memory(&z->legacy);
}

const struct tarn_codec tarn_codec_lz4 = {
    .name = "lz4",
    .open = lz4_open,
    .step = lz4_step,
    .finish = lz4_finish,
    .close = lz4_close,
    .memory = lz4_memory,
};

const char *tarn_lz4_version(void)
{
  return LZ4_versionString();
}
