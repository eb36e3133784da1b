#include "job/context.h"

#include <string.h>

#include "job/job.h"
#include "os/process.h"

/* As libuv's own default: embedders who have a larger pool say so. */
#define DEFAULT_MAX_WORK 4u

static void on_closed(struct tarn_closer *closer)
{
  struct tarn *ctx = TARN_CONTAINER(closer, struct tarn, closer);
  tarn_close_cb cb = ctx->close_cb;

  curl_global_cleanup();
  if (cb)
    cb(ctx, ctx->close_user);
  free(ctx);
}

/* All jobs are gone: the handles go. */
static void on_closing(struct tarn_defer *d)
{
  struct tarn *ctx = TARN_CONTAINER(d, struct tarn, closing);

  if (!tarn_list_empty(&ctx->jobs))
    return;
  tarn_curl_loop_close(&ctx->env.curl, &ctx->closer);
  tarn_defers_close(&ctx->env.defers, &ctx->closer);
  tarn_closer_drop(&ctx->closer);
}

void tarn_context_job_gone(struct tarn *ctx)
{
  if (ctx->is_closing)
    tarn_defer_schedule(&ctx->env.defers, &ctx->closing);
}

int tarn_open(struct tarn **out, uv_loop_t *loop,
              const struct tarn_options *opts, struct tarn_err *err)
{
  struct tarn_options own = TARN_OPTIONS_INIT;
  struct tarn *ctx;
  int rc;

  if (!out || !loop)
    return tarn_err_set(err, TARN_EINVAL, "a context needs a loop");
  *out = NULL;
  if (opts &&
      (rc = tarn_options_copy(&own, sizeof own, opts, opts->size, err)) != 0)
    return rc;
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return tarn_err_set(err, TARN_EINTERNAL, "libcurl cannot be initialised");
  ctx = calloc(1, sizeof *ctx);
  if (!ctx) {
    curl_global_cleanup();
    return tarn_err_nomem(err, "context");
  }
  ctx->env.loop = loop;
  ctx->env.umask =
      own.has_umask ? (mode_t)own.umask & 0777 : tarn_process_umask();
  ctx->env.trace.mask = own.trace_mask;
  ctx->env.trace.cb = own.on_trace;
  ctx->env.trace.user = own.user;
  tarn_list_init(&ctx->jobs);
  tarn_closer_init(&ctx->closer, on_closed);
  tarn_defer_init(&ctx->closing, on_closing);
  tarn_work_init(&ctx->env.work, loop,
                 own.max_work ? own.max_work : DEFAULT_MAX_WORK);
  rc = tarn_curl_loop_init(&ctx->env.curl, loop, &ctx->env.defers,
                           &ctx->env.trace, err);
  if (rc) {
    free(ctx);
    curl_global_cleanup();
    return rc;
  }
  tarn_defers_init(&ctx->env.defers, loop);
  *out = ctx;
  return 0;
}

void tarn_close(struct tarn *ctx, tarn_close_cb cb, void *user)
{
  struct tarn_list *link;

  if (!ctx || ctx->is_closing)
    return;
  ctx->is_closing = true;
  ctx->close_cb = cb;
  ctx->close_user = user;
  for (link = ctx->jobs.next; link != &ctx->jobs; link = link->next)
    tarn_cancel(TARN_CONTAINER(link, struct tarn_job, link));
  tarn_defer_schedule(&ctx->env.defers, &ctx->closing);
}
