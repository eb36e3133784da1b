#include "stage/decode.h"

#include <string.h>

#define SLICES_AT_ONCE   32u
#define SLABS_AT_ONCE    4u
/* A ratio says nothing about a stream this short. */
#define RATIO_FROM_BYTES (1024u * 1024u)

enum mode { DETECT, PASS, DECODE };

/* A part of a slab that an item fills: bytes [from, fill). */
struct part {
  struct tarn_slab *slab;
  size_t from, fill;
};

/* What travels with the item; the worker touches nothing else. */
struct batch {
  struct tarn_decoder *dec;
  struct tarn_slice in[SLICES_AT_ONCE];
  size_t n_in, i_in; /* slices, and the first not used up */
  struct part out[SLABS_AT_ONCE];
  size_t n_out, slab_size;
  bool last;     /* no more input will come */
  bool drained;  /* input used up, output not full */
  bool finished; /* the stream ended where it may */
  int rc;
  struct tarn_err err;
};

struct decode {
  struct tarn_stage stage;
  struct tarn_flow *flow;
  struct tarn_stage *next;
  struct tarn_decode_options opts;
  enum mode mode;
  uint64_t skip; /* rest of a skippable frame in front */
  uint64_t in_bytes, out_bytes;
  struct tarn_slice_queue in;
  struct part cur; /* last output slab, not full yet */
  struct batch batch;
  struct tarn_budget *out; /* pays the output slabs */
  struct tarn_budget own;  /* of a peeling stage */
  struct tarn_lane lane;
  struct tarn_item item;
  struct tarn_budget_waiter room;
  struct tarn_defer step;
  struct tarn_meter meter;
  size_t window; /* the decoder's memory, counted in flow->total */
  bool running, has_end, proven, drained, done, closed;
};

static void advance(struct decode *d);

static struct decode *of(struct tarn_stage *stage)
{
  return TARN_CONTAINER(stage, struct decode, stage);
}

/* ---- on the worker ---- */

static int step_part(struct batch *b, struct part *part)
{
  struct tarn_slice none = {NULL, NULL, 0}, *slice;
  struct tarn_in in;
  struct tarn_out out = {part->slab->data + part->fill,
                         b->slab_size - part->fill, 0};
  int rc;

  slice = b->i_in < b->n_in ? &b->in[b->i_in] : &none;
  in = (struct tarn_in){slice->ptr, slice->len, 0};
  rc = tarn_decoder_step(b->dec, &in, &out, &b->err);
  part->fill += out.pos;
  if (slice != &none) {
    slice->ptr += in.pos;
    slice->len -= in.pos;
    if (slice->len == 0)
      b->i_in++;
  }
  return rc;
}

static void decode_on_worker(struct tarn_item *item)
{
  struct batch *b = &TARN_CONTAINER(item, struct decode, item)->batch;
  size_t i = 0;

  b->drained = false;
  while (b->rc == 0 && i < b->n_out) {
    b->rc = step_part(b, &b->out[i]);
    if (b->rc == 0 && b->out[i].fill < b->slab_size && b->i_in == b->n_in) {
      b->drained = true;
      break;
    }
    if (b->out[i].fill == b->slab_size)
      i++;
  }
  if (b->rc == 0 && b->drained && b->last) {
    b->rc = tarn_decoder_finish(b->dec, &b->err);
    b->finished = b->rc == 0;
  }
}

/* ---- on the loop ---- */

static bool within_limits(struct decode *d)
{
  if (d->opts.max_size && d->out_bytes > d->opts.max_size) {
    tarn_flow_fail(d->flow, TARN_ELIMIT,
                   "more than %llu decoded bytes (--max-size)",
                   (unsigned long long)d->opts.max_size);
    return false;
  }
  if (d->opts.max_ratio > 0 && d->out_bytes > RATIO_FROM_BYTES &&
      (double)d->out_bytes > (double)d->in_bytes * d->opts.max_ratio) {
    tarn_flow_fail(d->flow, TARN_ELIMIT,
                   "decoded bytes are more than %g times the raw ones "
                   "(--max-ratio)",
                   d->opts.max_ratio);
    return false;
  }
  return true;
}

static void pass(struct decode *d, struct tarn_slice slice)
{
  d->out_bytes += slice.len;
  if (!d->opts.peel)
    d->flow->decoded_bytes = d->out_bytes;
  tarn_stage_put(d->next, slice);
}

/* Hands the filled parts on; keeps the last slab for more if it has room. */
static void hand_on(struct decode *d)
{
  struct batch *b = &d->batch;
  size_t i;

  for (i = 0; i < b->n_out; i++) {
    struct part *p = &b->out[i];

    if (p->fill > p->from && !d->flow->over)
      pass(d, tarn_slice_of(p->slab, p->from, p->fill - p->from));
    if (p->fill > 0 && p->fill < b->slab_size && !d->cur.slab) {
      d->cur = (struct part){p->slab, p->fill, p->fill};
    } else {
      tarn_slab_unref(p->slab);
    }
  }
  b->n_out = 0;
}

