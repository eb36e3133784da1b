#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/err.h"

static void an_error_has_its_code_and_text(void **s)
{
  struct tarn_err err;

  (void)s;
  assert_int_equal(tarn_err_set(&err, TARN_EDATA, "block %d", 7), TARN_EDATA);
  assert_int_equal(err.code, TARN_EDATA);
  assert_string_equal(err.text, "block 7");
  assert_int_equal(err.sys_errno, 0);
  assert_int_equal(err.http_status, 0);
  assert_int_equal(err.at, 0);
}

static void an_offset_is_kept_and_forgotten_with_the_next_error(void **s)
{
  struct tarn_err err;

  (void)s;
  assert_int_equal(tarn_err_at(&err, TARN_EDATA, 512, "bad"), TARN_EDATA);
  assert_int_equal(err.at, 512);
  (void)tarn_err_set(&err, TARN_EINVAL, "use");
  assert_int_equal(err.at, 0);
}

static void a_system_error_adds_its_reason(void **s)
{
  struct tarn_err err;

  (void)s;
  assert_int_equal(tarn_err_sys(&err, TARN_EFILE, ENOENT, "%s: open", "x"),
                   TARN_EFILE);
  assert_int_equal(err.sys_errno, ENOENT);
  assert_string_equal(err.text, "x: open: No such file or directory");
}

static void a_full_disk_and_memory_have_codes_of_their_own(void **s)
{
  static const int full[] = {ENOSPC, EDQUOT, EROFS};
  struct tarn_err err;
  size_t i;

  (void)s;
  for (i = 0; i < 3; i++) {
    assert_int_equal(tarn_err_sys(&err, TARN_EFILE, full[i], "write"),
                     TARN_ENOSPC);
    assert_int_equal(err.code, TARN_ENOSPC);
  }
  assert_int_equal(tarn_err_sys(NULL, TARN_EFILE, ENOMEM, "write"),
                   TARN_ENOMEM);
}

static void no_story_is_told_without_a_place_for_it(void **s)
{
  (void)s;
  assert_int_equal(tarn_err_set(NULL, TARN_EDATA, "x"), TARN_EDATA);
  assert_int_equal(tarn_err_at(NULL, TARN_EDATA, 1, "x"), TARN_EDATA);
  assert_int_equal(tarn_err_nomem(NULL, "x"), TARN_ENOMEM);
  tarn_err_prefix(NULL, "x");
  tarn_err_clear(NULL);
}

static void a_prefix_goes_in_front_and_keeps_the_rest(void **s)
{
  struct tarn_err err;

  (void)s;
  (void)tarn_err_at(&err, TARN_EDATA, 9, "bad sum");
  tarn_err_prefix(&err, "layer %d of %d", 3, 6);
  assert_string_equal(err.text, "layer 3 of 6: bad sum");
  assert_int_equal(err.code, TARN_EDATA);
  assert_int_equal(err.at, 9);
  tarn_err_clear(&err);
  tarn_err_prefix(&err, "layer");
  assert_string_equal(err.text, "");
}

static void texts_too_long_are_cut_and_terminated(void **s)
{
  char text[3000];
  struct tarn_err err;

  (void)s;
  memset(text, 'x', sizeof text);
  text[sizeof text - 1] = '\0';
  (void)tarn_err_sys(&err, TARN_EFILE, ENOENT, "%s", text);
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
  tarn_err_prefix(&err, "%s", text);
  assert_int_equal(strlen(err.text), sizeof err.text - 1);
  (void)tarn_err_set(&err, TARN_EDATA, "%.1000s", text);
  tarn_err_prefix(&err, "prefix");
  assert_memory_equal(err.text, "prefix: xxx", 11);
}

static void the_first_error_wins(void **s)
{
  struct tarn_err first, second, job;

  (void)s;
  tarn_err_clear(&job);
  (void)tarn_err_set(&first, TARN_ETRANSFER, "cause");
  (void)tarn_err_set(&second, TARN_EDATA, "consequence");
  tarn_err_first(&job, &first);
  tarn_err_first(&job, &second);
  assert_int_equal(job.code, TARN_ETRANSFER);
  assert_string_equal(job.text, "cause");
}

static void every_code_has_a_name_a_text_and_an_exit_status(void **s)
{
  int code;

  (void)s;
  assert_string_equal(tarn_err_name(TARN_EDATA), "TARN_EDATA");
  assert_int_equal(tarn_exit_code(TARN_EDATA), 65);
  assert_int_equal(tarn_exit_code(0), 0);
  assert_string_equal(tarn_strerror(0), "success");
  for (code = TARN_EPIPE; code < 0; code++) {
    assert_string_not_equal(tarn_err_name(code), "TARN_EUNKNOWN");
    assert_string_not_equal(tarn_strerror(code), "unknown error");
    assert_int_not_equal(tarn_exit_code(code), 0);
  }
  assert_string_equal(tarn_err_name(-9999), "TARN_EUNKNOWN");
  assert_int_equal(tarn_exit_code(-9999), 70);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_error_has_its_code_and_text),
      cmocka_unit_test(an_offset_is_kept_and_forgotten_with_the_next_error),
      cmocka_unit_test(a_system_error_adds_its_reason),
      cmocka_unit_test(a_full_disk_and_memory_have_codes_of_their_own),
      cmocka_unit_test(no_story_is_told_without_a_place_for_it),
      cmocka_unit_test(a_prefix_goes_in_front_and_keeps_the_rest),
      cmocka_unit_test(texts_too_long_are_cut_and_terminated),
      cmocka_unit_test(the_first_error_wins),
      cmocka_unit_test(every_code_has_a_name_a_text_and_an_exit_status),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
