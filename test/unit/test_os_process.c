#include "os/process.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void the_umask_is_read_and_not_changed(void **state)
{
  mode_t old = umask(037);

  (void)state;
  assert_int_equal(tarn_process_umask(), 037);
  assert_int_equal(umask(0), 037);
  assert_int_equal(tarn_process_umask(), 0);
  (void)umask(old);
}

static void free_descriptors_are_the_soft_limit_less_those_open(void **state)
{
  struct rlimit old, limit;
  unsigned before;
  int fd;

  (void)state;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
  limit = old;
  limit.rlim_cur = 100;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
  before = tarn_process_free_fds();
  assert_true(before > 0 && before < 100);
  fd = open("/", O_PATH | O_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(tarn_process_free_fds(), before - 1);
  limit.rlim_cur = 1;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
  assert_int_equal(tarn_process_free_fds(), 0);
  (void)close(fd);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_umask_is_read_and_not_changed),
      cmocka_unit_test(free_descriptors_are_the_soft_limit_less_those_open),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