static void drop_used(struct batch *b)
{
  size_t i, n = 0;

  for (i = 0; i < b->i_in; i++)
    tarn_slice_drop(&b->in[i]);
  for (; i < b->n_in; i++)
    b->in[n++] = b->in[i];
  b->n_in = n;
  b->i_in = 0;
}

/* The window is the stream's choice: it counts beside the budget. */
static void count_window(struct decode *d, size_t now)
{
  if (now > d->window)
    tarn_budget_force(&d->flow->total, now - d->window);
  else if (now < d->window)
    tarn_budget_release(&d->flow->total, d->window - now);
  d->window = now;
}

static void on_decoded(struct tarn_item *item, int status)
{
  struct decode *d = TARN_CONTAINER(item, struct decode, item);
  struct batch *b = &d->batch;

  d->running = false;
  drop_used(b);
  d->drained = b->drained;
  count_window(d, tarn_decoder_memory(b->dec));
  d->flow->decode.busy_ns = d->lane.busy_ns;
  hand_on(d);
  if (!d->flow->over && !d->closed) {
    if (status)
      tarn_flow_fail(d->flow, status, "decode: work item");
    else if (b->rc)
      d->flow->fail(d->flow, &b->err);
    else if (within_limits(d))
      advance(d);
  }
  tarn_closer_drop(&d->flow->closer);
}

static void take_input(struct decode *d)
{
  struct batch *b = &d->batch;

  while (b->n_in < SLICES_AT_ONCE &&
         tarn_slice_queue_take(&d->in, &b->in[b->n_in])) {
    b->n_in++;
  }
}

/* As many output slabs as the budget grants, at least one; false: none. */
static bool take_output(struct decode *d)
{
  struct batch *b = &d->batch;
  struct tarn_slab *slab;

  b->slab_size = d->flow->out_pool.slab_size;
  if (d->cur.slab) {
    b->out[b->n_out++] = d->cur;
    d->cur.slab = NULL;
  }
  while (b->n_out < SLABS_AT_ONCE) {
    if (!tarn_budget_reserve(d->out, b->slab_size))
      break;
    slab = tarn_slab_new(&d->flow->out_pool, d->out);
    if (!slab) {
      tarn_budget_release(d->out, b->slab_size);
      tarn_flow_fail(d->flow, TARN_ENOMEM, "decode: out of memory");
      return false;
    }
    b->out[b->n_out++] = (struct part){slab, 0, 0};
  }
  if (b->n_out == 0) {
    TARN_TRACE(&d->flow->env->trace, TARN_TRACE_MEMORY,
               "output: %zu of %zu bytes in use, the decoder waits",
               d->flow->out.used, d->flow->out.cap);
    tarn_budget_wait(d->out, &d->room);
    tarn_meter_to(&d->meter, &d->flow->decode, TARN_METER_WAIT_OUT);
  }
  return b->n_out > 0;
}

static void start_item(struct decode *d)
{
  if (!take_output(d))
    return;
  take_input(d);
  d->batch.last = d->has_end && d->in.n == 0;
  d->running = true;
  d->item.run = decode_on_worker;
  d->item.done = on_decoded;
  tarn_meter_to(&d->meter, &d->flow->decode, TARN_METER_BUSY);
  tarn_closer_hold(&d->flow->closer);
  tarn_lane_put(&d->lane, &d->item);
}

static void choose(struct decode *d, enum tarn_compression kind)
{
  struct tarn_decode_limits limits = {d->opts.max_window};
  const struct tarn_codec *codec;
  struct tarn_err err;

  if (!d->opts.peel) {
    codec = tarn_codec_by_kind(kind);
    d->flow->compression = codec ? codec->name : NULL;
  }
  TARN_TRACE(&d->flow->env->trace, TARN_TRACE_DECODE, "compression %d",
             (int)kind);
  if (kind == TARN_COMPRESSION_NONE) {
    d->mode = PASS;
    return;
  }
  d->mode = DECODE;
  if (tarn_decoder_new(&d->batch.dec, tarn_codec_by_kind(kind), &limits,
                       &err) != 0)
    d->flow->fail(d->flow, &err);
}

/* What to do with the first bytes' verdict. */
static void decide(struct decode *d, enum tarn_compression found)
{
  const struct tarn_codec *promised = tarn_codec_by_kind(d->opts.by_name);

  if (d->opts.peel) {
    choose(d, found == d->opts.kind ? found : TARN_COMPRESSION_NONE);
  } else if (found == TARN_COMPRESSION_NONE && d->opts.must_match_name &&
             promised && d->opts.by_name != TARN_COMPRESSION_NONE) {
    tarn_flow_fail(d->flow, TARN_EDATA,
                   "byte 0: this is no %s, though its name says so",
                   promised->name);
  } else if (found == TARN_COMPRESSION_NONE && d->in_bytes == 0 && promised) {
    choose(d, d->opts.by_name); /* nothing came at all */
  } else {
    choose(d, found);
  }
}

