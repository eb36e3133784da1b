#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "cli/json.h"
#include "cli/term.h"
#include "cli/utf8.h"

static void expect_line(struct cli_json *j, const char *line)
{
  size_t len = 0;
  const char *got = tarn_cli_json_end(j, &len);

  assert_non_null(got);
  assert_int_equal(len, strlen(line));
  assert_memory_equal(got, line, len);
}

static void a_line_is_one_object_with_its_fields_in_order(void **state)
{
  struct cli_json j;

  (void)state;
  tarn_cli_json_init(&j);
  tarn_cli_json_begin(&j);
  expect_line(&j, "{}\n");
  tarn_cli_json_begin(&j);
  tarn_cli_json_text(&j, "event", "start");
  tarn_cli_json_count(&j, "n", UINT64_MAX);
  tarn_cli_json_int(&j, "i", -3);
  tarn_cli_json_null(&j, "none");
  tarn_cli_json_text(&j, "text", NULL);
  tarn_cli_json_seconds(&j, "s", 1000000999u);
  expect_line(&j, "{\"event\":\"start\",\"n\":18446744073709551615,\"i\":-3,"
                  "\"none\":null,\"text\":null,\"s\":1.000000}\n");
  tarn_cli_json_close(&j);
}

static void controls_quotes_and_backslashes_are_escaped(void **state)
{
  struct cli_json j;

  (void)state;
  tarn_cli_json_init(&j);
  tarn_cli_json_begin(&j);
  tarn_cli_json_text(&j, "t", "a\"b\\c/\n\t\r\b\f\x01\x1b\x7f");
  expect_line(&j, "{\"t\":\"a\\\"b\\\\c/\\n\\t\\r\\b\\f"
                  "\\u0001\\u001b\\u007f\"}\n");
  tarn_cli_json_close(&j);
}

static void a_name_in_utf8_comes_as_it_is(void **state)
{
  struct cli_json j;

  (void)state;
  tarn_cli_json_init(&j);
  tarn_cli_json_begin(&j);
  tarn_cli_json_name(&j, "path", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  expect_line(&j, "{\"path\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}\n");
  tarn_cli_json_close(&j);
}

static void a_name_that_is_not_utf8_comes_in_base64_too(void **state)
{
  struct cli_json j;

  (void)state;
  tarn_cli_json_init(&j);
  tarn_cli_json_begin(&j);
  tarn_cli_json_name(&j, "path", "a\xff");
  expect_line(&j, "{\"path\":\"a\\ufffd\",\"path_b64\":\"Yf8=\"}\n");
  tarn_cli_json_begin(&j);
  tarn_cli_json_name(&j, "path", "\xfe");
  expect_line(&j, "{\"path\":\"\\ufffd\",\"path_b64\":\"/g==\"}\n");
  tarn_cli_json_begin(&j);
  tarn_cli_json_name(&j, "path", "ab\xfb");
  expect_line(&j, "{\"path\":\"ab\\ufffd\",\"path_b64\":\"YWL7\"}\n");
  tarn_cli_json_close(&j);
}

static void a_line_grows_as_long_as_its_text(void **state)
{
  char text[20001];
  struct cli_json j;
  size_t len = 0;
  const char *got;

  (void)state;
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  tarn_cli_json_init(&j);
  tarn_cli_json_begin(&j);
  tarn_cli_json_text(&j, "t", text);
  got = tarn_cli_json_end(&j, &len);
  assert_non_null(got);
  assert_int_equal(len, sizeof text - 1 + strlen("{\"t\":\"\"}\n"));
  tarn_cli_json_close(&j);
}

static void forms_that_utf8_forbids_are_no_utf8(void **state)
{
  static const char *const texts[] = {
      "\x80",             /* a tail alone */
      "\xc3",             /* cut */
      "\xc0\x80",         /* overlong zero */
      "\xc1\xbf",         /* overlong */
      "\xe0\x9f\xbf",     /* overlong */
      "\xed\xa0\x80",     /* surrogate */
      "\xf0\x8f\xbf\xbf", /* overlong */
      "\xf4\x90\x80\x80", /* above U+10FFFF */
      "\xf5\x80\x80\x80", /* no such lead */
      "\xe2\x82",         /* cut */
  };
  size_t i;

  (void)state;
  for (i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_int_equal(tarn_cli_utf8_len(texts[i], strlen(texts[i])), 0);
  assert_int_equal(tarn_cli_utf8_len("\xf4\x8f\xbf\xbf", 4), 4);
  assert_int_equal(tarn_cli_utf8_len("\xed\x9f\xbf", 3), 3);
  assert_int_equal(tarn_cli_utf8_len("\xc2\x80", 2), 2);
}

static void a_terminal_gets_no_control_byte_of_a_name(void **state)
{
  char out[64];

  (void)state;
  assert_int_equal(tarn_cli_term_escape(out, sizeof out, "a\x1b[2J\n"), 12);
  assert_string_equal(out, "a\\033[2J\\012");
  /* C1 controls, raw and in UTF-8. */
  (void)tarn_cli_term_escape(out, sizeof out, "\x9b\xc2\x9b\xc3\xa9");
  assert_string_equal(out, "\\233\\302\\233\xc3\xa9");
}

static void an_escape_is_never_cut_in_two(void **state)
{
  char out[8];

  (void)state;
  (void)tarn_cli_term_escape(out, sizeof out, "abcd\x1b");
  assert_string_equal(out, "abcd");
  (void)tarn_cli_term_escape(out, sizeof out, "abc\x1b");
  assert_string_equal(out, "abc\\033");
  (void)tarn_cli_term_escape(out, 4, "abc\xc3\xa9");
  assert_string_equal(out, "abc");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_is_one_object_with_its_fields_in_order),
      cmocka_unit_test(controls_quotes_and_backslashes_are_escaped),
      cmocka_unit_test(a_name_in_utf8_comes_as_it_is),
      cmocka_unit_test(a_name_that_is_not_utf8_comes_in_base64_too),
      cmocka_unit_test(a_line_grows_as_long_as_its_text),
      cmocka_unit_test(forms_that_utf8_forbids_are_no_utf8),
      cmocka_unit_test(a_terminal_gets_no_control_byte_of_a_name),
      cmocka_unit_test(an_escape_is_never_cut_in_two),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
