#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop/stream_fd.h"

enum { A_PIPE, A_SOCKET, N_KINDS };

struct fixture {
  uv_loop_t loop;
  struct tarn_stream_fd s;
  struct tarn_closer closer;
  unsigned n_ready;
  bool closed;
  int fds[2]; /* read end, write end */
};

static void on_ready(struct tarn_stream_fd *s)
{
  TARN_CONTAINER(s, struct fixture, s)->n_ready++;
}

static void on_closed(struct tarn_closer *closer)
{
  TARN_CONTAINER(closer, struct fixture, closer)->closed = true;
}

static void open_ends(struct fixture *f, int kind)
{
  memset(f, 0, sizeof *f);
  assert_int_equal(kind == A_PIPE ? pipe(f->fds)
                                  : socketpair(AF_UNIX, SOCK_STREAM, 0, f->fds),
                   0);
  assert_int_equal(uv_loop_init(&f->loop), 0);
  tarn_closer_init(&f->closer, on_closed);
}

static void start(struct fixture *f, int fd, bool writing)
{
  assert_int_equal(tarn_stream_fd_init(&f->s, &f->loop, fd, writing, NULL), 0);
  f->s.on_ready = on_ready;
}

static void tear_down(struct fixture *f)
{
  tarn_stream_fd_close(&f->s, &f->closer);
  tarn_closer_drop(&f->closer);
  (void)uv_run(&f->loop, UV_RUN_DEFAULT);
  assert_true(f->closed);
  assert_int_equal(uv_loop_close(&f->loop), 0);
  (void)close(f->fds[0]);
  (void)close(f->fds[1]);
}

static void flags_that_others_share_are_left_alone(void **s)
{
  struct fixture f;
  int kind, writing, fd, shared, flags;
  char buf[16];

  (void)s;
  for (kind = 0; kind < N_KINDS; kind++)
    for (writing = 0; writing < 2; writing++) {
      open_ends(&f, kind);
      fd = f.fds[writing];
      shared = dup(fd); /* as a shell's, of the same description */
      flags = fcntl(shared, F_GETFL);
      start(&f, fd, writing);
      if (writing) {
        assert_int_equal(tarn_stream_fd_write(&f.s, "x", 1), 1);
      } else {
        assert_int_equal(tarn_stream_fd_read(&f.s, buf, sizeof buf), -EAGAIN);
      }
      tarn_stream_fd_wait(&f.s);
      (void)uv_run(&f.loop, UV_RUN_NOWAIT);
      assert_int_equal(fcntl(shared, F_GETFL), flags);
      assert_int_equal(flags & O_NONBLOCK, 0);
      tear_down(&f);
      assert_int_equal(fcntl(shared, F_GETFL), flags);
      (void)close(shared);
    }
}

static void what_is_sent_comes_after_a_wait_and_then_the_end(void **s)
{
  struct fixture f;
  char buf[16];
  int kind;

  (void)s;
  for (kind = 0; kind < N_KINDS; kind++) {
    open_ends(&f, kind);
    start(&f, f.fds[0], false);
    tarn_stream_fd_wait(&f.s);
    tarn_stream_fd_wait(&f.s);
    (void)uv_run(&f.loop, UV_RUN_NOWAIT);
    assert_int_equal(f.n_ready, 0);
    assert_int_equal(write(f.fds[1], "hello", 5), 5);
    (void)uv_run(&f.loop, UV_RUN_ONCE);
    assert_int_equal(f.n_ready, 1);
    assert_int_equal(tarn_stream_fd_read(&f.s, buf, sizeof buf), 5);
    assert_memory_equal(buf, "hello", 5);
    assert_int_equal(tarn_stream_fd_read(&f.s, buf, sizeof buf), -EAGAIN);
    tarn_stream_fd_wait(&f.s);
    (void)close(f.fds[1]);
    f.fds[1] = -1;
    (void)uv_run(&f.loop, UV_RUN_ONCE);
    assert_int_equal(f.n_ready, 2);
    assert_int_equal(tarn_stream_fd_read(&f.s, buf, sizeof buf), 0);
    tear_down(&f);
  }
}

