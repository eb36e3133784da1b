/*
 * bzip2: libbz2 decodes one stream at a time and checks the CRC of each block
 * and of the stream. It has no reset, so its memory is kept for the next one.
 */
#include "codec/formats.h"

#include <bzlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "codec/frames.h"
#include "codec/mem.h"

struct bzip2 {
  struct tarn_frames frames;
  bz_stream bz;
  struct tarn_mem mem;
  bool open; /* `bz` is in use */
};

/* "BZh" and the size of a block in units of 100000 bytes. */
static size_t bzip2_head(const uint8_t *ptr, size_t len)
{
  static const uint8_t magic[3] = {'B', 'Z', 'h'};
  size_t i;

  for (i = 0; i < len && i < sizeof magic; i++)
    if (ptr[i] != magic[i])
      return 0;
  if (len > 3 && (ptr[3] < '1' || ptr[3] > '9'))
    return 0;
  return 4;
}

static void *bzip2_alloc(void *mem, int n, int size)
{
  return n < 0 || size < 0 ? NULL : tarn_mem_get(mem, (size_t)n, (size_t)size);
}

static void bzip2_free(void *mem, void *ptr)
{
  tarn_mem_put(mem, ptr);
}

static void end_stream(struct bzip2 *b)
{
  if (b->open)
    BZ2_bzDecompressEnd(&b->bz);
  b->open = false;
}

static int bzip2_begin(void *state, const uint8_t *head, struct tarn_err *err)
{
  struct bzip2 *b = state;

  (void)head;
  memset(&b->bz, 0, sizeof b->bz);
  b->bz.bzalloc = bzip2_alloc;
  b->bz.bzfree = bzip2_free;
  b->bz.opaque = &b->mem;
  if (BZ2_bzDecompressInit(&b->bz, 0, 0) != BZ_OK)
    return tarn_err_nomem(err, "bzip2");
  b->open = true;
  return 0;
}

static int bzip2_run(void *state, struct tarn_in *in, struct tarn_out *out,
                     struct tarn_err *err)
{
  struct bzip2 *b = state;
  unsigned n_in = (unsigned)tarn_min_size(in->size - in->pos, 1u << 30);
  unsigned n_out = (unsigned)tarn_min_size(out->size - out->pos, 1u << 30);
  int rc;

  /* libbz2 reads next_in but was written before const was usual. */
  memcpy(&b->bz.next_in, &(const uint8_t *){in->ptr + in->pos},
         sizeof b->bz.next_in);
  b->bz.avail_in = n_in;
  b->bz.next_out = (char *)out->ptr + out->pos;
  b->bz.avail_out = n_out;
  rc = BZ2_bzDecompress(&b->bz);
  in->pos += n_in - b->bz.avail_in;
  tarn_frames_took(&b->frames, n_in - b->bz.avail_in);
  out->pos += n_out - b->bz.avail_out;
  switch (rc) {
  case BZ_OK:
    return 0;
  case BZ_STREAM_END:
    end_stream(b);
    tarn_frames_end(&b->frames);
    return 0;
  case BZ_MEM_ERROR:
    return tarn_err_nomem(err, "bzip2");
  default:
    return tarn_frames_bad(&b->frames, err, "data or checksum is wrong");
  }
}

static const struct tarn_frame_rules rules = {.format = "bzip2",
                                              .unit = "stream",
                                              .head = bzip2_head,
                                              .begin = bzip2_begin,
                                              .run = bzip2_run};

static int bzip2_open(void **state, const struct tarn_decode_limits *limits,
                      struct tarn_err *err)
{
  struct bzip2 *b = calloc(1, sizeof *b);

  (void)limits; /* a block is 900000 bytes at most */
  if (!b)
    return tarn_err_nomem(err, "bzip2");
  tarn_frames_init(&b->frames, &rules, b);
  b->mem.keep = true;
  *state = b;
  return 0;
}

static int bzip2_step(void *state, struct tarn_in *in, struct tarn_out *out,
                      struct tarn_err *err)
{
  struct bzip2 *b = state;

  return tarn_frames_step(&b->frames, in, out, err);
}

static int bzip2_finish(void *state, struct tarn_err *err)
{
  struct bzip2 *b = state;

  return tarn_frames_finish(&b->frames, err);
}

static void bzip2_close(void *state)
{
  struct bzip2 *b = state;

  end_stream(b);
  tarn_mem_close(&b->mem);
  free(b);
}

static size_t bzip2_memory(const void *state)
{
  const struct bzip2 *b = state;

  return sizeof *b + b->mem.held;
}

const struct tarn_codec tarn_codec_bzip2 = {
    .name = "bzip2",
    .open = bzip2_open,
    .step = bzip2_step,
    .finish = bzip2_finish,
    .close = bzip2_close,
    .memory = bzip2_memory,
};

const char *tarn_bzip2_version(void)
{
  return BZ2_bzlibVersion();
}
