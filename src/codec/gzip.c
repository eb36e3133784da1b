/*
 * gzip (RFC 1952): zlib reads header, data and trailer of a member and checks
 * the header's CRC where there is one, the data's CRC and the size.
 */
#include "codec/formats.h"

#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/num.h"
#include "codec/frames.h"
#include "codec/mem.h"

struct gzip {
  struct tarn_frames frames;
  z_stream z;
  struct tarn_mem mem;
};

/* ID1, ID2 and CM: deflate is the only method there is. */
static size_t gzip_head(const uint8_t *ptr, size_t len)
{
  static const uint8_t magic[3] = {0x1f, 0x8b, 8};
  size_t i;

  for (i = 0; i < len && i < sizeof magic; i++)
    if (ptr[i] != magic[i])
      return 0;
  return sizeof magic;
}

/* Runs inflate once over what zlib's 32-bit counters can hold. */
static int inflate_once(struct gzip *g, struct tarn_in *in,
                        struct tarn_out *out)
{
  uInt n_in = (uInt)tarn_min_size(in->size - in->pos, 1u << 30);
  uInt n_out = (uInt)tarn_min_size(out->size - out->pos, 1u << 30);
  int rc;

  g->z.next_in = in->ptr + in->pos;
  g->z.avail_in = n_in;
  g->z.next_out = out->ptr + out->pos;
  g->z.avail_out = n_out;
  rc = inflate(&g->z, Z_NO_FLUSH);
  in->pos += n_in - g->z.avail_in;
  tarn_frames_took(&g->frames, n_in - g->z.avail_in);
  out->pos += n_out - g->z.avail_out;
  return rc;
}

static int gzip_run(void *state, struct tarn_in *in, struct tarn_out *out,
                    struct tarn_err *err)
{
  struct gzip *g = state;

  switch (inflate_once(g, in, out)) {
  case Z_OK:
  case Z_BUF_ERROR: /* no progress possible */
    return 0;
  case Z_STREAM_END:
    tarn_frames_end(&g->frames);
    return inflateReset(&g->z) == Z_OK
               ? 0
               : tarn_err_set(err, TARN_EINTERNAL, "gzip: inflateReset");
  case Z_MEM_ERROR:
    return tarn_err_nomem(err, "gzip");
  default:
    return tarn_frames_bad(&g->frames, err,
                           g->z.msg ? g->z.msg : "damaged data");
  }
}

static const struct tarn_frame_rules rules = {
    .format = "gzip", .unit = "member", .head = gzip_head, .run = gzip_run};

static void *gzip_alloc(void *mem, unsigned n, unsigned size)
{
  return tarn_mem_get(mem, n, size);
}

static void gzip_free(void *mem, void *ptr)
{
  tarn_mem_put(mem, ptr);
}

static int gzip_open(void **state, const struct tarn_decode_limits *limits,
                     struct tarn_err *err)
{
  struct gzip *g = calloc(1, sizeof *g);

  (void)limits; /* the window is 32 KiB, always */
  if (!g)
    return tarn_err_nomem(err, "gzip");
  tarn_frames_init(&g->frames, &rules, g);
  g->z.zalloc = gzip_alloc;
  g->z.zfree = gzip_free;
  g->z.opaque = &g->mem;
  if (inflateInit2(&g->z, MAX_WBITS + 16) != Z_OK) {
    free(g);
    return tarn_err_nomem(err, "gzip");
  }
  *state = g;
  return 0;
}

static int gzip_step(void *state, struct tarn_in *in, struct tarn_out *out,
                     struct tarn_err *err)
{
  struct gzip *g = state;

  return tarn_frames_step(&g->frames, in, out, err);
}

static int gzip_finish(void *state, struct tarn_err *err)
{
  struct gzip *g = state;

  return tarn_frames_finish(&g->frames, err);
}

static void gzip_close(void *state)
{
  struct gzip *g = state;

  inflateEnd(&g->z);
  tarn_mem_close(&g->mem);
  free(g);
}

static size_t gzip_memory(const void *state)
{
  const struct gzip *g = state;

  return sizeof *g + g->mem.held;
}

const struct tarn_codec tarn_codec_gzip = {
    .name = "gzip",
    .open = gzip_open,
    .step = gzip_step,
    .finish = gzip_finish,
    .close = gzip_close,
    .memory = gzip_memory,
};

const char *tarn_gzip_version(void)
{
  return zlibVersion();
}
