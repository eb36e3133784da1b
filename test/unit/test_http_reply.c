#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "http/reply.h"

static struct tarn_reply with(const char *name, const char *value)
{
  struct tarn_reply reply;

  tarn_reply_init(&reply, 206);
  tarn_reply_field(&reply, name, value);
  return reply;
}

static void a_content_range_is_read_in_every_legal_form(void **s)
{
  static const struct {
    const char *value;
    uint64_t first, last, total;
    bool has_total;
  } cases[] = {
      {"bytes 0-9/100", 0, 9, 100, true},
      {"bytes 0-0/1", 0, 0, 1, true},
      {"bytes 99-99/100", 99, 99, 100, true},
      {"bytes 0-9/*", 0, 9, 0, false},
      {"BYTES 5-6/7", 5, 6, 7, true},
      {"  bytes \t 5-6/7 \t", 5, 6, 7, true},
      {"bytes=5-6/7", 5, 6, 7, true},
      {"bytes 007-0008/0009", 7, 8, 9, true},
      {"bytes 18446744073709551613-18446744073709551614/18446744073709551615",
       UINT64_MAX - 2, UINT64_MAX - 1, UINT64_MAX, true},
  };
  size_t i;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct tarn_reply r = with("content-range", cases[i].value);

    assert_true(r.has_range);
    assert_false(r.bad_range);
    assert_false(r.unsatisfied);
    assert_true(r.first == cases[i].first);
    assert_true(r.last == cases[i].last);
    assert_true(r.has_total == cases[i].has_total);
    assert_true(r.total == cases[i].total);
  }
}

static void a_hostile_content_range_is_refused_whole(void **s)
{
  static const char *const values[] = {
      "",
      "bytes",
      "bytes ",
      "bytes0-9/100",
      "byte 0-9/100",
      "items 0-9/100",
      "bytes 9-0/100",
      "bytes 0-100/100",
      "bytes 0-9/9",
      "bytes 0-9/0",
      "bytes 0-9",
      "bytes 0-9/",
      "bytes 0-/100",
      "bytes -9/100",
      "bytes 0/100",
      "bytes -1-9/100",
      "bytes +0-9/100",
      "bytes 0--9/100",
      "bytes 0-9/-100",
      "bytes 0-9/100x",
      "bytes 0-9/100, 20-29/100",
      "bytes 0-9/100/100",
      "bytes 0x0-0x9/0x64",
      "bytes 0 - 9/100",
      "bytes 0-18446744073709551615/*",
      "bytes 0-18446744073709551616/*",
      "bytes 18446744073709551616-18446744073709551617/*",
      "bytes 0-9/18446744073709551616",
      "bytes 0-9/99999999999999999999999999999999999999999",
      "bytes */*",
      "bytes *",
      "bytes *-*/100",
  };
  size_t i;

  (void)s;
  for (i = 0; i < sizeof values / sizeof values[0]; i++) {
    struct tarn_reply r = with("Content-Range", values[i]);

    if (!r.bad_range)
      fail_msg("accepted: %s", values[i]);
    assert_false(r.has_range);
    assert_false(r.unsatisfied);
    assert_false(r.has_total);
    assert_int_equal(r.first, 0);
    assert_int_equal(r.last, 0);
  }
}

static void an_unsatisfied_range_tells_the_total_only(void **s)
{
  struct tarn_reply r = with("Content-Range", "bytes */1234");

  (void)s;
  assert_true(r.unsatisfied);
  assert_false(r.has_range);
  assert_false(r.bad_range);
  assert_true(r.has_total);
  assert_int_equal(r.total, 1234);
}

static void a_length_is_digits_that_fit_or_nothing(void **s)
{
  static const struct {
    const char *value;
    bool has;
    uint64_t length;
  } cases[] = {
      {"0", true, 0},
      {"10", true, 10},
      {" 10 ", true, 10},
      {"18446744073709551615", true, UINT64_MAX},
      {"18446744073709551616", false, 0},
      {"", false, 0},
      {"-1", false, 0},
      {"+1", false, 0},
      {"1 2", false, 0},
      {"10, 10", false, 0},
      {"0x10", false, 0},
      {"1e3", false, 0},
  };
  size_t i;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct tarn_reply r = with("Content-Length", cases[i].value);

    assert_true(r.has_length == cases[i].has);
    if (cases[i].has)
      assert_true(r.length == cases[i].length);
  }
}

