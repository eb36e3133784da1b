#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flow_harness.h"
#include "stage/sink_stream.h"
#include "tempdir.h"

enum { LEAST_MEMORY = 2 << 20, LEN = 5 << 20 };

struct fixture {
  struct flow_harness h;
  struct tempdir dir;
  struct tarn_stage *sink;
  struct bytes data;
  char path[300];
};

static void set_up(struct fixture *f)
{
  memset(f, 0, sizeof *f);
  tempdir_open(&f->dir);
  flow_open(&f->h, LEAST_MEMORY);
  bytes_fill(&f->data, LEN, 3);
  (void)snprintf(f->path, sizeof f->path, "%s/target/out", f->dir.base);
}

static void tear_down(struct fixture *f)
{
  flow_close(&f->h, false);
  bytes_free(&f->data);
  tempdir_close(&f->dir);
}

/* To `fd`, or to the file when it is -1. */
static void make_sink(struct fixture *f, int fd)
{
  struct tarn_sink_stream_options opts = {fd, fd < 0 ? f->path : NULL, true,
                                          false};

  assert_int_equal(tarn_sink_stream_new(&f->sink, &f->h.flow, &opts, NULL), 0);
  flow_own(&f->h, f->sink);
}

static void run(struct fixture *f)
{
  flow_feed(&f->h, f->sink, f->data.ptr, f->data.len, 5);
  flow_run(&f->h);
}

static void expect_file(struct fixture *f, const char *name)
{
  uint8_t *got = malloc(LEN);
  int fd = openat(f->dir.target, name, O_RDONLY | O_CLOEXEC);
  struct stat st;

  assert_non_null(got);
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &st), 0);
  assert_int_equal(st.st_size, LEN);
  assert_int_equal(read(fd, got, LEN), LEN);
  assert_memory_equal(got, f->data.ptr, LEN);
  (void)close(fd);
  free(got);
}

static void a_file_appears_when_the_end_is_proven(void **s)
{
  struct fixture f;

  (void)s;
  set_up(&f);
  make_sink(&f, -1);
  run(&f);
  assert_string_equal(f.h.err.text, "");
  expect_file(&f, "out");
  tempdir_expect(f.dir.target, "out.part", 0, NULL);
  tear_down(&f);
}

static void an_unproven_end_leaves_the_old_file(void **s)
{
  struct fixture f;

  (void)s;
  set_up(&f);
  tempdir_write(f.dir.target, "out", "old");
  make_sink(&f, -1);
  f.h.unproven = true;
  run(&f);
  assert_int_equal(f.h.err.code, TARN_EUNPROVEN);
  tear_down(&f);
}

static void a_job_that_ends_early_removes_its_part(void **s)
{
  struct fixture f;
  unsigned turns, i;

  (void)s;
  for (turns = 0; turns < 30; turns++) {
    set_up(&f);
    tempdir_write(f.dir.target, "out", "old");
    make_sink(&f, -1);
    flow_feed(&f.h, f.sink, f.data.ptr, f.data.len, turns);
    for (i = 0; i < turns && !f.h.finished; i++)
      (void)uv_run(&f.h.loop, UV_RUN_NOWAIT);
    f.h.flow.over = true;
    f.sink->ops->close(f.sink, false);
    f.h.n_stages = 0;
    while (f.h.flow.closer.n > 1)
      (void)uv_run(&f.h.loop, UV_RUN_ONCE);
    if (!f.h.finished)
      tempdir_expect(f.dir.target, "out", S_IFREG, "old");
    tempdir_expect(f.dir.target, "out.part", 0, NULL);
    f.sink->ops->free(f.sink);
    tear_down(&f);
  }
}

static void a_link_stays_and_its_target_is_replaced(void **s)
{
  struct fixture f;

  (void)s;
  set_up(&f);
  tempdir_write(f.dir.target, "real", "old");
  tempdir_symlink(f.dir.target, "out", "real");
  make_sink(&f, -1);
  run(&f);
  assert_true(f.h.finished);
  expect_file(&f, "real");
  tempdir_expect(f.dir.target, "out", S_IFLNK, "real");
  tear_down(&f);
}

static void a_locked_part_is_another_runs(void **s)
{
  struct fixture f, other;

  (void)s;
  set_up(&f);
  set_up(&other);
  memcpy(other.path, f.path, sizeof f.path);
  make_sink(&f, -1);
  make_sink(&other, -1);
  /* The first has begun: some turns of its loop, then it waits. */
  tarn_stage_put(f.sink, flow_slice(&f.h, "first", 5));
  while (faccessat(f.dir.target, "out.part", F_OK, 0) != 0)
    (void)uv_run(&f.h.loop, UV_RUN_ONCE);
  while (f.h.env.work.active > 0)
    (void)uv_run(&f.h.loop, UV_RUN_ONCE);
  run(&other);
  assert_int_equal(other.h.err.code, TARN_EFILE);
  assert_non_null(strstr(other.h.err.text, "another run"));
  tempdir_expect(f.dir.target, "out.part", S_IFREG, "first");
  tear_down(&other);
  tear_down(&f);
}

