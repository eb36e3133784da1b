#include "stage/sink_stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "loop/stream_fd.h"
#include "os/part_file.h"

#define SLICES_AT_ONCE 16u
/* A FIFO that nobody reads is looked at again after this. */
#define READER_MS      50u
/* Bytes written to a pipe in one go, so that the loop stays quick. */
#define BURST_BYTES    (1024u * 1024u)

struct sink_stream {
  struct tarn_stage stage;
  struct tarn_flow *flow;
  bool no_sync, allow_unproven;
  char *path; /* of a file to be made */
  struct tarn_part_file file;
  struct tarn_stream_fd stream; /* of a descriptor */
  bool has_stream;
  int fd; /* what workers write to; -1: open first */

  struct tarn_slice_queue waiting;
  struct tarn_slice head;                   /* partly written to a pipe */
  struct tarn_slice slices[SLICES_AT_ONCE]; /* the item's */
  size_t n_slices;
  bool commit; /* the item's: the file is whole */
  int rc;
  struct tarn_err err;

  struct tarn_lane lane;
  struct tarn_item item;
  struct tarn_defer step;
  uv_timer_t timer;
  struct tarn_meter meter;
  bool running, polling, has_end, done, closed;
};

static void advance(struct sink_stream *s);
static void on_ready(struct tarn_stream_fd *stream);

static struct sink_stream *of(struct tarn_stage *stage)
{
  return TARN_CONTAINER(stage, struct sink_stream, stage);
}

static int write_code(int failed)
{
  return failed == EPIPE || failed == ECONNRESET ? TARN_EPIPE : TARN_EFILE;
}

static void write_failed(struct sink_stream *s, int failed,
                         struct tarn_err *err)
{
  s->rc = tarn_err_sys(err, write_code(failed), failed, "%s: write",
                       s->path ? s->path : "output");
}

/* ---- files: on a worker ---- */

static void write_slices_on_worker(struct sink_stream *s)
{
  size_t i, at;

  for (i = 0; i < s->n_slices; i++)
    for (at = 0; at < s->slices[i].len;) {
      ssize_t n;

      if (s->has_stream) {
        n = tarn_stream_fd_write(&s->stream, s->slices[i].ptr + at,
                                 s->slices[i].len - at);
      } else {
        n = write(s->fd, s->slices[i].ptr + at, s->slices[i].len - at);
        n = n < 0 ? -errno : n;
      }
      if (n == -EINTR)
        continue;
      if (n <= 0) {
        write_failed(s, n == 0 ? EIO : (int)-n, &s->err);
        return;
      }
      at += (size_t)n;
    }
}

static void work_on_worker(struct tarn_item *item)
{
  struct sink_stream *s = TARN_CONTAINER(item, struct sink_stream, item);

  write_slices_on_worker(s);
  if (s->rc == 0 && s->commit && s->path)
    s->rc = tarn_part_file_commit(&s->file, !s->no_sync, &s->err);
}

static void open_on_worker(struct tarn_item *item)
{
  struct sink_stream *s = TARN_CONTAINER(item, struct sink_stream, item);

  s->rc = tarn_part_file_open(&s->file, s->path, &s->err);
}

static void abandon_on_worker(struct tarn_item *item)
{
  struct sink_stream *s = TARN_CONTAINER(item, struct sink_stream, item);

  tarn_part_file_abandon(&s->file);
}

static void on_abandoned(struct tarn_item *item, int status)
{
  struct sink_stream *s = TARN_CONTAINER(item, struct sink_stream, item);

  if (status)
    tarn_part_file_abandon(&s->file);
  tarn_closer_drop(&s->flow->closer);
}

/* The part of a file that will not be whole goes away. */
static void abandon(struct sink_stream *s)
{
  if (!s->path || s->running || s->file.fd < 0)
    return;
  s->running = true;
  s->item.run = abandon_on_worker;
  s->item.done = on_abandoned;
  tarn_closer_hold(&s->flow->closer);
  tarn_lane_put(&s->lane, &s->item);
}

