/*
 * xz (The .xz File Format): liblzma decodes one stream at a time and checks
 * each block, the index and both ends of the stream.
 */
#include "codec/formats.h"

#include <lzma.h>
#include <stdlib.h>

#include "base/num.h"
#include "codec/frames.h"
#include "codec/mem.h"

/* What the decoder needs beside the dictionary, which is the window. */
#define BESIDE_WINDOW ((uint64_t)1 << 20)

struct xz {
  struct tarn_frames frames;
  lzma_stream lzma;
  lzma_allocator allocator;
  struct tarn_mem mem;
  uint64_t max_window;
};

static size_t xz_head(const uint8_t *ptr, size_t len)
{
  static const uint8_t magic[6] = {0xfd, '7', 'z', 'X', 'Z', 0};
  size_t i;

  for (i = 0; i < len && i < sizeof magic; i++)
    if (ptr[i] != magic[i])
      return 0;
  return sizeof magic;
}

static int xz_bad(struct xz *x, lzma_ret rc, struct tarn_err *err)
{
  const struct tarn_frames *f = &x->frames;

  switch (rc) {
  case LZMA_MEM_ERROR:
    return tarn_err_nomem(err, "xz");
  case LZMA_MEMLIMIT_ERROR:
    return tarn_frames_window(f, lzma_memusage(&x->lzma), x->max_window, err);
  case LZMA_OPTIONS_ERROR:
    return tarn_err_at(err, TARN_ENOTSUP, f->at,
                       "xz: stream %llu asks for what liblzma %s has not",
                       (unsigned long long)f->n, lzma_version_string());
  case LZMA_UNSUPPORTED_CHECK:
    return tarn_err_at(err, TARN_ENOTSUP, f->at,
                       "xz: stream %llu has a check that liblzma %s has not",
                       (unsigned long long)f->n, lzma_version_string());
  case LZMA_DATA_ERROR:
    return tarn_frames_bad(f, err, "data or checksum is wrong");
  case LZMA_FORMAT_ERROR:
    return tarn_frames_bad(f, err, "header is wrong");
  default:
    return tarn_err_set(err, TARN_EINTERNAL, "xz: liblzma error %d", (int)rc);
  }
}

/* Makes the decoder anew; liblzma reuses what it has. */
static int xz_begin(void *state, const uint8_t *head, struct tarn_err *err)
{
  struct xz *x = state;
  lzma_ret rc;

  (void)head;
  rc = lzma_stream_decoder(&x->lzma, x->max_window + BESIDE_WINDOW,
                           LZMA_TELL_UNSUPPORTED_CHECK);
  return rc == LZMA_OK ? 0 : xz_bad(x, rc, err);
}

static int xz_run(void *state, struct tarn_in *in, struct tarn_out *out,
                  struct tarn_err *err)
{
  struct xz *x = state;
  size_t n_in = in->size - in->pos;
  lzma_ret rc;

  x->lzma.next_in = in->ptr + in->pos;
  x->lzma.avail_in = n_in;
  x->lzma.next_out = out->ptr + out->pos;
  x->lzma.avail_out = out->size - out->pos;
  rc = lzma_code(&x->lzma, LZMA_RUN);
  in->pos = in->size - x->lzma.avail_in;
  tarn_frames_took(&x->frames, n_in - x->lzma.avail_in);
  out->pos = out->size - x->lzma.avail_out;
  switch (rc) {
  case LZMA_OK:
  case LZMA_BUF_ERROR: /* no progress possible */
    return 0;
  case LZMA_STREAM_END:
    tarn_frames_end(&x->frames);
    return 0;
  default:
    return xz_bad(x, rc, err);
  }
}

/* Between streams stand multiples of four zero bytes (2.2 of the format). */
static const struct tarn_frame_rules rules = {.format = "xz",
                                              .unit = "stream",
                                              .head = xz_head,
                                              .begin = xz_begin,
                                              .run = xz_run,
                                              .pad_unit = 4};

static void *xz_alloc(void *mem, size_t n, size_t size)
{
  return tarn_mem_get(mem, n, size);
}

static void xz_free(void *mem, void *ptr)
{
  tarn_mem_put(mem, ptr);
}

static int xz_open(void **state, const struct tarn_decode_limits *limits,
                   struct tarn_err *err)
{
  static const lzma_stream initial = LZMA_STREAM_INIT;
  struct xz *x = calloc(1, sizeof *x);

  if (!x)
    return tarn_err_nomem(err, "xz");
  tarn_frames_init(&x->frames, &rules, x);
  x->lzma = initial;
  x->allocator.alloc = xz_alloc;
  x->allocator.free = xz_free;
  x->allocator.opaque = &x->mem;
  x->lzma.allocator = &x->allocator;
  /* liblzma's dictionaries end below 4 GiB, and the sum must not overflow. */
  x->max_window = tarn_min_u64(limits->max_window, UINT32_MAX);
  *state = x;
  return 0;
}

static int xz_step(void *state, struct tarn_in *in, struct tarn_out *out,
                   struct tarn_err *err)
{
  struct xz *x = state;

  return tarn_frames_step(&x->frames, in, out, err);
}

static int xz_finish(void *state, struct tarn_err *err)
{
  struct xz *x = state;

  return tarn_frames_finish(&x->frames, err);
}

static void xz_close(void *state)
{
  struct xz *x = state;

  lzma_end(&x->lzma);
  tarn_mem_close(&x->mem);
  free(x);
}

static size_t xz_memory(const void *state)
{
  const struct xz *x = state;

  return sizeof *x + x->mem.held;
}

const struct tarn_codec tarn_codec_xz = {
    .name = "xz",
    .open = xz_open,
    .step = xz_step,
    .finish = xz_finish,
    .close = xz_close,
    .memory = xz_memory,
};

const char *tarn_xz_version(void)
{
  return lzma_version_string();
}
