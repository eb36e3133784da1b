#include "stage/unpack.h"

#include <string.h>

#include "archive/fa1_read.h"
#include "base/num.h"
#include "codec/crc64.h"
#include "stage/unfa1.h"
#include "stage/untar.h"

struct unpack {
  struct tarn_stage stage;
  struct tarn_flow *flow;
  struct tarn_members_options opts;
  struct tarn_tree *tree;    /* until `reader` owns it */
  struct tarn_stage *reader; /* NULL until the first bytes are there */
  uint8_t head[TARN_FA1_SIGNATURE];
  size_t head_len;
};

static struct unpack *of(struct tarn_stage *stage)
{
  return TARN_CONTAINER(stage, struct unpack, stage);
}

/* False when the flow has failed. */
static bool choose(struct unpack *u)
{
  bool fa1 = u->head_len == sizeof u->head && tarn_fa1_is(u->head);

  if (fa1 && !tarn_crc64_library()) {
    tarn_flow_fail(u->flow, TARN_ENOTSUP,
                   "FA1: this build has no liblzma for its checksums");
    return false;
  }
  TARN_TRACE(&u->flow->env->trace, TARN_TRACE_TREE, "read as %s",
             fa1 ? "FA1" : "tar");
  u->reader = fa1 ? tarn_unfa1_new(u->flow, &u->opts, u->tree)
                  : tarn_untar_new(u->flow, &u->opts, u->tree);
  if (!u->reader)
    tarn_flow_fail(u->flow, TARN_ENOMEM, "archive: out of memory");
  return u->reader != NULL;
}

/*
 * The first bytes go on as a copy: their slices were let go, as each might hold
 * a slab. No member begins so early that it would ask for one.
 */
static void put_head(struct unpack *u, size_t len)
{
  struct tarn_slice slice = {NULL, u->head, len};

  if (len > 0)
    tarn_stage_put(u->reader, slice);
}

/* The bytes at the start of the stream, until they tell what it is. */
static bool put_first(struct unpack *u, const struct tarn_slice *slice)
{
  size_t before = u->head_len;
  size_t n = tarn_min_size(sizeof u->head - before, slice->len);

  memcpy(u->head + before, slice->ptr, n);
  u->head_len += n;
  if (u->head_len < sizeof u->head || !choose(u))
    return false;
  put_head(u, before);
  return true;
}

static void put(struct tarn_stage *stage, struct tarn_slice slice)
{
  struct unpack *u = of(stage);

  if (u->reader || (!u->flow->over && put_first(u, &slice)))
    tarn_stage_put(u->reader, slice);
  else
    tarn_slice_drop(&slice);
}

static void end(struct tarn_stage *stage, bool proven)
{
  struct unpack *u = of(stage);

  if (!u->reader) {
    if (u->flow->over || !choose(u))
      return;
    put_head(u, u->head_len);
  }
  tarn_stage_end(u->reader, proven);
}

static void close_stage(struct tarn_stage *stage, bool keep)
{
  struct unpack *u = of(stage);

  if (u->reader)
    u->reader->ops->close(u->reader, keep);
  else
    u->tree->ops->close(u->tree, keep);
}

static void free_stage(struct tarn_stage *stage)
{
  struct unpack *u = of(stage);

  if (u->reader)
    u->reader->ops->free(u->reader);
  else
    u->tree->ops->free(u->tree);
  free(u);
}

static const struct tarn_stage_ops ops = {"unpack", put, end, close_stage,
                                          free_stage};

struct tarn_stage *tarn_unpack_new(struct tarn_flow *flow,
                                   const struct tarn_members_options *opts,
                                   struct tarn_tree *tree)
{
  struct unpack *u = calloc(1, sizeof *u);

  if (!u)
    return NULL;
  u->stage.ops = &ops;
  u->flow = flow;
  u->opts = *opts;
  u->tree = tree;
  return &u->stage;
}
