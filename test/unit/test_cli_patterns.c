#include "cli/patterns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static void expect_excluded(const struct cli_args *args,
                            const char *const *want, size_t n)
{
  size_t i;

  assert_int_equal(args->get.n_exclude, n);
  for (i = 0; i < n; i++)
    assert_string_equal(args->get.exclude[i], want[i]);
}

static void a_list_is_cut_at_its_colons(void **state)
{
  static const char *const want[] = {"first", "*.o", "a b", "c", "last"};
  struct cli_args args;
  struct cli_why why;

  (void)state;
  tarn_cli_args_init(&args);
  assert_int_equal(tarn_cli_list_add(&args.exclude, "first"), 0);
  assert_int_equal(tarn_cli_list_add(&args.exclude_lists, "*.o::a b:c:"), 0);
  assert_int_equal(tarn_cli_list_add(&args.exclude_lists, ""), 0);
  assert_int_equal(tarn_cli_list_add(&args.exclude_lists, ":last"), 0);
  assert_int_equal(tarn_cli_list_add(&args.include, "in:cluded"), 0);
  assert_int_equal(tarn_cli_patterns_finish(&args, &why), 0);
  expect_excluded(&args, want, 5);
  assert_int_equal(args.get.n_include, 1);
  assert_string_equal(args.get.include[0], "in:cluded");
  tarn_cli_args_close(&args);
  assert_int_equal(args.exclude.n, 0);
}

/* What the `len` bytes of a file come to. */
static int read_text(struct cli_args *args, struct cli_why *why,
                     const char *text, size_t len)
{
  int fd = memfd_create("patterns", MFD_CLOEXEC), rc;
  char path[64];

  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, len), len);
  (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  tarn_cli_args_init(args);
  assert_int_equal(tarn_cli_list_add(&args->exclude_from, path), 0);
  rc = tarn_cli_patterns_finish(args, why);
  assert_int_equal(close(fd), 0);
  return rc;
}

static void
a_line_of_a_file_is_a_pattern_without_white_space_behind(void **state)
{
  static const char text[] = "a\n\n  \t\n b c \t\r\n#d\nlast";
  static const char *const want[] = {"a", " b c", "#d", "last"};
  struct cli_args args;
  struct cli_why why;

  (void)state;
  assert_int_equal(read_text(&args, &why, text, sizeof text - 1), 0);
  expect_excluded(&args, want, 4);
  tarn_cli_args_close(&args);
  assert_int_equal(read_text(&args, &why, "", 0), 0);
  expect_excluded(&args, NULL, 0);
  tarn_cli_args_close(&args);
}

static void a_zero_byte_in_a_file_is_wrong_use(void **state)
{
  struct cli_args args;
  struct cli_why why;

  (void)state;
  assert_int_equal(read_text(&args, &why, "a\nb\0c\nd\n", 8), 64);
  assert_non_null(strstr(why.text, "zero byte"));
  tarn_cli_args_close(&args);
}

static void a_file_that_is_not_there_is_named(void **state)
{
  struct cli_args args;
  struct cli_why why;

  (void)state;
  tarn_cli_args_init(&args);
  assert_int_equal(tarn_cli_list_add(&args.exclude_from, "/no/such/file"), 0);
  assert_int_equal(tarn_cli_patterns_finish(&args, &why), 66);
  assert_non_null(strstr(why.text, "/no/such/file"));
  tarn_cli_args_close(&args);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_is_cut_at_its_colons),
      cmocka_unit_test(
          a_line_of_a_file_is_a_pattern_without_white_space_behind),
      cmocka_unit_test(a_zero_byte_in_a_file_is_wrong_use),
      cmocka_unit_test(a_file_that_is_not_there_is_named),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
