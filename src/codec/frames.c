#include "codec/frames.h"

#include <inttypes.h>
#include <string.h>

#include "base/check.h"
#include "base/num.h"
#include "codec/le.h"

void tarn_frames_init(struct tarn_frames *f,
                      const struct tarn_frame_rules *rules, void *state)
{
  memset(f, 0, sizeof *f);
  f->state = state;
  f->rules = rules;
}

int tarn_frames_bad(const struct tarn_frames *f, struct tarn_err *err,
                    const char *reason)
{
  return tarn_err_at(err, TARN_EDATA, f->at,
                     "%s: %s %" PRIu64 ": %s, after byte %" PRIu64,
                     f->rules->format, f->rules->unit, f->n, reason, f->at);
}

int tarn_frames_cut(const struct tarn_frames *f, struct tarn_err *err)
{
  if (!f->at)
    return tarn_err_at(err, TARN_ETRUNCATED, 0,
                       "%s: no data where a %s should start", f->rules->format,
                       f->rules->unit);
  return tarn_err_at(err, TARN_ETRUNCATED, f->at,
                     "%s: %s %" PRIu64 " is cut short at byte %" PRIu64,
                     f->rules->format, f->rules->unit, f->n, f->at);
}

int tarn_frames_window(const struct tarn_frames *f, uint64_t need,
                       uint64_t allowed, struct tarn_err *err)
{
  return tarn_err_at(err, TARN_ENOTSUP, f->at,
                     "%s: %s %" PRIu64 " needs a window of %" PRIu64
                     " bytes, %" PRIu64 " are allowed: use --memory",
                     f->rules->format, f->rules->unit, f->n, need, allowed);
}

static int not_a_frame(const struct tarn_frames *f, struct tarn_err *err)
{
  if (!f->n)
    return tarn_err_at(err, TARN_EDATA, f->at, "%s: no %s starts at byte 0",
                       f->rules->format, f->rules->unit);
  return tarn_err_at(err, TARN_EDATA, f->at,
                     "%s: bytes behind %s %" PRIu64
                     " are neither a %s nor padding, byte %" PRIu64,
                     f->rules->format, f->rules->unit, f->n, f->rules->unit,
                     f->at);
}

/* A skippable frame's header: magic 0x184D2A50 to 5F, then a size. */
static size_t skippable_head(const uint8_t *ptr, size_t len)
{
  static const uint8_t magic[4] = {0x50, 0x2a, 0x4d, 0x18};
  size_t i;

  if ((ptr[0] & 0xf0) != magic[0])
    return 0;
  for (i = 1; i < len && i < sizeof magic; i++)
    if (ptr[i] != magic[i])
      return 0;
  return 8;
}

static size_t head_of(const struct tarn_frames *f, const uint8_t *ptr,
                      size_t len, bool *skippable)
{
  size_t want = f->rules->skippable ? skippable_head(ptr, len) : 0;

  *skippable = want > 0;
  return want ? want : f->rules->head(ptr, len);
}

static void begin(struct tarn_frames *f)
{
  f->n++;
  f->pad = 0;
  f->inside = true;
  f->fresh = true;
}

static void begin_skip(struct tarn_frames *f)
{
  f->n++;
  f->pad = 0;
  f->skip = tarn_le32(f->hold + 4);
  f->n_hold = 0;
}

/* Whether `byte` is padding rather than the first byte of a frame. */
static bool take_padding(struct tarn_frames *f, uint8_t byte)
{
  if (byte || !f->n || f->n_hold)
    return false;
  f->pad++;
  f->at++;
  return true;
}

/* The padding, if any, is followed by something that is not zero. */
static bool frame_may_start(const struct tarn_frames *f)
{
  return !f->pad || (f->rules->pad_unit && f->pad % f->rules->pad_unit == 0);
}

/* Consumes one byte that is not within a skippable frame. */
static int take_byte(struct tarn_frames *f, uint8_t byte, struct tarn_err *err)
{
  bool skippable;
  size_t want;

  if (take_padding(f, byte))
    return 0;
  if (!frame_may_start(f))
    return not_a_frame(f, err);
  TARN_CHECK(f->n_hold < sizeof f->hold);
  f->hold[f->n_hold++] = byte;
  want = head_of(f, f->hold, f->n_hold, &skippable);
  if (!want)
    return not_a_frame(f, err);
  f->at++;
  if (f->n_hold < want)
    return 0;
  if (skippable) {
    begin_skip(f);
    return 0;
  }
  f->head = f->hold;
  begin(f);
  return 1;
}

