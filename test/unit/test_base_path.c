#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/path.h"

/* Cleans an exact copy of `path`, so that reading beyond it is seen. */
static void expect_bytes(const char *path, size_t len, unsigned strip,
                         enum tarn_path_verdict verdict, const char *clean)
{
  char *copy = malloc(len ? len : 1), *out = malloc(len + 1);
  size_t out_len = 12345;

  assert_non_null(copy);
  assert_non_null(out);
  memcpy(copy, path, len);
  assert_int_equal(tarn_path_clean(copy, len, strip, out, &out_len), verdict);
  assert_string_equal(out, clean);
  assert_int_equal(out_len, strlen(clean));
  free(copy);
  free(out);
}

static void expect(const char *path, unsigned strip,
                   enum tarn_path_verdict verdict, const char *clean)
{
  expect_bytes(path, strlen(path), strip, verdict, clean);
}

static void slashes_and_dots_are_cleaned_away(void **s)
{
  (void)s;
  expect("usr/bin", 0, TARN_PATH_OK, "usr/bin");
  expect("./usr//./bin/.", 0, TARN_PATH_OK, "usr/bin");
  expect("usr/bin///", 0, TARN_PATH_OK, "usr/bin");
  expect("a", 0, TARN_PATH_OK, "a");
  expect("...", 0, TARN_PATH_OK, "...");
  expect(".a/..b/c..", 0, TARN_PATH_OK, ".a/..b/c..");
}

static void absolute_paths_lose_their_slash_and_say_so(void **s)
{
  (void)s;
  expect("/usr", 0, TARN_PATH_WAS_ABSOLUTE, "usr");
  expect("///usr/", 0, TARN_PATH_WAS_ABSOLUTE, "usr");
  expect("/", 0, TARN_PATH_WAS_ABSOLUTE, "");
}

static void an_empty_result_is_the_target_itself(void **s)
{
  (void)s;
  expect("", 0, TARN_PATH_OK, "");
  expect("./", 0, TARN_PATH_OK, "");
  expect("./././", 0, TARN_PATH_OK, "");
}

static void dotdot_is_refused_wherever_it_stands(void **s)
{
  (void)s;
  expect("..", 0, TARN_PATH_DOTDOT, "");
  expect("a/..", 0, TARN_PATH_DOTDOT, "");
  expect("a/../b", 0, TARN_PATH_DOTDOT, "");
  expect("/../b", 0, TARN_PATH_DOTDOT, "");
  expect("a/./..//b", 0, TARN_PATH_DOTDOT, "");
  expect("../a", 1, TARN_PATH_DOTDOT, "");
  expect("a/..", 7, TARN_PATH_DOTDOT, "");
}

static void stripping_counts_components_as_gnu_tar_does(void **s)
{
  (void)s;
  expect("a/b/c", 1, TARN_PATH_OK, "b/c");
  expect("a/b/c", 2, TARN_PATH_OK, "c");
  expect("a/b/c", 3, TARN_PATH_STRIPPED, "");
  expect("a/b/c", 4, TARN_PATH_STRIPPED, "");
  expect("a/", 1, TARN_PATH_STRIPPED, "");
  expect("./a/b", 1, TARN_PATH_OK, "a/b");
  expect("./", 1, TARN_PATH_STRIPPED, "");
  expect("", 1, TARN_PATH_STRIPPED, "");
  expect("/a//b", 1, TARN_PATH_WAS_ABSOLUTE, "b");
}

static void a_nul_inside_is_refused(void **s)
{
  (void)s;
  expect_bytes("a\0b", 3, 0, TARN_PATH_NUL, "");
  expect_bytes("a/../\0", 6, 0, TARN_PATH_NUL, "");
}

static void a_component_of_255_bytes_passes_and_256_do_not(void **s)
{
  char path[260];

  (void)s;
  memset(path, 'x', sizeof path);
  path[255] = '\0';
  expect(path, 0, TARN_PATH_OK, path);
  path[255] = 'x';
  path[256] = '\0';
  expect(path, 0, TARN_PATH_TOO_LONG, "");
  memcpy(path + 256, "/a", 3);
  expect(path, 0, TARN_PATH_TOO_LONG, "");
  expect(path, 1, TARN_PATH_OK, "a");
}

