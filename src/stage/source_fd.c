#include "stage/source_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/stream_fd.h"

/* Bytes read from a pipe in one go, so that the loop stays quick. */
#define BURST_BYTES (1024u * 1024u)

struct source_fd {
  struct tarn_source_stage source;
  struct tarn_flow *flow;
  struct tarn_reorder *reorder;
  char *path;
  int own_fd; /* of `path`; -1 until open */
  struct tarn_stream_fd stream;
  bool has_stream;

  struct tarn_slab *slab; /* being filled, paid for */
  size_t fill;
  uint64_t at;

  ssize_t got; /* the item's result */
  bool regular, fifo;
  struct tarn_err err;
  struct tarn_lane lane;
  struct tarn_item item;
  struct tarn_budget_waiter room;
  struct tarn_defer step;
  struct tarn_meter meter;
  bool running, polling, done, closed;
};

static void advance(struct source_fd *s);

static struct source_fd *of(struct tarn_source_stage *source)
{
  return TARN_CONTAINER(source, struct source_fd, source);
}

static void told_size(struct source_fd *s, int fd)
{
  struct stat st;

  if (fstat(fd, &st) != 0)
    return;
  s->fifo = S_ISFIFO(st.st_mode);
  s->regular = S_ISREG(st.st_mode);
  if (s->regular && st.st_size >= 0) {
    off_t from = lseek(fd, 0, SEEK_CUR);

    if (from < 0)
      from = 0;
    s->flow->wire_total = st.st_size > from ? (uint64_t)(st.st_size - from) : 0;
  }
}

/* A slab with room, or false: the budget waits or memory is out. */
static bool make_room(struct source_fd *s)
{
  size_t size = s->flow->in_pool.slab_size;

  if (s->slab && s->fill < size)
    return true;
  tarn_slab_unref(s->slab);
  s->slab = NULL;
  if (!tarn_budget_reserve(&s->flow->in, size)) {
    tarn_budget_wait(&s->flow->in, &s->room);
    tarn_meter_to(&s->meter, &s->flow->network, TARN_METER_WAIT_OUT);
    return false;
  }
  s->slab = tarn_slab_new(&s->flow->in_pool, &s->flow->in);
  s->fill = 0;
  if (!s->slab) {
    tarn_budget_release(&s->flow->in, size);
    tarn_flow_fail(s->flow, TARN_ENOMEM, "reading: out of memory");
  }
  return s->slab != NULL;
}

/* What a read has brought. False when there is nothing more to do. */
static bool take(struct source_fd *s, ssize_t n)
{
  struct tarn_slice slice;
  uint64_t at = s->at;

  if (n < 0) {
    tarn_flow_fail(s->flow, TARN_EFILE, "%s: read: %s",
                   s->path ? s->path : "input", strerror((int)-n));
    return false;
  }
  if (n == 0) {
    s->done = true;
    tarn_slab_unref(s->slab);
    s->slab = NULL;
    tarn_meter_to(&s->meter, &s->flow->network, TARN_METER_WAIT_IN);
    tarn_reorder_end(s->reorder, s->at, s->regular);
    return false;
  }
  slice = tarn_slice_of(s->slab, s->fill, (size_t)n);
  s->fill += (size_t)n;
  s->at += (uint64_t)n;
  s->flow->wire_bytes = s->at;
  tarn_reorder_put(s->reorder, at, slice);
  return !s->flow->over;
}

/* ---- files: on a worker ---- */

/*
 * Opening a FIFO waits for its writer, which may never come, and a worker
 * cannot be called back: so nothing is waited for here, and a FIFO goes to the
 * loop. All else is read as usual.
 */
static int open_on_worker(struct source_fd *s)
{
  s->own_fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (s->own_fd < 0)
    return tarn_err_sys(&s->err, errno == ENOENT ? TARN_ENOTFOUND : TARN_EFILE,
                        errno, "%s: open", s->path);
  told_size(s, s->own_fd);
  if (!s->fifo && fcntl(s->own_fd, F_SETFL, 0) != 0)
    return tarn_err_sys(&s->err, TARN_EFILE, errno, "%s: open", s->path);
  return 0;
}

static void read_on_worker(struct tarn_item *item)
{
  struct source_fd *s = TARN_CONTAINER(item, struct source_fd, item);
  size_t room = s->flow->in_pool.slab_size - s->fill;
  int fd;

  if (s->path && s->own_fd < 0 && (open_on_worker(s) != 0 || s->fifo))
    return;
  fd = s->path ? s->own_fd : s->stream.fd;
  do {
    s->got = read(fd, s->slab->data + s->fill, room);
    if (s->got < 0)
      s->got = -errno;
  } while (s->got == -EINTR);
}

static void on_ready(struct tarn_stream_fd *stream);

