#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/out.h"

#define LINE     "0123456789abcde\n"
#define LINE_LEN (sizeof LINE - 1)

/* What comes out of fd until its end is `n` lines. */
static void expect_lines(int fd, size_t n)
{
  char got[LINE_LEN];
  size_t i, have;
  ssize_t rc;

  for (i = 0; i < n; i++) {
    for (have = 0; have < LINE_LEN; have += (size_t)rc) {
      rc = read(fd, got + have, LINE_LEN - have);
      assert_true(rc > 0);
    }
    assert_memory_equal(got, LINE, LINE_LEN);
  }
  assert_int_equal(read(fd, got, 1), 0);
}

static void lines_come_out_whole_and_in_order(void **state)
{
  int fd = memfd_create("out", MFD_CLOEXEC);
  struct tarn_err err;
  struct cli_out o;
  size_t i;

  (void)state;
  tarn_cli_out_init(&o, fd);
  for (i = 0; i < 20000; i++)
    assert_int_equal(tarn_cli_out_put(&o, LINE, LINE_LEN, &err), 0);
  assert_int_equal(tarn_cli_out_flush(&o, &err), 0);
  tarn_cli_out_close(&o);
  assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
  expect_lines(fd, 20000);
  assert_int_equal(close(fd), 0);
}

static void a_line_larger_than_the_buffer_is_written_too(void **state)
{
  enum { LEN = 1000000 };
  int fd = memfd_create("out", MFD_CLOEXEC);
  char *line = malloc(LEN);
  struct tarn_err err;
  struct cli_out o;

  (void)state;
  assert_non_null(line);
  memset(line, 'x', LEN);
  tarn_cli_out_init(&o, fd);
  assert_int_equal(tarn_cli_out_put(&o, "a", 1, &err), 0);
  assert_int_equal(tarn_cli_out_put(&o, line, LEN, &err), 0);
  assert_int_equal(tarn_cli_out_flush(&o, &err), 0);
  assert_int_equal(lseek(fd, 0, SEEK_END), LEN + 1);
  tarn_cli_out_close(&o);
  free(line);
  assert_int_equal(close(fd), 0);
}

static void a_full_device_is_no_space(void **state)
{
  int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  struct tarn_err err;
  struct cli_out o;

  (void)state;
  if (fd < 0)
    skip();
  tarn_cli_out_init(&o, fd);
  assert_int_equal(tarn_cli_out_put(&o, LINE, LINE_LEN, &err), 0);
  assert_int_equal(tarn_cli_out_flush(&o, &err), TARN_ENOSPC);
  assert_int_equal(err.code, TARN_ENOSPC);
  assert_int_equal(err.sys_errno, ENOSPC);
  assert_string_equal(err.text,
                      "standard output: write: No space left on device");
  tarn_cli_out_close(&o);
  assert_int_equal(close(fd), 0);
}

static void a_closed_pipe_is_told_apart(void **state)
{
  struct tarn_err err;
  struct cli_out o;
  int ends[2];

  (void)state;
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  (void)signal(SIGPIPE, SIG_IGN);
  assert_int_equal(close(ends[0]), 0);
  tarn_cli_out_init(&o, ends[1]);
  assert_int_equal(tarn_cli_out_put(&o, LINE, LINE_LEN, &err), 0);
  assert_int_equal(tarn_cli_out_flush(&o, &err), TARN_EPIPE);
  tarn_cli_out_close(&o);
  assert_int_equal(close(ends[1]), 0);
}

static void a_descriptor_that_takes_no_bytes_is_a_file_error(void **state)
{
  int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  struct tarn_err err;
  struct cli_out o;

  (void)state;
  tarn_cli_out_init(&o, fd);
  assert_int_equal(tarn_cli_out_put(&o, LINE, LINE_LEN, &err), 0);
  assert_int_equal(tarn_cli_out_flush(&o, &err), TARN_EFILE);
  assert_int_equal(err.sys_errno, EBADF);
  tarn_cli_out_close(&o);
  assert_int_equal(close(fd), 0);
}

static void ignore_alarm(int number)
{
  (void)number;
}

/* The reader does not read, a signal comes, and then it reads: nothing hangs
   and nothing is lost. */
static void a_signal_ends_the_wait_for_a_reader_and_loses_nothing(void **state)
{
  struct itimerval soon = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
  struct sigaction action;
  struct tarn_err err;
  struct cli_out o;
  size_t n = 0;
  int ends[2], rc;
  pid_t child;

  (void)state;
  memset(&action, 0, sizeof action);
  action.sa_handler = ignore_alarm;
  action.sa_flags = SA_RESTART; /* as libuv's */
  assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  tarn_cli_out_init(&o, ends[1]);
  assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
  do {
    for (; n % 10000 != 9999; n++)
      assert_int_equal(tarn_cli_out_put(&o, LINE, LINE_LEN, &err), 0);
    n++;
    assert_int_equal(tarn_cli_out_put(&o, LINE, LINE_LEN, &err), 0);
    rc = tarn_cli_out_flush(&o, &err);
  } while (rc == 0);
  assert_int_equal(rc, CLI_OUT_AGAIN);
  assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);

  child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    do {
      rc = tarn_cli_out_flush(&o, &err);
    } while (rc == CLI_OUT_AGAIN);
    _exit(rc);
  }
  assert_int_equal(close(ends[1]), 0);
  expect_lines(ends[0], n);
  assert_int_equal(close(ends[0]), 0);
  tarn_cli_out_close(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_come_out_whole_and_in_order),
      cmocka_unit_test(a_line_larger_than_the_buffer_is_written_too),
      cmocka_unit_test(a_full_device_is_no_space),
      cmocka_unit_test(a_closed_pipe_is_told_apart),
      cmocka_unit_test(a_descriptor_that_takes_no_bytes_is_a_file_error),
      cmocka_unit_test(a_signal_ends_the_wait_for_a_reader_and_loses_nothing),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
