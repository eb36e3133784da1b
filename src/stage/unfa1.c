#include "stage/unfa1.h"

#include "archive/fa1_read.h"
#include "codec/crc64.h"

struct unfa1 {
  struct tarn_stage stage;
  struct tarn_flow *flow;
  struct tarn_members members;
  struct tarn_fa1_read *reader; /* a file's user pointer is the tree's handle */
};

static struct unfa1 *of(struct tarn_stage *stage)
{
  return TARN_CONTAINER(stage, struct unfa1, stage);
}

/* One event of the reader, which has come as far as `upto` in *slice. False
   when the job has ended. */
static bool handle(struct unfa1 *u, int event, const struct tarn_slice *slice,
                   size_t upto, struct tarn_err *err)
{
  size_t len;

  switch (event) {
  case TARN_FA1_MORE:
    return true;
  case TARN_FA1_MEMBER:
    tarn_fa1_read_set_user(u->reader,
                           tarn_members_entry(&u->members,
                                              tarn_fa1_read_entry(u->reader),
                                              slice->slab));
    return true;
  case TARN_FA1_BODY:
    len = tarn_fa1_read_body_len(u->reader);
    tarn_members_body(&u->members, tarn_fa1_read_user(u->reader), slice,
                      upto - len, len, tarn_fa1_read_body_at(u->reader));
    return true;
  case TARN_FA1_FINISH:
    tarn_members_finish(&u->members, tarn_fa1_read_user(u->reader));
    return true;
  case TARN_FA1_WARNING:
    tarn_flow_warn(u->flow, 0, "%s", tarn_fa1_read_warning(u->reader));
    return true;
  case TARN_FA1_REFUSED:
    tarn_members_refused(&u->members, err);
    return true;
  default:
    u->flow->fail(u->flow, err);
    return false;
  }
}

static void put(struct tarn_stage *stage, struct tarn_slice slice)
{
  struct unfa1 *u = of(stage);
  struct tarn_err err;
  size_t at = 0, used;
  int event;

  do {
    used = 0;
    event = tarn_fa1_read_step(u->reader, slice.ptr + at, slice.len - at, &used,
                               &err);
    at += used;
    if (!handle(u, event, &slice, at, &err))
      break;
  } while (event != TARN_FA1_MORE && !u->flow->over);
  tarn_slice_drop(&slice);
  u->members.tree->ops->flush(u->members.tree);
}

static void end(struct tarn_stage *stage, bool proven)
{
  struct unfa1 *u = of(stage);
  struct tarn_slice none = {NULL, NULL, 0};
  struct tarn_err err;
  int event;

  do {
    event = tarn_fa1_read_end(u->reader, proven, &err);
    if (event != 0 && !handle(u, event, &none, 0, &err))
      return;
  } while (event != 0 && !u->flow->over);
  if (!u->flow->over)
    u->members.tree->ops->end(u->members.tree);
}

static void close_stage(struct tarn_stage *stage, bool keep)
{
  struct unfa1 *u = of(stage);

  u->members.tree->ops->close(u->members.tree, keep);
}

static void free_stage(struct tarn_stage *stage)
{
  struct unfa1 *u = of(stage);

  u->members.tree->ops->free(u->members.tree);
  tarn_fa1_read_free(u->reader);
  free(u);
}

static const struct tarn_stage_ops ops = {"unfa1", put, end, close_stage,
                                          free_stage};

struct tarn_stage *tarn_unfa1_new(struct tarn_flow *flow,
                                  const struct tarn_members_options *opts,
                                  struct tarn_tree *tree)
{
  struct unfa1 *u = calloc(1, sizeof *u);

  if (!u)
    return NULL;
  if (tarn_fa1_read_new(&u->reader, tarn_crc64, NULL) != 0) {
    free(u);
    return NULL;
  }
  u->stage.ops = &ops;
  u->flow = flow;
  tarn_members_init(&u->members, flow, opts, tree);
  return &u->stage;
}
