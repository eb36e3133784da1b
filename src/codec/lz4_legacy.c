#include "codec/lz4_legacy.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "codec/le.h"

#define PLAIN_MAX ((size_t)8 << 20)
#define DATA_MAX  ((size_t)LZ4_COMPRESSBOUND(8 << 20))

void tarn_lz4_legacy_begin(struct tarn_lz4_legacy *l)
{
  l->n_magic = 4;
  l->n_word = 0;
  l->n_block = 0;
  l->n_data = 0;
  l->n_plain = 0;
  l->plain_at = 0;
}

static int need(uint8_t **buffer, size_t len, struct tarn_err *err)
{
  if (!*buffer)
    *buffer = malloc(len);
  return *buffer ? 0 : tarn_err_nomem(err, "lz4");
}

static void consume(struct tarn_frames *f, struct tarn_in *in, size_t len)
{
  in->pos += len;
  tarn_frames_took(f, len);
}

static void pass_magic(struct tarn_lz4_legacy *l, struct tarn_frames *f,
                       struct tarn_in *in)
{
  size_t len = tarn_min_size(in->size - in->pos, l->n_magic);

  l->n_magic -= len;
  consume(f, in, len);
}

/* Collects a block's size. A number that is none ends the frame. */
static int take_word(struct tarn_lz4_legacy *l, struct tarn_frames *f,
                     struct tarn_in *in, struct tarn_err *err)
{
  uint32_t value;

  while (l->n_word < sizeof l->word && in->pos < in->size) {
    l->word[l->n_word++] = in->ptr[in->pos];
    consume(f, in, 1);
  }
  if (l->n_word < sizeof l->word)
    return 0;
  l->n_word = 0;
  value = tarn_le32(l->word);
  if (!value || value > DATA_MAX)
    return tarn_frames_end_before(f, l->word, sizeof l->word, err);
  l->n_block = value;
  l->n_data = 0;
  return 0;
}

static int decode(struct tarn_lz4_legacy *l, const struct tarn_frames *f,
                  const uint8_t *data, struct tarn_out *out,
                  struct tarn_err *err)
{
  bool direct = out->size - out->pos >= PLAIN_MAX;
  uint8_t *plain;
  int rc, len;

  rc = direct ? 0 : need(&l->plain, PLAIN_MAX, err);
  if (rc < 0)
    return rc;
  plain = direct ? out->ptr + out->pos : l->plain;
  len = LZ4_decompress_safe((const char *)data, (char *)plain, (int)l->n_block,
                            (int)PLAIN_MAX);
  if (len < 0)
    return tarn_frames_bad(f, err, "a block cannot be decoded");
  if (direct)
    out->pos += (size_t)len;
  else
    l->n_plain = (size_t)len;
  l->n_block = 0;
  return 0;
}

static int take_block(struct tarn_lz4_legacy *l, struct tarn_frames *f,
                      struct tarn_in *in, struct tarn_out *out,
                      struct tarn_err *err)
{
  const uint8_t *ptr = in->ptr + in->pos;
  size_t len = tarn_min_size(in->size - in->pos, l->n_block - l->n_data);
  int rc;

  if (len == l->n_block) {
    rc = decode(l, f, ptr, out, err);
    if (rc == 0)
      consume(f, in, len);
    return rc;
  }
  rc = need(&l->data, DATA_MAX, err);
  if (rc < 0)
    return rc;
  if (len)
    memcpy(l->data + l->n_data, ptr, len);
  consume(f, in, len);
  l->n_data += len;
  return l->n_data < l->n_block ? 0 : decode(l, f, l->data, out, err);
}

static void hand_out(struct tarn_lz4_legacy *l, struct tarn_out *out)
{
  size_t len = tarn_min_size(l->n_plain - l->plain_at, out->size - out->pos);

  if (!len)
    return;
  memcpy(out->ptr + out->pos, l->plain + l->plain_at, len);
  out->pos += len;
  l->plain_at += len;
  if (l->plain_at == l->n_plain) {
    l->plain_at = 0;
    l->n_plain = 0;
  }
}

int tarn_lz4_legacy_run(struct tarn_lz4_legacy *l, struct tarn_frames *f,
                        struct tarn_in *in, struct tarn_out *out,
                        struct tarn_err *err)
{
  int rc;

  pass_magic(l, f, in);
  while (f->inside) {
    hand_out(l, out);
    if (l->n_plain || in->pos == in->size)
      return 0;
    rc = l->n_block ? take_block(l, f, in, out, err) : take_word(l, f, in, err);
    if (rc < 0)
      return rc;
    if (f->fresh)
      return 0;
  }
  return 0;
}

int tarn_lz4_legacy_finish(const struct tarn_lz4_legacy *l,
                           const struct tarn_frames *f, struct tarn_err *err)
{
  size_t i;

  if (l->n_magic || l->n_block || l->n_plain)
    return tarn_frames_cut(f, err);
  for (i = 0; i < l->n_word; i++)
    if (l->word[i])
      return tarn_frames_cut(f, err);
  return 0;
}

size_t tarn_lz4_legacy_memory(const struct tarn_lz4_legacy *l)
{
  return (l->data ? DATA_MAX : 0) + (l->plain ? PLAIN_MAX : 0);
}

void tarn_lz4_legacy_close(struct tarn_lz4_legacy *l)
{
  free(l->data);
  free(l->plain);
}