static void on_worked(struct tarn_item *item, int status)
{
  struct sink_stream *s = TARN_CONTAINER(item, struct sink_stream, item);
  size_t i;

  for (i = 0; i < s->n_slices; i++)
    tarn_slice_drop(&s->slices[i]);
  s->n_slices = 0;
  s->running = false;
  s->flow->disk.busy_ns = s->lane.busy_ns;
  if (status)
    tarn_flow_fail(s->flow, status, "write: work item");
  else if (s->rc)
    s->flow->fail(s->flow, &s->err);
  if (s->closed)
    abandon(s);
  else if (!status && !s->rc && s->commit) {
    s->done = true;
    s->flow->finished(s->flow);
  } else {
    advance(s);
  }
  tarn_closer_drop(&s->flow->closer);
}

static void on_timer(uv_timer_t *timer)
{
  advance(timer->data);
}

/* A FIFO is a stream like a pipe of the caller's. */
static void become_stream(struct sink_stream *s)
{
  int rc = tarn_stream_fd_init(&s->stream, s->flow->env->loop, s->file.fd, true,
                               &s->err);

  s->stream.on_ready = on_ready;
  s->has_stream = rc == 0;
  if (rc)
    s->flow->fail(s->flow, &s->err);
  else if (s->stream.own)
    tarn_part_file_abandon(&s->file); /* the stream has it now */
}

static void on_opened(struct tarn_item *item, int status)
{
  struct sink_stream *s = TARN_CONTAINER(item, struct sink_stream, item);

  s->running = false;
  if (status)
    tarn_flow_fail(s->flow, status, "open: work item");
  else if (s->rc < 0)
    s->flow->fail(s->flow, &s->err);
  else if (s->rc == TARN_PART_NO_READER && !s->closed)
    (void)uv_timer_start(&s->timer, on_timer, READER_MS, 0);
  s->fd = s->file.fd;
  if (s->closed) {
    abandon(s);
  } else if (!status && s->rc == 0) {
    if (s->file.is_fifo)
      become_stream(s);
    advance(s);
  }
  tarn_closer_drop(&s->flow->closer);
}

static void start_item(struct sink_stream *s,
                       void (*run)(struct tarn_item *item),
                       void (*done)(struct tarn_item *item, int status))
{
  s->running = true;
  s->item.run = run;
  s->item.done = done;
  tarn_meter_to(&s->meter, &s->flow->disk, TARN_METER_BUSY);
  tarn_closer_hold(&s->flow->closer);
  tarn_lane_put(&s->lane, &s->item);
}

static void advance_file(struct sink_stream *s)
{
  bool idle = s->waiting.n == 0 && !s->has_end;

  if (s->running || uv_is_active((uv_handle_t *)&s->timer))
    return;
  if (idle) {
    tarn_meter_to(&s->meter, &s->flow->disk, TARN_METER_WAIT_IN);
    return;
  }
  if (s->path && s->fd < 0) {
    start_item(s, open_on_worker, on_opened);
    return;
  }
  while (s->n_slices < SLICES_AT_ONCE &&
         tarn_slice_queue_take(&s->waiting, &s->slices[s->n_slices]))
    s->n_slices++;
  s->commit = s->has_end && s->waiting.n == 0;
  start_item(s, work_on_worker, on_worked);
}

/* ---- pipes and sockets: on the loop ---- */

static void on_ready(struct tarn_stream_fd *stream)
{
  struct sink_stream *s = TARN_CONTAINER(stream, struct sink_stream, stream);

  s->polling = false;
  advance(s);
}

/* Writes the head; false when the pipe is full or broken. */
static bool write_head(struct sink_stream *s, size_t *burst)
{
  ssize_t n = tarn_stream_fd_write(&s->stream, s->head.ptr, s->head.len);
  struct tarn_err err;

  if (n == -EAGAIN) {
    s->polling = true;
    tarn_meter_to(&s->meter, &s->flow->disk, TARN_METER_WAIT_OUT);
    tarn_stream_fd_wait(&s->stream);
    return false;
  }
  if (n < 0) {
    write_failed(s, (int)-n, &err);
    s->flow->fail(s->flow, &err);
    return false;
  }
  *burst += (size_t)n;
  s->head.ptr += n;
  s->head.len -= (size_t)n;
  if (s->head.len == 0)
    tarn_slice_drop(&s->head);
  return true;
}

