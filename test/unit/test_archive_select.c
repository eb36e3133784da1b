#include "archive/select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool takes(const struct tarn_select *select, const char *path)
{
  return tarn_select_takes(select, path, strlen(path));
}

static struct tarn_select *make(const char *const *include, size_t n_include,
                                const char *const *exclude, size_t n_exclude)
{
  struct tarn_select_patterns patterns = {include, n_include, exclude,
                                          n_exclude};
  struct tarn_select *select;

  assert_int_equal(tarn_select_new(&select, &patterns, NULL), 0);
  return select;
}

static void without_a_pattern_every_member_is_taken(void **state)
{
  struct tarn_select *select = make(NULL, 0, NULL, 0);

  (void)state;
  assert_null(select);
  assert_true(takes(select, "any"));
  tarn_select_free(select);
}

static void what_is_excluded_is_left_out_with_all_beneath(void **state)
{
  const char *exclude[] = {"*.o", "tmp"};
  struct tarn_select *select = make(NULL, 0, exclude, 2);

  (void)state;
  assert_true(takes(select, "a.c"));
  assert_false(takes(select, "src/a.o"));
  assert_false(takes(select, "tmp"));
  assert_false(takes(select, "a/tmp/b"));
  assert_false(takes(select, "tmp/"));
  tarn_select_free(select);
}

static void with_include_only_what_matches_is_taken(void **state)
{
  const char *include[] = {"usr/bin", "*.h"};
  struct tarn_select *select = make(include, 2, NULL, 0);

  (void)state;
  assert_true(takes(select, "usr/bin/env"));
  assert_true(takes(select, "usr/bin"));
  assert_true(takes(select, "./usr/bin/env"));
  assert_true(takes(select, "x/y.h"));
  assert_false(takes(select, "usr"));
  assert_false(takes(select, "usr/lib/a"));
  tarn_select_free(select);
}

static void exclude_wins_over_include(void **state)
{
  const char *include[] = {"usr"}, *exclude[] = {"usr/share"};
  struct tarn_select *select = make(include, 1, exclude, 1);

  (void)state;
  assert_true(takes(select, "usr/bin/env"));
  assert_false(takes(select, "usr/share/man"));
  assert_false(takes(select, "etc/passwd"));
  tarn_select_free(select);
}

static void the_patterns_given_may_change_afterwards(void **state)
{
  char text[] = "a";
  const char *exclude[] = {text};
  struct tarn_select *select = make(NULL, 0, exclude, 1);

  (void)state;
  text[0] = 'b';
  exclude[0] = NULL;
  assert_false(takes(select, "a"));
  assert_true(takes(select, "b"));
  tarn_select_free(select);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_pattern_every_member_is_taken),
      cmocka_unit_test(what_is_excluded_is_left_out_with_all_beneath),
      cmocka_unit_test(with_include_only_what_matches_is_taken),
      cmocka_unit_test(exclude_wins_over_include),
      cmocka_unit_test(the_patterns_given_may_change_afterwards),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
