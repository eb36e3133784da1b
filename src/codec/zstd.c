/*
 * Zstandard (RFC 8878): libzstd decodes and checks the content checksum. The
 * window is judged here, from the frame's header, because libzstd knows limits
 * that are powers of two only; the content size too, because libzstd does not
 * look at it when the last block is empty.
 */
#include "codec/formats.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/num.h"
#include "codec/frames.h"
#include "codec/le.h"

/* The largest window libzstd decodes on 64 bits. */
#define WINDOW_MAX ((uint64_t)1 << 31)

struct zstd {
  struct tarn_frames frames;
  ZSTD_DCtx *dctx;
  uint64_t max_window;
  bool has_size; /* the frame's header gives its content's */
  uint64_t size, n_out;
};

/* The frame header, RFC 8878, 3.1.1.1: lengths of its fields. */
static bool single_segment(uint8_t descriptor)
{
  return descriptor & 0x20;
}

static size_t dictionary_len(uint8_t descriptor)
{
  static const uint8_t len[4] = {0, 1, 2, 4};

  return len[descriptor & 3];
}

static size_t content_len(uint8_t descriptor)
{
  static const uint8_t len[4] = {0, 2, 4, 8};

  if (descriptor >> 6 == 0)
    return single_segment(descriptor) ? 1 : 0;
  return len[descriptor >> 6];
}

static size_t zstd_head(const uint8_t *ptr, size_t len)
{
  static const uint8_t magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
  size_t i;

  for (i = 0; i < len && i < sizeof magic; i++)
    if (ptr[i] != magic[i])
      return 0;
  if (len < 5)
    return 5;
  return 5u + (single_segment(ptr[4]) ? 0u : 1u) + dictionary_len(ptr[4]) +
         content_len(ptr[4]);
}

/* The last field. */
static uint64_t content_size(const uint8_t *head)
{
  size_t len = content_len(head[4]);
  size_t at = 5u + !single_segment(head[4]) + dictionary_len(head[4]);

  return tarn_le(head + at, len) + (len == 2 ? 256 : 0);
}

/* A single segment is its own window. */
static uint64_t window_of(const uint8_t *head)
{
  uint64_t base;

  if (single_segment(head[4]))
    return content_size(head);
  base = UINT64_C(1) << (10 + (head[5] >> 3));
  return base + base / 8 * (head[5] & 7);
}

static int zstd_begin(void *state, const uint8_t *head, struct tarn_err *err)
{
  struct zstd *z = state;
  uint64_t window = window_of(head);

  z->has_size = content_len(head[4]) > 0;
  z->size = content_size(head);
  z->n_out = 0;
  return window <= z->max_window
             ? 0
             : tarn_frames_window(&z->frames, window, z->max_window, err);
}

static int zstd_bad(struct zstd *z, size_t rc, struct tarn_err *err)
{
  switch (ZSTD_getErrorCode(rc)) {
  case ZSTD_error_memory_allocation:
    return tarn_err_nomem(err, "zstd");
  case ZSTD_error_dictionary_wrong:
    return tarn_err_at(err, TARN_ENOTSUP, z->frames.at,
                       "zstd: frame %llu needs a dictionary",
                       (unsigned long long)z->frames.n);
  case ZSTD_error_checksum_wrong:
    return tarn_frames_bad(&z->frames, err, "content checksum differs");
  default:
    return tarn_frames_bad(&z->frames, err, ZSTD_getErrorName(rc));
  }
}

static int zstd_run(void *state, struct tarn_in *in, struct tarn_out *out,
                    struct tarn_err *err)
{
  struct zstd *z = state;
  ZSTD_inBuffer from = {in->ptr, in->size, in->pos};
  ZSTD_outBuffer to = {out->ptr, out->size, out->pos};
  size_t rc = ZSTD_decompressStream(z->dctx, &to, &from);

  if (ZSTD_isError(rc))
    return zstd_bad(z, rc, err);
  tarn_frames_took(&z->frames, from.pos - in->pos);
  z->n_out += to.pos - out->pos;
  in->pos = from.pos;
  out->pos = to.pos;
  if (rc != 0)
    return 0;
  tarn_frames_end(&z->frames);
  if (z->has_size && z->n_out != z->size)
    return tarn_frames_bad(&z->frames, err, "content size differs");
  return 0;
}

static const struct tarn_frame_rules rules = {.format = "zstd",
                                              .unit = "frame",
                                              .head = zstd_head,
                                              .begin = zstd_begin,
                                              .run = zstd_run,
                                              .skippable = true};

static int log_of(uint64_t window)
{
  int log = 27;

  while (((uint64_t)1 << log) < window)
    log++;
  return log;
}

static int zstd_open(void **state, const struct tarn_decode_limits *limits,
                     struct tarn_err *err)
{
  struct zstd *z = calloc(1, sizeof *z);
  size_t rc;

  if (!z)
    return tarn_err_nomem(err, "zstd");
  tarn_frames_init(&z->frames, &rules, z);
  z->max_window = tarn_min_u64(limits->max_window, WINDOW_MAX);
  z->dctx = ZSTD_createDCtx();
  if (!z->dctx) {
    free(z);
    return tarn_err_nomem(err, "zstd");
  }
  rc = ZSTD_DCtx_setParameter(z->dctx, ZSTD_d_windowLogMax,
                              log_of(z->max_window));
  if (ZSTD_isError(rc)) {
    ZSTD_freeDCtx(z->dctx);
    free(z);
    return tarn_err_set(err, TARN_EINTERNAL, "zstd: %s", ZSTD_getErrorName(rc));
  }
  *state = z;
  return 0;
}

static int zstd_step(void *state, struct tarn_in *in, struct tarn_out *out,
                     struct tarn_err *err)
{
  struct zstd *z = state;

  return tarn_frames_step(&z->frames, in, out, err);
}

static int zstd_finish(void *state, struct tarn_err *err)
{
  struct zstd *z = state;

  return tarn_frames_finish(&z->frames, err);
}

static void zstd_close(void *state)
{
  struct zstd *z = state;

  ZSTD_freeDCtx(z->dctx);
  free(z);
}

static size_t zstd_memory(const void *state)
{
  const struct zstd *z = state;

  return sizeof *z + ZSTD_sizeof_DCtx(z->dctx);
}

const struct tarn_codec tarn_codec_zstd = {
    .name = "zstd",
    .open = zstd_open,
    .step = zstd_step,
    .finish = zstd_finish,
    .close = zstd_close,
    .memory = zstd_memory,
};

const char *tarn_zstd_version(void)
{
  return ZSTD_versionString();
}
