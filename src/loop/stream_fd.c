#include "loop/stream_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/sigpipe.h"

static int open_own(struct tarn_stream_fd *s, int fd)
{
  char path[64];

  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  s->fd = open(path, (s->writing ? O_WRONLY : O_RDONLY) | O_NONBLOCK |
                         O_CLOEXEC | O_NOCTTY);
  s->own = s->fd >= 0;
  return s->fd < 0 ? -errno : 0;
}

static int start_polling(struct tarn_stream_fd *s, uv_loop_t *loop)
{
  struct epoll_event event = {0};

  s->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (s->epoll < 0)
    return -errno;
  /* Level-triggered: asked for only while on_ready is wanted. */
  event.events = s->writing ? EPOLLOUT : EPOLLIN | EPOLLRDHUP;
  if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->fd, &event) != 0)
    return -errno;
  if (uv_poll_init(loop, &s->poll, s->epoll) != 0)
    return -EIO;
  s->poll.data = s;
  s->polling = true;
  return 0;
}

static enum tarn_stream_kind kind_of(mode_t mode)
{
  if (S_ISFIFO(mode))
    return TARN_STREAM_PIPE;
  return S_ISSOCK(mode) ? TARN_STREAM_SOCKET : TARN_STREAM_FILE;
}

static bool open_for(int fd, bool writing)
{
  int flags = fcntl(fd, F_GETFL);

  if (flags < 0 || (flags & O_PATH))
    return false;
  flags &= O_ACCMODE;
  return flags == O_RDWR || flags == (writing ? O_WRONLY : O_RDONLY);
}

int tarn_stream_fd_init(struct tarn_stream_fd *s, uv_loop_t *loop, int fd,
                        bool writing, struct tarn_err *err)
{
  struct stat st;
  int rc = 0;

  memset(s, 0, sizeof *s);
  s->epoll = -1;
  s->fd = fd;
  s->writing = writing;
  if (fstat(fd, &st) != 0)
    return tarn_err_sys(err, TARN_EFILE, errno, "descriptor %d", fd);
  if (!open_for(fd, writing))
    return tarn_err_set(err, TARN_EFILE, "descriptor %d is not open for %s", fd,
                        writing ? "writing" : "reading");
  s->kind = kind_of(st.st_mode);
  /* A pipe that cannot be reopened (another user's) is left to workers. */
  if (s->kind == TARN_STREAM_PIPE && open_own(s, fd) != 0) {
    s->kind = TARN_STREAM_FILE;
    s->fd = fd;
  }
  if (s->kind != TARN_STREAM_FILE)
    rc = start_polling(s, loop);
  if (rc == 0)
    return 0;
  if (s->epoll >= 0)
    (void)close(s->epoll);
  if (s->own)
    (void)close(s->fd);
  return tarn_err_sys(err, TARN_EFILE, -rc, "descriptor %d: poll", fd);
}

int tarn_stream_fd_adopt(struct tarn_stream_fd *s, uv_loop_t *loop, int fd,
                         struct tarn_err *err)
{
  int rc;

  memset(s, 0, sizeof *s);
  s->epoll = -1;
  s->fd = fd;
  s->own = true;
  s->kind = TARN_STREAM_PIPE;
  rc = start_polling(s, loop);
  if (rc == 0)
    return 0;
  if (s->epoll >= 0)
    (void)close(s->epoll);
  (void)close(fd);
  return tarn_err_sys(err, TARN_EFILE, -rc, "FIFO: poll");
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
  struct tarn_stream_fd *s = poll->data;

  (void)status; /* what is wrong, the read or write will say */
  (void)events;
  (void)uv_poll_stop(poll);
  s->on_ready(s);
}

void tarn_stream_fd_wait(struct tarn_stream_fd *s)
{
  if (s->polling && !uv_is_closing((uv_handle_t *)&s->poll))
    (void)uv_poll_start(&s->poll, UV_READABLE, on_poll);
}

ssize_t tarn_stream_fd_read(struct tarn_stream_fd *s, void *ptr, size_t len)
{
  ssize_t n;

  do {
    n = s->kind == TARN_STREAM_SOCKET ? recv(s->fd, ptr, len, MSG_DONTWAIT)
                                      : read(s->fd, ptr, len);
  } while (n < 0 && errno == EINTR);
  return n < 0 ? -errno : n;
}

ssize_t tarn_stream_fd_write(struct tarn_stream_fd *s, const void *ptr,
                             size_t len)
{
  struct tarn_sigpipe saved;
  ssize_t n;
  int failed;

  if (s->kind == TARN_STREAM_SOCKET) {
    do {
      n = send(s->fd, ptr, len, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
  }
  tarn_sigpipe_block(&saved);
  do {
    n = write(s->fd, ptr, len);
    failed = errno;
  } while (n < 0 && failed == EINTR);
  tarn_sigpipe_restore(&saved);
  return n < 0 ? -failed : n;
}

static void on_closed(uv_handle_t *handle)
{
  struct tarn_stream_fd *s = handle->data;

  (void)close(s->epoll);
  tarn_closer_drop(s->closer);
}

void tarn_stream_fd_close(struct tarn_stream_fd *s, struct tarn_closer *closer)
{
  if (s->polling && !uv_is_closing((uv_handle_t *)&s->poll)) {
    s->closer = closer;
    tarn_closer_hold(closer);
    uv_close((uv_handle_t *)&s->poll, on_closed);
  }
  if (s->own)
    (void)close(s->fd);
  s->own = false;
}
