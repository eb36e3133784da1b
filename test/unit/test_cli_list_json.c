#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "cli/list_json.h"

static struct tarn_member plain(void)
{
  struct tarn_member m;

  memset(&m, 0, sizeof m);
  m.size = sizeof m;
  m.type = TARN_MEMBER_FILE;
  m.path = "d/f";
  m.path_len = 3;
  m.link = m.uname = m.gname = "";
  m.mode = 0640;
  return m;
}

static void expect(const struct tarn_member *m, const char *line)
{
  struct cli_json j;
  const char *got;
  size_t len;

  tarn_cli_json_init(&j);
  got = tarn_cli_list_json(&j, m, &len);
  assert_non_null(got);
  if (len != strlen(line) || memcmp(got, line, len) != 0)
    fail_msg("got %.*s instead of %s", (int)len, got, line);
  tarn_cli_json_close(&j);
}

static void expect_within(const struct tarn_member *m, const char *part)
{
  struct cli_json j;
  const char *got;
  size_t len;

  tarn_cli_json_init(&j);
  got = tarn_cli_list_json(&j, m, &len);
  assert_non_null(got);
  if (!memmem(got, len, part, strlen(part)))
    fail_msg("%s is not in %.*s", part, (int)len, got);
  tarn_cli_json_close(&j);
}

static void every_field_is_in_every_line(void **state)
{
  struct tarn_member m = plain();

  (void)state;
  expect(&m, "{\"type\":\"file\",\"path\":\"d/f\",\"link\":null,"
             "\"mode\":\"0640\",\"uid\":0,\"gid\":0,\"uname\":null,"
             "\"gname\":null,\"size\":0,"
             "\"mtime\":\"1970-01-01T00:00:00.000000000Z\","
             "\"mtime_sec\":0,\"mtime_nsec\":0,\"dev_major\":null,"
             "\"dev_minor\":null,\"sparse\":false,\"offset\":0}\n");
  m.type = TARN_MEMBER_CHAR;
  m.mode = 04777;
  m.uid = UINT64_MAX;
  m.gid = 2;
  m.uname = "u";
  m.gname = "g";
  m.length = UINT64_C(1) << 63;
  m.mtime_sec = 1709209805;
  m.mtime_nsec = 7;
  m.dev_major = 1;
  m.dev_minor = 3;
  m.is_sparse = 1;
  m.header_at = 512;
  expect(&m, "{\"type\":\"char\",\"path\":\"d/f\",\"link\":null,"
             "\"mode\":\"4777\",\"uid\":18446744073709551615,\"gid\":2,"
             "\"uname\":\"u\",\"gname\":\"g\",\"size\":9223372036854775808,"
             "\"mtime\":\"2024-02-29T12:30:05.000000007Z\","
             "\"mtime_sec\":1709209805,\"mtime_nsec\":7,\"dev_major\":1,"
             "\"dev_minor\":3,\"sparse\":true,\"offset\":512}\n");
}

static void names_that_are_not_utf8_follow_in_base64(void **state)
{
  struct tarn_member m = plain();

  (void)state;
  m.type = TARN_MEMBER_SYMLINK;
  m.path = "\xff";
  m.path_len = 1;
  m.link = "\xfe/\n";
  m.link_len = 3;
  m.uname = "\xfd";
  expect_within(&m, "\"path\":\"\\ufffd\",\"path_b64\":\"/w==\"");
  expect_within(&m, "\"link\":\"\\ufffd/\\n\",\"link_b64\":\"/i8K\"");
  expect_within(&m, "\"uname\":\"\\ufffd\",\"uname_b64\":\"/Q==\"");
}

static void only_links_have_a_target(void **state)
{
  struct tarn_member m = plain();

  (void)state;
  m.link = "x";
  m.link_len = 1;
  expect_within(&m, "\"link\":null");
  m.type = TARN_MEMBER_HARDLINK;
  expect_within(&m, "\"type\":\"hardlink\"");
  expect_within(&m, "\"link\":\"x\"");
}

static void a_time_outside_of_four_digit_years_has_numbers_only(void **state)
{
  struct tarn_member m = plain();

  (void)state;
  m.mtime_sec = INT64_C(253402300799);
  expect_within(&m, "\"mtime\":\"9999-12-31T23:59:59.000000000Z\"");
  m.mtime_sec++;
  expect_within(&m, "\"mtime\":null,\"mtime_sec\":253402300800,");
  m.mtime_sec = INT64_C(-62167219200);
  expect_within(&m, "\"mtime\":\"0000-01-01T00:00:00.000000000Z\"");
  m.mtime_sec--;
  expect_within(&m, "\"mtime\":null,\"mtime_sec\":-62167219201,");
  m.mtime_sec = INT64_MIN;
  expect_within(&m, "\"mtime\":null,\"mtime_sec\":-9223372036854775808,");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_field_is_in_every_line),
      cmocka_unit_test(names_that_are_not_utf8_follow_in_base64),
      cmocka_unit_test(only_links_have_a_target),
      cmocka_unit_test(a_time_outside_of_four_digit_years_has_numbers_only),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