static void advance_pipe(struct sink_stream *s)
{
  size_t burst = 0;

  if (s->polling)
    return;
  tarn_meter_to(&s->meter, &s->flow->disk, TARN_METER_BUSY);
  while (s->head.len > 0 || tarn_slice_queue_take(&s->waiting, &s->head)) {
    if (!write_head(s, &burst))
      return;
    if (burst >= BURST_BYTES) {
      tarn_defer_schedule(&s->flow->env->defers, &s->step);
      return;
    }
  }
  tarn_meter_to(&s->meter, &s->flow->disk, TARN_METER_WAIT_IN);
  if (s->has_end) {
    s->done = true;
    s->flow->finished(s->flow);
  }
}

static void advance(struct sink_stream *s)
{
  if (s->done || s->closed || s->flow->over)
    return;
  if (s->has_stream && s->stream.kind != TARN_STREAM_FILE)
    advance_pipe(s);
  else
    advance_file(s);
}

static void on_step(struct tarn_defer *d)
{
  advance(TARN_CONTAINER(d, struct sink_stream, step));
}

static void put(struct tarn_stage *stage, struct tarn_slice slice)
{
  struct sink_stream *s = of(stage);

  if (tarn_slice_queue_put(&s->waiting, slice) != 0)
    tarn_flow_fail(s->flow, TARN_ENOMEM, "output: out of memory");
  tarn_defer_schedule(&s->flow->env->defers, &s->step);
}

static void end(struct tarn_stage *stage, bool proven)
{
  struct sink_stream *s = of(stage);

  if (!proven && !s->allow_unproven) {
    tarn_flow_fail(s->flow, TARN_EUNPROVEN,
                   "nothing proves that these %llu bytes are all: no length, "
                   "no end mark (--allow-unproven or --digest)",
                   (unsigned long long)s->flow->raw_bytes);
    return;
  }
  s->has_end = true;
  tarn_defer_schedule(&s->flow->env->defers, &s->step);
}

static void on_timer_closed(uv_handle_t *handle)
{
  struct sink_stream *s = handle->data;

  tarn_closer_drop(&s->flow->closer);
}

static void close_stage(struct tarn_stage *stage, bool keep)
{
  struct sink_stream *s = of(stage);

  (void)keep;
  s->closed = true;
  tarn_defer_cancel(&s->step);
  tarn_slice_queue_close(&s->waiting);
  tarn_slice_drop(&s->head);
  if (s->has_stream)
    tarn_stream_fd_close(&s->stream, &s->flow->closer);
  tarn_closer_hold(&s->flow->closer);
  uv_close((uv_handle_t *)&s->timer, on_timer_closed);
  abandon(s);
}

static void free_stage(struct tarn_stage *stage)
{
  struct sink_stream *s = of(stage);

  free(s->path);
  free(s);
}

static const struct tarn_stage_ops ops = {"sink_stream", put, end, close_stage,
                                          free_stage};

int tarn_sink_stream_new(struct tarn_stage **stage, struct tarn_flow *flow,
                         const struct tarn_sink_stream_options *opts,
                         struct tarn_err *err)
{
  struct sink_stream *s = calloc(1, sizeof *s);
  int rc = 0;

  if (!s)
    return tarn_err_nomem(err, "output");
  s->stage.ops = &ops;
  s->flow = flow;
  s->fd = s->file.fd = -1;
  s->no_sync = opts->no_sync;
  s->allow_unproven = opts->allow_unproven;
  tarn_slice_queue_init(&s->waiting);
  tarn_lane_init(&s->lane, &flow->env->work, 1);
  tarn_defer_init(&s->step, on_step);
  tarn_meter_init(&s->meter);
  if (opts->path) {
    s->path = strdup(opts->path);
    if (!s->path)
      rc = tarn_err_nomem(err, "output");
  } else {
    rc = tarn_stream_fd_init(&s->stream, flow->env->loop, opts->fd, true, err);
    s->stream.on_ready = on_ready;
    s->has_stream = rc == 0;
  }
  if (rc) {
    free(s);
    return rc;
  }
  (void)uv_timer_init(flow->env->loop, &s->timer);
  s->timer.data = s;
  *stage = &s->stage;
  return 0;
}