/* True when the mode is known. */
static bool detect(struct decode *d)
{
  uint8_t head[TARN_DETECT_MAX];
  enum tarn_compression found;
  uint64_t skip;
  size_t n;

  if (d->opts.kind != TARN_COMPRESSION_AUTO && !d->opts.peel) {
    choose(d, d->opts.kind);
    return true;
  }
  for (;;) {
    if (d->skip > 0)
      d->skip -= tarn_slice_queue_skip(&d->in, d->skip);
    if (d->skip > 0) {
      if (d->has_end)
        tarn_flow_fail(d->flow, TARN_ETRUNCATED,
                       "byte %llu: the stream ends within a skippable frame",
                       (unsigned long long)d->in_bytes);
      return false;
    }
    n = tarn_slice_queue_peek(&d->in, head, sizeof head);
    skip = 0;
    found = tarn_codec_detect(head, n, d->has_end, &skip);
    if (skip == 0)
      break;
    if (d->opts.peel) { /* skippable frames are no content coding */
      found = TARN_COMPRESSION_NONE;
      break;
    }
    d->skip = skip;
  }
  if (found == TARN_COMPRESSION_AUTO)
    return false;
  decide(d, found);
  return !d->flow->over;
}

static void finish(struct decode *d, bool proven)
{
  d->done = true;
  tarn_meter_to(&d->meter, &d->flow->decode, TARN_METER_WAIT_IN);
  tarn_stage_end(d->next, proven);
}

static void advance_pass(struct decode *d)
{
  struct tarn_slice slice;

  while (!d->flow->over && tarn_slice_queue_take(&d->in, &slice)) {
    pass(d, slice);
    if (!d->opts.peel && !within_limits(d))
      return;
  }
  if (d->has_end && !d->done && !d->flow->over)
    finish(d, d->proven);
}

static void advance(struct decode *d)
{
  if (d->running || d->closed || d->done || d->flow->over)
    return;
  if (d->mode == DETECT && !detect(d))
    return;
  if (d->flow->over)
    return;
  if (d->mode == PASS)
    advance_pass(d);
  else if (d->batch.finished)
    finish(d, d->proven || !d->opts.end_by_transport);
  else if (d->in.n > 0 || d->batch.n_in > 0 || !d->drained || d->has_end)
    start_item(d);
  else
    tarn_meter_to(&d->meter, &d->flow->decode, TARN_METER_WAIT_IN);
}

static void put(struct tarn_stage *stage, struct tarn_slice slice)
{
  struct decode *d = of(stage);

  d->in_bytes += slice.len;
  if (tarn_slice_queue_put(&d->in, slice) != 0)
    tarn_flow_fail(d->flow, TARN_ENOMEM, "decode: out of memory");
  advance(d);
}

static void end(struct tarn_stage *stage, bool proven)
{
  struct decode *d = of(stage);

  d->has_end = true;
  d->proven = proven;
  advance(d);
}

static void on_room(struct tarn_budget_waiter *w)
{
  struct decode *d = TARN_CONTAINER(w, struct decode, room);

  if (!d->closed)
    tarn_defer_schedule(&d->flow->env->defers, &d->step);
}

static void on_step(struct tarn_defer *step)
{
  advance(TARN_CONTAINER(step, struct decode, step));
}

static void close_stage(struct tarn_stage *stage, bool keep)
{
  struct decode *d = of(stage);

  (void)keep;
  d->closed = true;
  tarn_budget_unwait(&d->room);
  tarn_defer_cancel(&d->step);
  tarn_slice_queue_close(&d->in);
}

static void free_stage(struct tarn_stage *stage)
{
  struct decode *d = of(stage);

  d->batch.i_in = d->batch.n_in;
  drop_used(&d->batch);
  tarn_slab_unref(d->cur.slab);
  count_window(d, 0);
  tarn_decoder_free(d->batch.dec);
  free(d);
}

static const struct tarn_stage_ops ops = {"decode", put, end, close_stage,
                                          free_stage};

/*
 * Two decoders that share one budget can starve each other for ever: the upper
 * one's slabs wait for the lower one, and that one waits for a slab. So a
 * peeling stage has a part of the output budget for itself.
 */
static void choose_budget(struct decode *d)
{
  size_t part = d->flow->out.cap / 4;

  d->out = &d->flow->out;
  if (!d->opts.peel)
    return;
  d->flow->out.cap -= part;
  tarn_budget_init(&d->own, part, &d->flow->total);
  d->out = &d->own;
}

struct tarn_stage *tarn_decode_new(struct tarn_flow *flow,
                                   const struct tarn_decode_options *opts,
                                   struct tarn_stage *next)
{
  struct decode *d = calloc(1, sizeof *d);

  if (!d)
    return NULL;
  d->stage.ops = &ops;
  d->flow = flow;
  d->next = next;
  d->opts = *opts;
  d->drained = true;
  choose_budget(d);
  tarn_slice_queue_init(&d->in);
  tarn_lane_init(&d->lane, &flow->env->work, 1);
  tarn_budget_waiter_init(&d->room, on_room);
  tarn_defer_init(&d->step, on_step);
  tarn_meter_init(&d->meter);
  return &d->stage;
}

void tarn_decode_forget_name(struct tarn_stage *stage)
{
  of(stage)->opts.by_name = TARN_COMPRESSION_AUTO;
}