/* The header lies whole in the input: leave it there, so that the library
   sees the frame in one piece. */
static bool take_whole(struct tarn_frames *f, const struct tarn_in *in)
{
  size_t len = tarn_min_size(in->size - in->pos, TARN_FRAME_HEAD_MAX), want;
  const uint8_t *ptr = in->ptr + in->pos;
  bool skippable;

  if (f->n_hold || f->skip || !len || (!ptr[0] && f->n) || !frame_may_start(f))
    return false;
  want = head_of(f, ptr, len, &skippable);
  if (!want || want > len || skippable)
    return false;
  f->head = ptr;
  begin(f);
  return true;
}

/*
 * Passes what lies between frames. Returns 1 when a frame starts, 0 when the
 * input is used up, TARN_EDATA.
 */
static int between(struct tarn_frames *f, struct tarn_in *in,
                   struct tarn_err *err)
{
  while (in->pos < in->size) {
    int rc;

    if (f->skip) {
      size_t len = (size_t)tarn_min_u64(f->skip, in->size - in->pos);

      f->skip -= len;
      f->at += len;
      in->pos += len;
      continue;
    }
    if (take_whole(f, in))
      return 1;
    rc = take_byte(f, in->ptr[in->pos], err);
    if (rc < 0)
      return rc;
    in->pos++;
    if (rc)
      return rc;
  }
  return 0;
}

/* Shows the codec a header, and the bytes of it that were consumed here. */
static int start_frame(struct tarn_frames *f, struct tarn_out *out,
                       struct tarn_err *err)
{
  struct tarn_in hold = {f->hold, f->n_hold, 0};
  int rc = 0;

  f->fresh = false;
  f->n_hold = 0;
  if (f->rules->begin)
    rc = f->rules->begin(f->state, f->head, err);
  if (rc < 0 || !hold.size)
    return rc;
  f->at -= hold.size;
  rc = f->rules->run(f->state, &hold, out, err);
  TARN_CHECK(rc < 0 || hold.pos == hold.size);
  return rc;
}

static int run(struct tarn_frames *f, struct tarn_in *in, struct tarn_out *out,
               struct tarn_err *err)
{
  size_t in_pos = in->pos, out_pos = out->pos;
  int rc = f->rules->run(f->state, in, out, err);

  if (rc < 0)
    return rc;
  f->full = f->inside && out->pos == out->size;
  if (f->inside && in->pos < in->size && in->pos == in_pos &&
      out->pos == out_pos)
    return tarn_err_set(err, TARN_EINTERNAL,
                        "%s: the library makes no progress", f->rules->format);
  return 0;
}

int tarn_frames_step(struct tarn_frames *f, struct tarn_in *in,
                     struct tarn_out *out, struct tarn_err *err)
{
  int rc;

  for (;;) {
    if (!f->inside) {
      rc = between(f, in, err);
      if (rc <= 0)
        return rc;
    }
    if (f->fresh) {
      rc = start_frame(f, out, err);
      if (rc < 0)
        return rc;
    }
    if (out->pos == out->size || (in->pos == in->size && !f->full))
      return 0;
    rc = run(f, in, out, err);
    if (rc < 0)
      return rc;
  }
}

void tarn_frames_took(struct tarn_frames *f, size_t len)
{
  f->at += len;
}

void tarn_frames_end(struct tarn_frames *f)
{
  f->inside = false;
}

int tarn_frames_end_before(struct tarn_frames *f, const uint8_t *ptr,
                           size_t len, struct tarn_err *err)
{
  size_t i;

  tarn_frames_end(f);
  f->at -= len;
  for (i = 0; i < len; i++) {
    int rc = take_byte(f, ptr[i], err);

    TARN_CHECK(rc <= 0 || i + 1 == len);
    if (rc < 0)
      return rc;
  }
  return 0;
}

int tarn_frames_finish(const struct tarn_frames *f, struct tarn_err *err)
{
  if (!f->n || f->n_hold || f->skip || f->inside)
    return tarn_frames_cut(f, err);
  return 0;
}
