#include "stage/untar.h"

#include <stdio.h>
#include <string.h>

#include "archive/tar_read.h"
#include "base/num.h"
#include "codec/codec.h"

struct untar {
  struct tarn_stage stage;
  struct tarn_flow *flow;
  struct tarn_tree *tree;
  struct tarn_tree_member *member; /* gets the bodies that come, or NULL */
  struct tarn_tar_read *reader;
  struct tarn_untar_options opts;
  uint8_t head[512]; /* for telling what it is, when it is no archive */
  size_t head_len;
  uint64_t members;
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
  const char *guess = NULL;

  if (err->code == TARN_ENOTARCHIVE && u->head_len > 0)
    guess = tarn_codec_guess(u->head, u->head_len);
  if (guess && strstr(guess, "HTML"))
    (void)tarn_err_set(err, TARN_ENOTARCHIVE,
                       "not an archive: %s%s%s%s, perhaps a login", guess,
                       u->opts.type[0] ? " (" : "", u->opts.type,
                       u->opts.type[0] ? ")" : "");
  else if (guess)
    (void)tarn_err_set(err, TARN_ENOTARCHIVE,
                       "not an archive that tarn can unpack: %s (save it "
                       "with -o)",
                       guess);
  u->flow->fail(u->flow, err);
}

static bool count_member(struct untar *u)
{
  u->members++;
  if (!u->opts.max_files || u->members <= u->opts.max_files)
    return true;
  tarn_flow_fail(u->flow, TARN_ELIMIT, "more than %llu members (--max-files)",
                 (unsigned long long)u->opts.max_files);
  return false;
}

static void refuse(struct untar *u, const struct tarn_err *err)
{
  u->flow->failed++;
  u->flow->warn(u->flow, err);
}

/* One event of the reader. False when the job has ended. */
static bool handle(struct untar *u, int event, const struct tarn_slice *slice,
                   size_t from, size_t used, struct tarn_err *err)
{
  struct tarn_slice body;

  switch (event) {
  case TARN_TAR_MORE:
    return true;
  case TARN_TAR_MEMBER:
    if (!count_member(u))
      return false;
    TARN_TRACE(&u->flow->env->trace, TARN_TRACE_TREE,
               "member %llu at byte %llu: type %d, %llu bytes",
               (unsigned long long)u->members,
               (unsigned long long)tarn_tar_read_entry(u->reader)->header_at,
               (int)tarn_tar_read_entry(u->reader)->type,
               (unsigned long long)tarn_tar_read_entry(u->reader)->size);
    u->member = u->tree->ops->entry(u->tree, tarn_tar_read_entry(u->reader),
                                    slice->slab);
    return true;
  case TARN_TAR_BODY:
    if (!u->member)
      return true;
    body = tarn_slice_dup(slice);
    body.ptr += from;
    body.len = used;
    u->tree->ops->body(u->tree, u->member, body,
                       tarn_tar_read_body_at(u->reader));
    return true;
  case TARN_TAR_FINISH:
    if (u->member)
      u->tree->ops->finish(u->tree, u->member);
    u->member = NULL;
    return true;
  case TARN_TAR_WARNING:
    tarn_flow_warn(u->flow, 0, "%s", tarn_tar_read_warning(u->reader));
    return true;
  case TARN_TAR_REFUSED:
    refuse(u, err);
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
  u->tree->ops->flush(u->tree);
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
    u->tree->ops->end(u->tree);
}

static void close_stage(struct tarn_stage *stage, bool keep)
{
  struct untar *u = of(stage);

  u->tree->ops->close(u->tree, keep);
}

static void free_stage(struct tarn_stage *stage)
{
  struct untar *u = of(stage);

  u->tree->ops->free(u->tree);
  tarn_tar_read_free(u->reader);
  free(u);
}

static const struct tarn_stage_ops ops = {"untar", put, end, close_stage,
                                          free_stage};

struct tarn_stage *tarn_untar_new(struct tarn_flow *flow,
                                  const struct tarn_untar_options *opts,
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
  u->tree = tree;
  u->opts = *opts;
  return &u->stage;
}
