#include "cli/out.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (64u * 1024u)

void tarn_cli_out_init(struct cli_out *o, int fd)
{
  struct stat st;
  bool file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);

  memset(o, 0, sizeof *o);
  o->fd = fd;
  o->each_line = isatty(fd);
  /* A pipe that polls as writable takes this much without waiting. */
  o->piece = file ? BUFFER_BYTES : PIPE_BUF;
}

void tarn_cli_out_close(struct cli_out *o)
{
  free(o->buf);
  o->buf = NULL;
  o->len = o->cap = 0;
}

static int fail(struct tarn_err *err, int number)
{
  memset(err, 0, sizeof *err);
  if (number == EPIPE)
    err->code = TARN_EPIPE;
  else if (number == ENOMEM)
    err->code = TARN_ENOMEM;
  else if (number == ENOSPC || number == EDQUOT || number == EROFS)
    err->code = TARN_ENOSPC;
  else
    err->code = TARN_EFILE;
  err->sys_errno = number;
  (void)snprintf(err->text, sizeof err->text, "standard output: write: %s",
                 strerror(number));
  return err->code;
}

int tarn_cli_out_flush(struct cli_out *o, struct tarn_err *err)
{
  struct pollfd p = {.fd = o->fd, .events = POLLOUT};
  size_t done = 0, n;
  ssize_t wrote;
  int rc = 0;

  while (rc == 0 && done < o->len) {
    if (poll(&p, 1, -1) < 0) {
      rc = errno == EINTR ? CLI_OUT_AGAIN : fail(err, errno);
      break;
    }
    n = o->len - done < o->piece ? o->len - done : o->piece;
    wrote = write(o->fd, o->buf + done, n);
    if (wrote > 0)
      done += (size_t)wrote;
    else if (wrote == 0)
      rc = fail(err, EIO);
    else if (errno != EINTR && errno != EAGAIN)
      rc = fail(err, errno);
  }
  o->len -= done;
  if (o->len > 0)
    memmove(o->buf, o->buf + done, o->len);
  return rc;
}

static int make_room(struct cli_out *o, size_t len, struct tarn_err *err)
{
  size_t cap = o->cap ? o->cap : BUFFER_BYTES;
  char *grown;

  while (len > cap - o->len)
    cap *= 2;
  if (cap == o->cap)
    return 0;
  grown = realloc(o->buf, cap);
  if (!grown)
    return fail(err, ENOMEM);
  o->buf = grown;
  o->cap = cap;
  return 0;
}

int tarn_cli_out_put(struct cli_out *o, const char *ptr, size_t len,
                     struct tarn_err *err)
{
  int rc = 0;

  if (o->cap && len > o->cap - o->len)
    rc = tarn_cli_out_flush(o, err);
  if (rc < 0 || (rc = make_room(o, len, err)) != 0)
    return rc;
  memcpy(o->buf + o->len, ptr, len);
  o->len += len;
  if (o->each_line)
    rc = tarn_cli_out_flush(o, err);
  return rc < 0 ? rc : 0;
}
