#include "job/job.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "stage/sink_call.h"
#include "stage/source_put.h"

static const char *const state_names[] = {"new", "running", "closing"};
static const uint32_t state_moves[] = {
    [TARN_JOB_NEW] = 1u << TARN_JOB_RUNNING | 1u << TARN_JOB_CLOSING,
    [TARN_JOB_RUNNING] = 1u << TARN_JOB_CLOSING,
    [TARN_JOB_CLOSING] = 0,
};
static const struct tarn_sm_table state_table = {"job", state_names,
                                                 state_moves, 3};

static struct tarn_job *of(struct tarn_flow *flow)
{
  return TARN_CONTAINER(flow, struct tarn_job, flow);
}

int tarn_options_copy(void *to, size_t to_size, const void *from,
                      size_t from_size, struct tarn_err *err)
{
  const uint8_t *bytes = from;
  size_t i;

  if (from_size < sizeof(size_t))
    return tarn_err_set(err, TARN_EINVAL,
                        "an option struct without its size: use the "
                        "initialiser");
  for (i = to_size; i < from_size; i++)
    if (bytes[i])
      return tarn_err_set(err, TARN_EINVAL,
                          "an option that this version does not know");
  memcpy(to, from, tarn_min_size(to_size, from_size));
  *(size_t *)to = to_size;
  return 0;
}

/* ---- events ---- */

static void deliver(struct tarn_job *job, struct tarn_event *event)
{
  event->size = sizeof *event;
  if (job->on_event)
    job->on_event(job, event, job->user);
}

static void send_event(struct tarn_job *job, enum tarn_event_kind kind,
                       const char *text, const struct tarn_err *err,
                       unsigned attempt, uint64_t wait_ms)
{
  struct tarn_event event = {0};

  event.kind = kind;
  event.text = text;
  if (err)
    event.err = *err;
  event.attempt = attempt;
  event.wait_ms = wait_ms;
  deliver(job, &event);
}

static void on_warn(struct tarn_flow *flow, const struct tarn_err *err)
{
  send_event(of(flow), TARN_EVENT_WARNING, err->text, err, 0, 0);
}

static void on_retry(struct tarn_flow *flow, const struct tarn_err *err,
                     unsigned attempt, uint64_t wait_ms)
{
  send_event(of(flow), TARN_EVENT_RETRY, err->text, err, attempt, wait_ms);
}

void tarn_job_tell_entry(struct tarn_flow *flow, const struct tarn_entry *e)
{
  struct tarn_event event = {0};
  struct tarn_member m = {0};

  m.size = sizeof m;
  m.type = (enum tarn_member_type)e->type; /* same values, asserted below */
  m.path = e->path;
  m.path_len = e->path_len;
  m.link = e->link;
  m.link_len = e->link_len;
  m.mode = e->mode;
  m.uid = e->uid;
  m.gid = e->gid;
  m.uname = e->uname;
  m.gname = e->gname;
  m.mtime_sec = e->mtime.sec;
  m.mtime_nsec = e->mtime.nsec;
  m.dev_major = e->dev_major;
  m.dev_minor = e->dev_minor;
  m.length = e->size;
  m.header_at = e->header_at;
  m.is_sparse = e->sparse;
  m.has_no_mtime = e->no_mtime;
  event.kind = TARN_EVENT_ENTRY;
  event.text = e->path;
  event.member = &m;
  deliver(of(flow), &event);
}
_Static_assert(TARN_MEMBER_FILE == (int)TARN_ENTRY_FILE &&
                   TARN_MEMBER_FIFO == (int)TARN_ENTRY_FIFO,
               "types of members and entries are the same numbers");

void tarn_job_tell_start(struct tarn_job *job)
{
  char text[64];

  if (job->flow.has_wire_total)
    (void)snprintf(text, sizeof text, "%llu bytes",
                   (unsigned long long)job->flow.wire_total);
  else
    (void)snprintf(text, sizeof text, "length unknown");
  send_event(job, TARN_EVENT_START, text, NULL, 0, 0);
}

/* ---- the end ---- */

static void on_fail(struct tarn_flow *flow, const struct tarn_err *err)
{
  struct tarn_job *job = of(flow);

  if (job->finished)
    return;
  tarn_err_first(&job->err, err);
  flow->over = true;
  tarn_defer_schedule(&flow->env->defers, &job->step);
}

