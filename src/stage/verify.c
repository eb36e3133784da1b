#include "stage/verify.h"

#include <string.h>

#define SLICES_AT_ONCE 16u

struct verify {
  struct tarn_stage stage;
  struct tarn_flow *flow;
  struct tarn_stage *next;
  struct tarn_digest_value want;
  struct tarn_digest *digest;
  struct tarn_slice_queue waiting;
  struct tarn_lane lane;
  struct tarn_item item;
  struct tarn_slice slices[SLICES_AT_ONCE]; /* the item's */
  size_t n_slices;
  int rc; /* the item's */
  bool running, has_end, done, closed;
};

static void advance(struct verify *v);

static struct verify *of(struct tarn_stage *stage)
{
  return TARN_CONTAINER(stage, struct verify, stage);
}

static void hash_on_worker(struct tarn_item *item)
{
  struct verify *v = TARN_CONTAINER(item, struct verify, item);
  size_t i;

  for (i = 0; i < v->n_slices && v->rc == 0; i++)
    v->rc = tarn_digest_put(v->digest, v->slices[i].ptr, v->slices[i].len);
}

static void on_hashed(struct tarn_item *item, int status)
{
  struct verify *v = TARN_CONTAINER(item, struct verify, item);
  size_t i;

  for (i = 0; i < v->n_slices; i++)
    tarn_slice_drop(&v->slices[i]);
  v->n_slices = 0;
  v->running = false;
  if (status || v->rc)
    tarn_flow_fail(v->flow, TARN_EINTERNAL, "digest: work item");
  advance(v);
  tarn_closer_drop(&v->flow->closer);
}

static void judge(struct verify *v)
{
  struct tarn_digest_value have;
  char want_text[160], have_text[160];

  v->done = true;
  if (tarn_digest_peek(v->digest, &have) != 0) {
    tarn_flow_fail(v->flow, TARN_EINTERNAL, "digest: no value");
  } else if (!tarn_digest_equal(&have, &v->want)) {
    tarn_digest_format(&v->want, want_text, sizeof want_text);
    tarn_digest_format(&have, have_text, sizeof have_text);
    tarn_flow_fail(v->flow, TARN_EDIGEST, "the digest is %s, wanted was %s",
                   have_text, want_text);
  } else {
    tarn_stage_end(v->next, true);
  }
}

static void advance(struct verify *v)
{
  if (v->running || v->closed || v->flow->over)
    return;
  while (v->n_slices < SLICES_AT_ONCE &&
         tarn_slice_queue_take(&v->waiting, &v->slices[v->n_slices]))
    v->n_slices++;
  if (v->n_slices > 0) {
    v->running = true;
    v->item.run = hash_on_worker;
    v->item.done = on_hashed;
    tarn_closer_hold(&v->flow->closer);
    tarn_lane_put(&v->lane, &v->item);
  } else if (v->has_end && !v->done) {
    judge(v);
  }
}

static void put(struct tarn_stage *stage, struct tarn_slice slice)
{
  struct verify *v = of(stage);

  if (tarn_slice_queue_put(&v->waiting, tarn_slice_dup(&slice)) != 0)
    tarn_flow_fail(v->flow, TARN_ENOMEM, "digest: out of memory");
  tarn_stage_put(v->next, slice);
  advance(v);
}

static void end(struct tarn_stage *stage, bool proven)
{
  struct verify *v = of(stage);

  v->has_end = true;
  (void)proven; /* the digest proves more than the transport can */
  advance(v);
}

static void close_stage(struct tarn_stage *stage, bool keep)
{
  struct verify *v = of(stage);

  (void)keep;
  v->closed = true;
  tarn_slice_queue_close(&v->waiting);
}

static void free_stage(struct tarn_stage *stage)
{
  struct verify *v = of(stage);

  tarn_digest_free(v->digest);
  free(v);
}

static const struct tarn_stage_ops ops = {"verify", put, end, close_stage,
                                          free_stage};

int tarn_verify_new(struct tarn_stage **stage, struct tarn_flow *flow,
                    const struct tarn_digest_value *want,
                    struct tarn_stage *next, struct tarn_err *err)
{
  struct verify *v = calloc(1, sizeof *v);
  int rc;

  if (!v)
    return tarn_err_nomem(err, "digest");
  rc = tarn_digest_new(&v->digest, want->kind, err);
  if (rc) {
    free(v);
    return rc;
  }
  v->stage.ops = &ops;
  v->flow = flow;
  v->next = next;
  v->want = *want;
  tarn_slice_queue_init(&v->waiting);
  tarn_lane_init(&v->lane, &flow->env->work, 1);
  *stage = &v->stage;
  return 0;
}
