#include "stage/untar.h"

#include <stdio.h>
#include <string.h>

#include "archive/tar_read.h"
#include "base/num.h"
#include "codec/codec.h"

struct untar {
  struct tarn_stage stage;
  struct tarn_flow *flow;
  struct tarn_members members;
  struct tarn_tree_member *member; /* gets the bodies that come, or NULL */
  struct tarn_tar_read *reader;
  uint8_t head[512]; /* for telling what it is, when it is no archive */
  size_t head_len;
};

static struct untar *of(struct tarn_stage *stage)
{
  return TARN_CONTAINER(stage, struct untar, stage);
}

static void keep_head(struct untar *u, const struct tarn_slice *slice)
{
  size_t n = tarn_min_size(sizeof u->head - u->head_len, slice->len);

  memcpy(u->head + u->head_len, slice->ptr, n);
  u->head_len += n;
}

/* Says what the bytes are when they are no archive. */
static void fail(struct untar *u, struct tarn_err *err)
{
  const char *guess = NULL, *type = u->members.opts.type;

  if (err->code == TARN_ENOTARCHIVE && u->head_len > 0)
    guess = tarn_codec_guess(u->head, u->head_len);
  if (guess && strstr(guess, "HTML"))
    (void)tarn_err_set(err, TARN_ENOTARCHIVE,
                       "not an archive: %s%s%s%s, perhaps a login", guess,
                       type[0] ? " (" : "", type, type[0] ? ")" : "");
  else if (guess)
    (void)tarn_err_set(err, TARN_ENOTARCHIVE,
                       "not an archive that tarn can unpack: %s%s", guess,
                       type[0] ? " (save it with -o)" : "");
  u->flow->fail(u->flow, err);
}

/* One event of the reader. False when the job has ended. */
static bool handle(struct untar *u, int event, const struct tarn_slice *slice,
                   size_t from, size_t used, struct tarn_err *err)
{
  switch (event) {
  case TARN_TAR_MORE:
    return true;
  case TARN_TAR_MEMBER:
    u->member = tarn_members_entry(&u->members, tarn_tar_read_entry(u->reader),
                                   slice->slab);
    return true;
  case TARN_TAR_BODY:
    tarn_members_body(&u->members, u->member, slice, from, used,
                      tarn_tar_read_body_at(u->reader));
    return true;
  case TARN_TAR_FINISH:
    tarn_members_finish(&u->members, u->member);
    u->member = NULL;
    return true;
  case TARN_TAR_WARNING:
    tarn_flow_warn(u->flow, 0, "%s", tarn_tar_read_warning(u->reader));
    return true;
  case TARN_TAR_REFUSED:
    tarn_members_refused(&u->members, err);
    return true;
  default:
    fail(u, err);
    return false;
  }
}

static void put(struct tarn_stage *stage, struct tarn_slice slice)
{
  struct untar *u = of(stage);
  struct tarn_err err;
  size_t at = 0, used;
  int event;

  keep_head(u, &slice);
  do {
    used = 0;
    event = tarn_tar_read_step(u->reader, slice.ptr + at, slice.len - at, &used,
                               &err);
    if (!handle(u, event, &slice, at, used, &err))
      break;
    at += used;
  } while (event != TARN_TAR_MORE && !u->flow->over);
  tarn_slice_drop(&slice);
  u->members.tree->ops->flush(u->members.tree);
}

static void end(struct tarn_stage *stage, bool proven)
{
  struct untar *u = of(stage);
  struct tarn_slice none = {NULL, NULL, 0};
  struct tarn_err err;
  int event;

  do {
    event = tarn_tar_read_end(u->reader, proven, &err);
    if (event != 0 && !handle(u, event, &none, 0, 0, &err))
      return;
  } while (event != 0 && !u->flow->over);
  if (!u->flow->over)
    u->members.tree->ops->end(u->members.tree);
}

static void close_stage(struct tarn_stage *stage, bool keep)
{
  struct untar *u = of(stage);

  u->members.tree->ops->close(u->members.tree, keep);
}

static void free_stage(struct tarn_stage *stage)
{
  struct untar *u = of(stage);

  u->members.tree->ops->free(u->members.tree);
  tarn_tar_read_free(u->reader);
  free(u);
}

static const struct tarn_stage_ops ops = {"untar", put, end, close_stage,
                                          free_stage};

struct tarn_stage *tarn_untar_new(struct tarn_flow *flow,
                                  const struct tarn_members_options *opts,
                                  struct tarn_tree *tree)
{
  struct tarn_tar_options tar = {opts->ignore_zeros};
  struct untar *u = calloc(1, sizeof *u);

  if (!u)
    return NULL;
  if (tarn_tar_read_new(&u->reader, &tar, NULL) != 0) {
    free(u);
    return NULL;
  }
  u->stage.ops = &ops;
  u->flow = flow;
  tarn_members_init(&u->members, flow, opts, tree);
  return &u->stage;
}