static void on_finished(struct tarn_flow *flow)
{
  struct tarn_job *job = of(flow);

  if (flow->over)
    return;
  job->finished = true;
  if (flow->failed > 0)
    (void)tarn_err_set(
        &job->err, TARN_EPARTIAL, "%llu entr%s could not be restored",
        (unsigned long long)flow->failed, flow->failed == 1 ? "y" : "ies");
  tarn_defer_schedule(&flow->env->defers, &job->step);
}

static void free_all(struct tarn_job *job)
{
  size_t i;

  if (job->source)
    job->source->ops->free(job->source);
  tarn_reorder_free(job->reorder);
  for (i = 0; i < job->n_stages; i++)
    job->stages[i]->ops->free(job->stages[i]);
  tarn_slab_pool_close(&job->flow.in_pool);
  tarn_slab_pool_close(&job->flow.out_pool);
  tarn_select_free(job->select);
  tarn_select_free(job->xattrs);
  free(job->shown);
  free(job);
}

static void on_closed(struct tarn_closer *closer)
{
  struct tarn_flow *flow = TARN_CONTAINER(closer, struct tarn_flow, closer);
  struct tarn_job *job = of(flow);
  struct tarn *ctx = job->ctx;
  struct tarn_result res;

  memset(&res, 0, sizeof res);
  res.size = sizeof res;
  res.err = job->err;
  res.progress.size = sizeof res.progress;
  (void)tarn_job_progress(job, &res.progress);
  if (job->on_done)
    job->on_done(job, &res, job->user);
  tarn_list_remove(&job->link);
  tarn_defer_cancel(&job->step);
  free_all(job);
  tarn_context_job_gone(ctx);
}

static void on_timer_closed(uv_handle_t *handle)
{
  struct tarn_job *job = handle->data;

  tarn_closer_drop(&job->flow.closer);
}

/* What is complete stays, unless the disk or the user says stop. */
static bool keeps(const struct tarn_job *job)
{
  int code = job->err.code;

  return code != TARN_ECANCELED && code != TARN_ENOSPC && code != TARN_ENOMEM &&
         code != TARN_EINTERNAL && code != TARN_ETIMEOUT;
}

static void start_closing(struct tarn_job *job)
{
  bool keep = keeps(job);
  size_t i;

  tarn_sm_to(&job->sm, TARN_JOB_CLOSING);
  job->flow.over = true;
  if (job->source)
    job->source->ops->close(job->source);
  tarn_reorder_drop(job->reorder);
  for (i = 0; i < job->n_stages; i++)
    job->stages[i]->ops->close(job->stages[i], keep);
  tarn_closer_hold(&job->flow.closer);
  uv_close((uv_handle_t *)&job->timer, on_timer_closed);
  tarn_closer_drop(&job->flow.closer);
}

static void on_max_time(uv_timer_t *timer)
{
  struct tarn_job *job = timer->data;

  tarn_flow_fail(&job->flow, TARN_ETIMEOUT,
                 "%s: not done after %llu ms (--max-time)", job->shown,
                 (unsigned long long)job->max_time_ms);
}

static void start_running(struct tarn_job *job)
{
  tarn_sm_to(&job->sm, TARN_JOB_RUNNING);
  if (job->max_time_ms)
    (void)uv_timer_start(&job->timer, on_max_time, job->max_time_ms, 0);
  if (!job->flow.wait_for_target)
    job->source->ops->start(job->source);
}

/* The target is open. */
static void on_target(struct tarn_flow *flow)
{
  struct tarn_job *job = of(flow);

  if (!flow->wait_for_target || flow->over)
    return;
  flow->wait_for_target = false;
  if (job->sm.state == TARN_JOB_RUNNING)
    job->source->ops->start(job->source);
}

static void on_step(struct tarn_defer *d)
{
  struct tarn_job *job = TARN_CONTAINER(d, struct tarn_job, step);

  if (job->sm.state == TARN_JOB_CLOSING)
    return;
  if (job->finished || job->flow.over)
    start_closing(job);
  else if (job->sm.state == TARN_JOB_NEW)
    start_running(job);
}

/* ---- life ---- */

/* The largest power of two that is at most n, within limits. */
static size_t power_below(size_t n, size_t least, size_t most)
{
  size_t p = least;

  while (p < most && p * 2 <= n)
    p *= 2;
  return p;
}

struct tarn_job *tarn_job_new(struct tarn *ctx, size_t memory, bool raw)
{
  struct tarn_job *job = calloc(1, sizeof *job);
  struct tarn_flow *flow;
  size_t in = raw ? memory : memory / 2;