static void read_fifo(struct source_fd *s)
{
  int fd = s->own_fd;
  struct tarn_err err;

  s->own_fd = -1;
  if (tarn_stream_fd_adopt(&s->stream, s->flow->env->loop, fd, &err) != 0) {
    s->flow->fail(s->flow, &err);
    return;
  }
  s->stream.on_ready = on_ready;
  s->has_stream = true;
  advance(s);
}

static void on_read(struct tarn_item *item, int status)
{
  struct source_fd *s = TARN_CONTAINER(item, struct source_fd, item);

  s->running = false;
  if (!s->closed && !s->flow->over) {
    if (status)
      tarn_flow_fail(s->flow, status, "read: work item");
    else if (s->err.code)
      s->flow->fail(s->flow, &s->err);
    else if (s->path && s->fifo)
      read_fifo(s);
    else {
      s->flow->has_wire_total = s->regular;
      if (take(s, s->got))
        advance(s);
    }
  }
  tarn_closer_drop(&s->flow->closer);
}

static void advance_file(struct source_fd *s)
{
  if (s->running || !make_room(s))
    return;
  s->running = true;
  s->item.run = read_on_worker;
  s->item.done = on_read;
  tarn_meter_to(&s->meter, &s->flow->network, TARN_METER_BUSY);
  tarn_closer_hold(&s->flow->closer);
  tarn_lane_put(&s->lane, &s->item);
}

/* ---- pipes and sockets: on the loop, never before they are readable ---- */

static void on_ready(struct tarn_stream_fd *stream)
{
  struct source_fd *s = TARN_CONTAINER(stream, struct source_fd, stream);
  size_t burst = 0;
  ssize_t n;

  s->polling = false;
  if (s->closed || s->flow->over)
    return;
  while (burst < BURST_BYTES) {
    if (!make_room(s))
      return;
    n = tarn_stream_fd_read(&s->stream, s->slab->data + s->fill,
                            s->flow->in_pool.slab_size - s->fill);
    if (n == -EAGAIN)
      break;
    if (!take(s, n))
      return;
    burst += (size_t)n;
  }
  advance(s);
}

static void advance(struct source_fd *s)
{
  if (s->closed || s->done || s->flow->over)
    return;
  if (!s->has_stream || s->stream.kind == TARN_STREAM_FILE) {
    advance_file(s);
  } else if (!s->polling && make_room(s)) {
    s->polling = true;
    tarn_meter_to(&s->meter, &s->flow->network, TARN_METER_BUSY);
    tarn_stream_fd_wait(&s->stream);
  }
}

static void on_step(struct tarn_defer *d)
{
  advance(TARN_CONTAINER(d, struct source_fd, step));
}

static void on_room(struct tarn_budget_waiter *w)
{
  struct source_fd *s = TARN_CONTAINER(w, struct source_fd, room);

  tarn_defer_schedule(&s->flow->env->defers, &s->step);
}

static void start(struct tarn_source_stage *source)
{
  struct source_fd *s = of(source);
  struct tarn_reply none;

  tarn_reply_init(&none, 0);
  s->flow->object(s->flow, &none);
  tarn_defer_schedule(&s->flow->env->defers, &s->step);
}

static void close_source(struct tarn_source_stage *source)
{
  struct source_fd *s = of(source);

  s->closed = true;
  tarn_budget_unwait(&s->room);
  tarn_defer_cancel(&s->step);
  if (s->has_stream)
    tarn_stream_fd_close(&s->stream, &s->flow->closer);
}

static void free_source(struct tarn_source_stage *source)
{
  struct source_fd *s = of(source);

  tarn_slab_unref(s->slab);
  if (s->own_fd >= 0)
    (void)close(s->own_fd);
  free(s->path);
  free(s);
}

static const struct tarn_source_ops ops = {start, close_source, free_source};

int tarn_source_fd_new(struct tarn_source_stage **source,
                       struct tarn_flow *flow, struct tarn_reorder *reorder,
                       int fd, const char *path, struct tarn_err *err)
{
  struct source_fd *s = calloc(1, sizeof *s);
  int rc = 0;

  if (!s)
    return tarn_err_nomem(err, "input");
  s->source.ops = &ops;
  s->flow = flow;
  s->reorder = reorder;
  s->own_fd = -1;
  tarn_lane_init(&s->lane, &flow->env->work, 1);
  tarn_budget_waiter_init(&s->room, on_room);
  tarn_defer_init(&s->step, on_step);
  tarn_meter_init(&s->meter);
  if (path) {
    s->path = strdup(path);
    if (!s->path)
      rc = tarn_err_nomem(err, "input");
  } else {
    rc = tarn_stream_fd_init(&s->stream, flow->env->loop, fd, false, err);
    s->stream.on_ready = on_ready;
    s->has_stream = rc == 0;
    if (rc == 0) {
      told_size(s, fd);
      flow->has_wire_total = s->regular;
    }
  }
  if (rc) {
    free(s);
    return rc;
  }
  *source = &s->source;
  return 0;
}