static void a_full_stream_is_waited_for_and_goes_on(void **s)
{
  static char block[65536];
  struct fixture f;
  ssize_t n;
  int kind;

  (void)s;
  for (kind = 0; kind < N_KINDS; kind++) {
    open_ends(&f, kind);
    start(&f, f.fds[1], true);
    while ((n = tarn_stream_fd_write(&f.s, block, sizeof block)) > 0) {
    }
    assert_int_equal(n, -EAGAIN);
    tarn_stream_fd_wait(&f.s);
    (void)uv_run(&f.loop, UV_RUN_NOWAIT);
    assert_int_equal(f.n_ready, 0);
    while (f.n_ready == 0) {
      assert_true(read(f.fds[0], block, sizeof block) > 0);
      (void)uv_run(&f.loop, UV_RUN_NOWAIT);
    }
    assert_true(tarn_stream_fd_write(&f.s, block, 1) == 1);
    tear_down(&f);
  }
}

static void a_reader_that_is_gone_gives_epipe_and_no_signal(void **s)
{
  struct fixture f;
  int kind;

  (void)s;
  (void)signal(SIGPIPE, SIG_DFL);
  for (kind = 0; kind < N_KINDS; kind++) {
    open_ends(&f, kind);
    start(&f, f.fds[1], true);
    (void)close(f.fds[0]);
    f.fds[0] = -1;
    assert_int_equal(tarn_stream_fd_write(&f.s, "x", 1), -EPIPE);
    tear_down(&f);
  }
}

/* A signal of the host's own that is waiting must not be swallowed. */
static void a_signal_that_was_pending_before_stays_pending(void **s)
{
  struct fixture f;
  sigset_t set, pending;
  int got;

  (void)s;
  (void)sigemptyset(&set);
  (void)sigaddset(&set, SIGPIPE);
  (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
  (void)raise(SIGPIPE);
  open_ends(&f, A_PIPE);
  start(&f, f.fds[1], true);
  (void)close(f.fds[0]);
  f.fds[0] = -1;
  assert_int_equal(tarn_stream_fd_write(&f.s, "x", 1), -EPIPE);
  (void)sigpending(&pending);
  assert_int_equal(sigismember(&pending, SIGPIPE), 1);
  assert_int_equal(sigwait(&set, &got), 0);
  (void)pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  tear_down(&f);
}

static void a_file_is_left_to_workers(void **s)
{
  char path[] = "/tmp/tarn-stream-XXXXXX", buf[8];
  struct fixture f;

  (void)s;
  open_ends(&f, A_PIPE);
  (void)close(f.fds[0]);
  f.fds[0] = mkstemp(path);
  assert_true(f.fds[0] >= 0);
  (void)unlink(path);
  start(&f, f.fds[0], true);
  assert_int_equal(f.s.kind, TARN_STREAM_FILE);
  assert_int_equal(tarn_stream_fd_write(&f.s, "abc", 3), 3);
  assert_int_equal(lseek(f.fds[0], 0, SEEK_SET), 0);
  assert_int_equal(tarn_stream_fd_read(&f.s, buf, sizeof buf), 3);
  assert_int_equal(tarn_stream_fd_read(&f.s, buf, sizeof buf), 0);
  tear_down(&f);
}

static void a_wrong_descriptor_is_refused_with_its_number(void **s)
{
  struct tarn_stream_fd stream;
  struct tarn_err err;
  uv_loop_t loop;
  int fds[2];

  (void)s;
  assert_int_equal(uv_loop_init(&loop), 0);
  assert_int_equal(pipe(fds), 0);
  assert_int_equal(tarn_stream_fd_init(&stream, &loop, fds[0], true, &err),
                   TARN_EFILE);
  assert_non_null(strstr(err.text, "writing"));
  assert_int_equal(tarn_stream_fd_init(&stream, &loop, fds[1], false, &err),
                   TARN_EFILE);
  assert_int_equal(tarn_stream_fd_init(&stream, &loop, -1, false, &err),
                   TARN_EFILE);
  assert_int_equal(tarn_stream_fd_init(&stream, &loop, 1234567, true, &err),
                   TARN_EFILE);
  assert_int_equal(err.sys_errno, EBADF);
  (void)close(fds[0]);
  (void)close(fds[1]);
  assert_int_equal(uv_loop_close(&loop), 0);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flags_that_others_share_are_left_alone),
      cmocka_unit_test(what_is_sent_comes_after_a_wait_and_then_the_end),
      cmocka_unit_test(a_full_stream_is_waited_for_and_goes_on),
      cmocka_unit_test(a_reader_that_is_gone_gives_epipe_and_no_signal),
      cmocka_unit_test(a_signal_that_was_pending_before_stays_pending),
      cmocka_unit_test(a_file_is_left_to_workers),
      cmocka_unit_test(a_wrong_descriptor_is_refused_with_its_number),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
