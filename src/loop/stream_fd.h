/*
 * A descriptor of the caller's, read or written in order, without changing it.
 *
 * Flags of a descriptor belong to everybody who shares its description, a
 * shell for one, so O_NONBLOCK is never set on it. A pipe or FIFO is reopened
 * by /proc/self/fd with flags of its own; a socket is used with MSG_DONTWAIT;
 * both are polled through an epoll descriptor of ours, as libuv would make
 * them non-blocking. Everything else (files, devices, terminals) may block and
 * is left to workers.
 *
 * Memory: two descriptors. Threads: the loop's; read and write also on a
 * worker for kind FILE.
 */
#ifndef TARN_LOOP_STREAM_FD_H
#define TARN_LOOP_STREAM_FD_H

#include <stdbool.h>
#include <sys/types.h>
#include <uv.h>

#include "base/err.h"
#include "loop/closer.h"

enum tarn_stream_kind {
  TARN_STREAM_PIPE = 1, /* poll, then read or write until EAGAIN */
  TARN_STREAM_SOCKET,
  TARN_STREAM_FILE /* blocks: on a worker */
};

struct tarn_stream_fd {
  enum tarn_stream_kind kind;
  int fd; /* the caller's, or for a pipe our own opening of it */
  bool own;
  bool writing;
  bool polling; /* the handle is initialised */
  int epoll;
  uv_poll_t poll;
  void (*on_ready)(struct tarn_stream_fd *s);
  struct tarn_closer *closer;
};

/* Looks at `fd`. TARN_EFILE when it is no open descriptor, or not open for
   reading (or, with `writing`, for writing). */
int tarn_stream_fd_init(struct tarn_stream_fd *s, uv_loop_t *loop, int fd,
                        bool writing, struct tarn_err *err);
/*
 * The same for a FIFO that we opened ourselves without blocking, and that is
 * closed with the stream, also when this fails. Nothing is ready before its
 * writer is there.
 */
int tarn_stream_fd_adopt(struct tarn_stream_fd *s, uv_loop_t *loop, int fd,
                         struct tarn_err *err);
/* Calls on_ready once when it can be read or written, or is closed. Not for
   kind FILE. Idempotent. */
void tarn_stream_fd_wait(struct tarn_stream_fd *s);
/* Bytes moved, 0 at the end of the input, -EAGAIN, -EPIPE, other -errno; no
   signal is raised. */
ssize_t tarn_stream_fd_read(struct tarn_stream_fd *s, void *ptr, size_t len);
ssize_t tarn_stream_fd_write(struct tarn_stream_fd *s, const void *ptr,
                             size_t len);
/* Closes what is ours; holds `closer` while the handle closes. */
void tarn_stream_fd_close(struct tarn_stream_fd *s, struct tarn_closer *closer);

#endif
