#include "codec/codec.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/num.h"

/* What every format may ask for: zstd's own default. */
#define WINDOW_MIN ((uint64_t)128 << 20)

/*
 * Invariants
 * 1. Once `failed` holds a code, the codec is not called again.
 * 2. n_in and n_out are the sums of what the windows moved.
 */
struct tarn_decoder {
  const struct tarn_codec *codec;
  void *state;
  uint64_t n_in, n_out;
  struct tarn_err failed;
};

int tarn_decoder_new(struct tarn_decoder **dec, const struct tarn_codec *codec,
                     const struct tarn_decode_limits *limits,
                     struct tarn_err *err)
{
  struct tarn_decode_limits allowed = {WINDOW_MIN};
  struct tarn_decoder *d;
  int rc;

  *dec = NULL;
  if (!codec->open)
    return tarn_err_set(err, TARN_ENOTSUP, "%s: not in this build",
                        codec->name);
  if (limits)
    allowed.max_window = tarn_max_u64(allowed.max_window, limits->max_window);
  d = calloc(1, sizeof *d);
  if (!d)
    return tarn_err_nomem(err, codec->name);
  d->codec = codec;
  rc = codec->open(&d->state, &allowed, err);
  if (rc < 0) {
    free(d);
    return rc;
  }
  *dec = d;
  return 0;
}

void tarn_decoder_free(struct tarn_decoder *dec)
{
  if (!dec)
    return;
  dec->codec->close(dec->state);
  free(dec);
}

/* Tells the first error, every time. */
static int told(const struct tarn_decoder *dec, struct tarn_err *err)
{
  if (err)
    *err = dec->failed;
  return dec->failed.code;
}

int tarn_decoder_step(struct tarn_decoder *dec, struct tarn_in *in,
                      struct tarn_out *out, struct tarn_err *err)
{
  uint8_t nothing[1] = {0};
  struct tarn_in from = *in;
  struct tarn_out to = *out;
  int rc;

  TARN_CHECK(in->pos <= in->size && out->pos <= out->size);
  if (dec->failed.code)
    return told(dec, err);
  /* Empty windows may be NULL; zlib and pointer arithmetic want an address. */
  if (!from.ptr)
    from.ptr = nothing;
  if (!to.ptr)
    to.ptr = nothing;
  rc = dec->codec->step(dec->state, &from, &to, &dec->failed);
  dec->n_in += from.pos - in->pos;
  dec->n_out += to.pos - out->pos;
  in->pos = from.pos;
  out->pos = to.pos;
  return rc < 0 ? told(dec, err) : 0;
}

int tarn_decoder_finish(struct tarn_decoder *dec, struct tarn_err *err)
{
  if (dec->failed.code)
    return told(dec, err);
  return dec->codec->finish(dec->state, &dec->failed) < 0 ? told(dec, err) : 0;
}

size_t tarn_decoder_memory(const struct tarn_decoder *dec)
{
  return sizeof *dec + dec->codec->memory(dec->state);
}

uint64_t tarn_decoder_in(const struct tarn_decoder *dec)
{
  return dec->n_in;
}

uint64_t tarn_decoder_out(const struct tarn_decoder *dec)
{
  return dec->n_out;
}