static void an_entity_tag_keeps_its_quotes_and_loses_its_weakness(void **s)
{
  struct tarn_reply r = with("ETag", "\"abc\" ");

  (void)s;
  assert_string_equal(r.etag, "\"abc\"");
  assert_false(r.etag_weak);
  r = with("etag", "W/\"abc\"");
  assert_string_equal(r.etag, "\"abc\"");
  assert_true(r.etag_weak);
  /* The prefix is case-sensitive (RFC 9110 section 8.8.3). */
  r = with("etag", "w/\"abc\"");
  assert_false(r.etag_weak);
}

static void a_field_too_long_for_its_place_is_ignored(void **s)
{
  char value[4096];
  struct tarn_reply r;

  (void)s;
  memset(value, 'x', sizeof value - 1);
  value[sizeof value - 1] = '\0';
  r = with("Last-Modified", value);
  assert_string_equal(r.last_modified, "");
  r = with("Content-Type", value);
  assert_string_equal(r.content_type, "");
}

static void an_entity_tag_of_any_length_tells_objects_apart(void **s)
{
  char value[4096];
  struct tarn_reply r, same, other;

  (void)s;
  memset(value, 'x', sizeof value - 1);
  value[sizeof value - 1] = '\0';
  r = with("ETag", value);
  same = with("ETag", value);
  value[sizeof value - 2] = 'y';
  other = with("ETag", value);
  assert_true(r.etag_folded);
  assert_string_equal(r.etag, same.etag);
  assert_string_not_equal(r.etag, other.etag);
  memset(value, 'x', sizeof value - 1);
  value[TARN_ETAG_MAX - 1] = '\0';
  r = with("ETag", value);
  assert_false(r.etag_folded);
  assert_string_equal(r.etag, value);
  value[TARN_ETAG_MAX - 1] = 'x';
  value[TARN_ETAG_MAX] = '\0';
  r = with("ETag", value);
  assert_true(r.etag_folded);
}

static void a_coding_is_lower_case_and_identity_is_none(void **s)
{
  struct tarn_reply r = with("Content-Encoding", "GZip");

  (void)s;
  assert_string_equal(r.coding, "gzip");
  r = with("Content-Encoding", "Identity");
  assert_string_equal(r.coding, "");
  r = with("Content-Encoding", "gzip, br");
  assert_string_equal(r.coding, "gzip, br");
}

static void names_have_any_case_and_unknown_fields_change_nothing(void **s)
{
  struct tarn_reply r, empty;

  (void)s;
  r = with("LAST-MODIFIED", "Tue, 15 Nov 1994 12:45:26 GMT");
  assert_string_equal(r.last_modified, "Tue, 15 Nov 1994 12:45:26 GMT");
  r = with("content-type", "text/html; charset=utf-8");
  assert_string_equal(r.content_type, "text/html; charset=utf-8");
  tarn_reply_init(&empty, 206);
  r = with("X-Content-Range", "bytes 0-9/10");
  assert_memory_equal(&r, &empty, sizeof r);
  assert_int_equal(empty.retry_after_ms, -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_content_range_is_read_in_every_legal_form),
      cmocka_unit_test(a_hostile_content_range_is_refused_whole),
      cmocka_unit_test(an_unsatisfied_range_tells_the_total_only),
      cmocka_unit_test(a_length_is_digits_that_fit_or_nothing),
      cmocka_unit_test(an_entity_tag_keeps_its_quotes_and_loses_its_weakness),
      cmocka_unit_test(a_field_too_long_for_its_place_is_ignored),
      cmocka_unit_test(an_entity_tag_of_any_length_tells_objects_apart),
      cmocka_unit_test(a_coding_is_lower_case_and_identity_is_none),
      cmocka_unit_test(names_have_any_case_and_unknown_fields_change_nothing),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