static void the_depth_is_limited_to_4096_components(void **s)
{
  char path[2 * 4097 + 1];
  size_t i;

  (void)s;
  for (i = 0; i < sizeof path; i++)
    path[i] = i % 2 ? '/' : 'a';
  path[2 * 4096 - 1] = '\0';
  expect(path, 0, TARN_PATH_OK, path);
  path[2 * 4096 - 1] = '/';
  path[2 * 4097 - 1] = '\0';
  expect(path, 0, TARN_PATH_TOO_LONG, "");
  expect(path, 1, TARN_PATH_OK, path + 2);
}

static void the_parent_of_a_path_is_all_but_its_last_component(void **s)
{
  (void)s;
  assert_int_equal(tarn_path_parent_len("usr/lib/x", 9), 7);
  assert_int_equal(tarn_path_parent_len("usr/lib", 7), 3);
  assert_int_equal(tarn_path_parent_len("usr", 3), 0);
  assert_int_equal(tarn_path_parent_len("", 0), 0);
}

static void expect_escape(const char *path, size_t len, const char *want)
{
  char out[64];

  tarn_path_escape(path, len, out, sizeof out);
  assert_string_equal(out, want);
}

static void a_terminal_takes_no_harm_from_an_escaped_path(void **s)
{
  (void)s;
  expect_escape("plain name", 10, "plain name");
  expect_escape("a\nb\tc\\d", 7, "a\\nb\\tc\\\\d");
  expect_escape("\033[31m\177\0", 7, "\\033[31m\\177\\000");
}

static void utf8_passes_and_stray_bytes_do_not(void **s)
{
  (void)s;
  expect_escape("\303\244\342\202\254\360\237\230\200", 9,
                "\303\244\342\202\254\360\237\230\200");
  /* stray, cut, overlong, surrogate, beyond the last, C1 control */
  expect_escape("\244x", 2, "\\244x");
  expect_escape("x\303", 2, "x\\303");
  expect_escape("\342\202", 2, "\\342\\202");
  expect_escape("\300\257", 2, "\\300\\257");
  expect_escape("\340\200\257", 3, "\\340\\200\\257");
  expect_escape("\355\240\200", 3, "\\355\\240\\200");
  expect_escape("\364\220\200\200", 4, "\\364\\220\\200\\200");
  expect_escape("\302\233", 2, "\\302\\233");
}

static void an_escaped_path_is_cut_between_characters(void **s)
{
  char out[8];

  (void)s;
  tarn_path_escape("abc\303\244", 5, out, 5);
  assert_string_equal(out, "abc");
  tarn_path_escape("abc\303\244", 5, out, 6);
  assert_string_equal(out, "abc\303\244");
  tarn_path_escape("ab\001", 3, out, 6);
  assert_string_equal(out, "ab");
  out[0] = 'x';
  tarn_path_escape("ab", 2, out, 1);
  assert_string_equal(out, "");
  out[0] = 'x';
  tarn_path_escape("ab", 2, out, 0);
  assert_int_equal(out[0], 'x');
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slashes_and_dots_are_cleaned_away),
      cmocka_unit_test(absolute_paths_lose_their_slash_and_say_so),
      cmocka_unit_test(an_empty_result_is_the_target_itself),
      cmocka_unit_test(dotdot_is_refused_wherever_it_stands),
      cmocka_unit_test(stripping_counts_components_as_gnu_tar_does),
      cmocka_unit_test(a_nul_inside_is_refused),
      cmocka_unit_test(a_component_of_255_bytes_passes_and_256_do_not),
      cmocka_unit_test(the_depth_is_limited_to_4096_components),
      cmocka_unit_test(the_parent_of_a_path_is_all_but_its_last_component),
      cmocka_unit_test(a_terminal_takes_no_harm_from_an_escaped_path),
      cmocka_unit_test(utf8_passes_and_stray_bytes_do_not),
      cmocka_unit_test(an_escaped_path_is_cut_between_characters),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
