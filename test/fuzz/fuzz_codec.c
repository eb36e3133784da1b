/*
 * Any bytes through one codec, twice: whole, and cut as the first byte says.
 * Both must end alike; what is decoded is never more than there is room for.
 * Built once for each codec: FUZZ_CODEC is its enum tarn_compression.
 *
 * The first byte: the sizes of the input's pieces (bits 3 to 5) and of the
 * output's (bits 6 and 7).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "codec/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decoding stops here: bombs are not what is looked for. */
#define PLAIN_MAX ((size_t)4 << 20)

struct result {
  int rc;
  size_t len;
  uint64_t hash; /* of the decoded bytes */
  struct tarn_err err;
};

static void note(struct result *r, const uint8_t *ptr, size_t len)
{
  size_t i;

  for (i = 0; i < len; i++)
    r->hash = (r->hash ^ ptr[i]) * UINT64_C(0x100000001b3);
  r->len += len;
}

/* One piece of input in a block of its own. Returns whether to go on. */
static bool step(struct tarn_decoder *dec, const uint8_t *ptr, size_t len,
                 struct tarn_out *out, struct result *r)
{
  uint8_t *piece = malloc(len);
  struct tarn_in in = {piece, len, 0};

  TARN_CHECK(piece);
  memcpy(piece, ptr, len);
  do {
    out->pos = 0;
    r->rc = tarn_decoder_step(dec, &in, out, &r->err);
    TARN_CHECK(in.pos <= in.size && out->pos <= out->size);
    note(r, out->ptr, out->pos);
  } while (r->rc == 0 && r->len < PLAIN_MAX &&
           (in.pos < in.size || out->pos == out->size));
  free(piece);
  return r->rc == 0 && r->len < PLAIN_MAX;
}

static struct result run(const struct tarn_codec *codec, const uint8_t *ptr,
                         size_t len, size_t cut, size_t window)
{
  struct result r = {0};
  struct tarn_decoder *dec;
  struct tarn_out out = {malloc(window), window, 0};
  bool more = true;
  size_t at, n;

  TARN_CHECK(out.ptr);
  TARN_CHECK(tarn_decoder_new(&dec, codec, NULL, &r.err) == 0);
  for (at = 0; more && at < len; at += n) {
    n = len - at < cut ? len - at : cut;
    more = step(dec, ptr + at, n, &out, &r);
  }
  if (more)
    r.rc = tarn_decoder_finish(dec, &r.err);
  TARN_CHECK(r.rc == r.err.code && (!r.rc || r.err.text[0]));
  tarn_decoder_free(dec);
  free(out.ptr);
  return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const size_t cuts[] = {1, 2, 3, 7, 16, 61, 300, 4096};
  static const size_t windows[] = {1, 13, 1000, 70000};
  const struct tarn_codec *codec;
  struct result whole, cut;

  if (size < 2)
    return 0;
  codec = tarn_codec_by_kind(FUZZ_CODEC);
  TARN_CHECK(codec);
  if (!codec->open)
    return 0;
  whole = run(codec, data + 1, size - 1, size, 1 << 16);
  cut = run(codec, data + 1, size - 1, cuts[data[0] >> 3 & 7],
            windows[data[0] >> 6]);
  if (whole.len >= PLAIN_MAX || cut.len >= PLAIN_MAX)
    return 0;
  TARN_CHECK(whole.rc == cut.rc);
  if (whole.rc == 0)
    TARN_CHECK(whole.len == cut.len && whole.hash == cut.hash);
  return 0;
}