  if (!job)
    return NULL;
  flow = &job->flow;
  job->reorder = tarn_reorder_new(flow);
  if (!job->reorder) {
    free(job);
    return NULL;
  }
  job->ctx = ctx;
  flow->env = &ctx->env;
  tarn_budget_init(&flow->total, SIZE_MAX, NULL);
  tarn_budget_init(&flow->in, in, &flow->total);
  tarn_budget_init(&flow->out, memory / 2, &flow->total);
  tarn_slab_pool_init(&flow->in_pool,
                      power_below(in / 64, 16u << 10, 256u << 10));
  tarn_slab_pool_init(&flow->out_pool,
                      power_below(memory / 32, 64u << 10, 1u << 20));
  tarn_closer_init(&flow->closer, on_closed);
  flow->fail = on_fail;
  flow->warn = on_warn;
  flow->retry = on_retry;
  flow->finished = on_finished;
  flow->start = on_target;
  tarn_sm_init(&job->sm, &state_table, &ctx->env.trace);
  tarn_defer_init(&job->step, on_step);
  tarn_list_init(&job->link);
  job->start_ns = uv_hrtime();
  return job;
}

void tarn_job_abort(struct tarn_job *job)
{
  /* Stages may have handles on the loop, which take a turn to close. */
  job->on_done = NULL;
  job->on_event = NULL;
  (void)uv_timer_init(job->flow.env->loop, &job->timer);
  job->timer.data = job;
  tarn_list_append(&job->ctx->jobs, &job->link);
  start_closing(job);
}

void tarn_job_begin(struct tarn_job *job)
{
  (void)uv_timer_init(job->flow.env->loop, &job->timer);
  job->timer.data = job;
  tarn_list_append(&job->ctx->jobs, &job->link);
  tarn_defer_schedule(&job->flow.env->defers, &job->step);
}

void tarn_job_own(struct tarn_job *job, struct tarn_stage *stage)
{
  TARN_CHECK(job->n_stages < TARN_JOB_STAGES);
  job->stages[job->n_stages++] = stage;
}

/* ---- public ---- */

void tarn_cancel(struct tarn_job *job)
{
  if (job->sm.state == TARN_JOB_CLOSING || job->finished)
    return;
  tarn_flow_fail(&job->flow, TARN_ECANCELED, "%s: canceled", job->shown);
}

int64_t tarn_put(struct tarn_job *job, const void *ptr, size_t len)
{
  if (!job->source_puts)
    return TARN_EINVAL;
  return tarn_source_put_bytes(job->source, ptr, len);
}

int tarn_put_end(struct tarn_job *job)
{
  if (!job->source_puts)
    return TARN_EINVAL;
  return tarn_source_put_end(job->source);
}

void tarn_on_room(struct tarn_job *job, tarn_room_cb cb, void *user)
{
  job->on_room = cb;
  job->room_user = user;
}

void tarn_consumed(struct tarn_job *job, size_t len)
{
  if (job->call_sink)
    tarn_sink_call_consumed(job->call_sink, len);
}

/* Whose lack of speed the others wait for. */
static enum tarn_limit find_limit(const struct tarn_job *job)
{
  const struct tarn_flow *flow = &job->flow;
  uint64_t elapsed = uv_hrtime() - job->start_ns;

  if (flow->network.wait_out_ns < elapsed / 5)
    return TARN_LIMIT_NETWORK;
  if (job->decodes && flow->decode.wait_out_ns < elapsed / 5 &&
      flow->decode.busy_ns > elapsed / 2)
    return TARN_LIMIT_DECODE;
  return job->to_disk ? TARN_LIMIT_DISK : TARN_LIMIT_OUTPUT;
}

int tarn_job_progress(const struct tarn_job *job, struct tarn_progress *p)
{
  const struct tarn_flow *flow = &job->flow;
  struct tarn_progress full;
  size_t size = p->size;

  if (size < sizeof(size_t))
    return TARN_EINVAL;
  memset(&full, 0, sizeof full);
  full.wire_bytes = flow->wire_bytes;
  full.wire_total = flow->wire_total;
  full.has_total = flow->has_wire_total;
  full.decoded_bytes = flow->decoded_bytes;
  full.files = flow->files;
  full.failed = flow->failed;
  full.retries = flow->retries;
  full.connections = flow->connections;
  full.elapsed_ns = uv_hrtime() - job->start_ns;
  full.memory_now = flow->total.used;
  full.memory_peak = flow->total.peak;
  full.limit = find_limit(job);
  full.compression = flow->compression;
  full.network = flow->network;
  full.decode = flow->decode;
  full.disk = flow->disk;
  size = tarn_min_size(size, sizeof full);
  full.size = size;
  memcpy(p, &full, size);
  return 0;
}
