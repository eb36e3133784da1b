#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "cli/url.h"
#include "cli/why.h"

static void expect_url(const char *word, const char *url, bool assumed)
{
  struct cli_why why;
  bool was_assumed;
  char *got;

  assert_int_equal(tarn_cli_url_check(word, &got, &was_assumed, &why), 0);
  assert_string_equal(got, url);
  assert_int_equal(was_assumed, assumed);
  free(got);
}

static void expect_refused(const char *word, int status)
{
  struct cli_why why;
  bool assumed;
  char *got;

  assert_int_equal(tarn_cli_url_check(word, &got, &assumed, &why), status);
  assert_null(got);
}

static void without_a_scheme_https_is_taken(void **state)
{
  (void)state;
  expect_url("http://a/b", "http://a/b", false);
  expect_url("HTTPS://a/b", "HTTPS://a/b", false);
  expect_url("file:///a", "file:///a", false);
  expect_url("a.test/b", "https://a.test/b", true);
  expect_url("localhost:8080/b", "https://localhost:8080/b", true);
  expect_url("user:pw@a.test/b", "https://user:pw@a.test/b", true);
}

static void other_schemes_are_refused(void **state)
{
  (void)state;
  expect_refused("ftp://a/b", 64);
  expect_refused("s3://a/b", 69);
  expect_refused("gs://a/b", 69);
  expect_refused("", 64);
  expect_refused("-", 64);
  expect_refused("./a", 64);
  expect_refused("/a", 64);
}

static void expect_shown(const char *url, const char *shown)
{
  char *got = tarn_cli_url_shown(url);

  assert_non_null(got);
  assert_string_equal(got, shown);
  free(got);
}

static void secrets_of_a_url_are_not_shown(void **state)
{
  (void)state;
  expect_shown("https://u:p@a.test/b?sig=1#f", "https://a.test/b");
  expect_shown("https://u:p@q@a.test/b", "https://a.test/b");
  expect_shown("https://a.test?sig=u@b", "https://a.test");
  expect_shown("https://a.test/x@y", "https://a.test/x@y");
  expect_shown("u:p@a.test/b?x", "a.test/b");
  expect_shown("file:///a#b", "file:///a");
}

static void expect_name(const char *url, const char *name)
{
  char *got = tarn_cli_url_file_name(url);

  if (name)
    assert_string_equal(got, name);
  else
    assert_null(got);
  free(got);
}

static void a_file_name_is_the_last_part_decoded(void **state)
{
  (void)state;
  expect_name("https://a.test/d/b.tar?x=/y", "b.tar");
  expect_name("https://a.test/a%20b.tar", "a b.tar");
  expect_name("https://a.test/100%", "100%");
  expect_name("https://a.test/", NULL);
  expect_name("https://a.test", NULL);
  expect_name("https://a.test/..", NULL);
}

static void a_decoded_name_never_leaves_the_directory(void **state)
{
  (void)state;
  expect_name("https://a.test/..%2fx", "..%2fx");
  expect_name("https://a.test/%2e%2e", "%2e%2e");
  expect_name("https://a.test/a%00b", "a%00b");
}

static void a_scheme_makes_a_word_a_url(void **state)
{
  (void)state;
  assert_true(tarn_cli_url_has_scheme("http://h/x"));
  assert_true(tarn_cli_url_has_scheme("s3://b/k"));
  assert_true(tarn_cli_url_has_scheme("a+b-c.1://"));
  assert_false(tarn_cli_url_has_scheme("file.tar"));
  assert_false(tarn_cli_url_has_scheme("./http://x"));
  assert_false(tarn_cli_url_has_scheme("/http://x"));
  assert_false(tarn_cli_url_has_scheme("http:x"));
  assert_false(tarn_cli_url_has_scheme("://x"));
  assert_false(tarn_cli_url_has_scheme("1a://x"));
  assert_false(tarn_cli_url_has_scheme(""));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_a_scheme_https_is_taken),
      cmocka_unit_test(other_schemes_are_refused),
      cmocka_unit_test(secrets_of_a_url_are_not_shown),
      cmocka_unit_test(a_file_name_is_the_last_part_decoded),
      cmocka_unit_test(a_decoded_name_never_leaves_the_directory),
      cmocka_unit_test(a_scheme_makes_a_word_a_url),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