/* ---- what is no regular file ---- */

struct reader {
  pthread_t thread;
  int fd;
  struct bytes got;
};

static void *read_slowly(void *arg)
{
  struct reader *r = arg;
  uint8_t *room = malloc(LEN + 1);
  size_t len = 0, most = 100000;
  ssize_t n;

  while (room && len < LEN) {
    if (most > LEN + 1 - len)
      most = LEN + 1 - len;
    n = read(r->fd, room + len, most);
    if (n <= 0)
      break;
    len += (size_t)n;
    (void)usleep(500);
  }
  r->got.ptr = room;
  r->got.len = len;
  return NULL;
}

static void expect_read(struct reader *r, const struct fixture *f)
{
  assert_int_equal(pthread_join(r->thread, NULL), 0);
  assert_int_equal(r->got.len, LEN);
  assert_memory_equal(r->got.ptr, f->data.ptr, LEN);
  bytes_free(&r->got);
}

static void pipes_and_sockets_get_all_bytes_whatever_the_readers_speed(void **s)
{
  struct fixture f;
  struct reader r;
  int kind, fds[2], flags;

  (void)s;
  for (kind = 0; kind < 2; kind++) {
    set_up(&f);
    assert_int_equal(
        kind ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe(fds), 0);
    flags = fcntl(fds[1], F_GETFL);
    memset(&r, 0, sizeof r);
    r.fd = fds[0];
    assert_int_equal(pthread_create(&r.thread, NULL, read_slowly, &r), 0);
    make_sink(&f, fds[1]);
    run(&f);
    assert_string_equal(f.h.err.text, "");
    assert_true(f.h.flow.in.peak <= LEAST_MEMORY / 2);
    assert_int_equal(fcntl(fds[1], F_GETFL), flags);
    (void)close(fds[1]);
    expect_read(&r, &f);
    (void)close(fds[0]);
    tear_down(&f);
  }
}

static void a_fifo_is_written_in_order_and_stays_a_fifo(void **s)
{
  struct fixture f;
  struct reader r;

  (void)s;
  set_up(&f);
  assert_int_equal(mkfifoat(f.dir.target, "out", 0600), 0);
  memset(&r, 0, sizeof r);
  /* For writing too: it opens without a writer. */
  r.fd = openat(f.dir.target, "out", O_RDWR | O_CLOEXEC);
  assert_true(r.fd >= 0);
  assert_int_equal(pthread_create(&r.thread, NULL, read_slowly, &r), 0);
  make_sink(&f, -1);
  run(&f);
  assert_string_equal(f.h.err.text, "");
  expect_read(&r, &f);
  (void)close(r.fd);
  tempdir_expect(f.dir.target, "out", S_IFIFO, NULL);
  tear_down(&f);
}

static void a_device_takes_all_and_stays(void **s)
{
  struct fixture f;
  struct stat st;

  (void)s;
  set_up(&f);
  (void)snprintf(f.path, sizeof f.path, "/dev/null");
  make_sink(&f, -1);
  run(&f);
  assert_true(f.h.finished);
  tear_down(&f);
  assert_int_equal(stat("/dev/null", &st), 0);
  assert_true(S_ISCHR(st.st_mode));
}

static void a_full_device_is_no_space(void **s)
{
  struct fixture f;

  (void)s;
  if (access("/dev/full", W_OK) != 0)
    skip();
  set_up(&f);
  (void)snprintf(f.path, sizeof f.path, "/dev/full");
  make_sink(&f, -1);
  run(&f);
  assert_int_equal(f.h.err.code, TARN_ENOSPC);
  assert_int_equal(f.h.n_fails, 1);
  tear_down(&f);
}

static void a_closed_reader_ends_the_job_with_epipe(void **s)
{
  struct fixture f;
  int fds[2];

  (void)s;
  set_up(&f);
  assert_int_equal(pipe(fds), 0);
  (void)close(fds[0]);
  make_sink(&f, fds[1]);
  run(&f);
  assert_int_equal(f.h.err.code, TARN_EPIPE);
  assert_int_equal(f.h.n_fails, 1);
  (void)close(fds[1]);
  tear_down(&f);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_appears_when_the_end_is_proven),
      cmocka_unit_test(an_unproven_end_leaves_the_old_file),
      cmocka_unit_test(a_job_that_ends_early_removes_its_part),
      cmocka_unit_test(a_link_stays_and_its_target_is_replaced),
      cmocka_unit_test(a_locked_part_is_another_runs),
      cmocka_unit_test(
          pipes_and_sockets_get_all_bytes_whatever_the_readers_speed),
      cmocka_unit_test(a_fifo_is_written_in_order_and_stays_a_fifo),
      cmocka_unit_test(a_device_takes_all_and_stays),
      cmocka_unit_test(a_full_device_is_no_space),
      cmocka_unit_test(a_closed_reader_ends_the_job_with_epipe),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
