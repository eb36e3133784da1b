#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/list_line.h"

static struct tarn_member member(enum tarn_member_type type, const char *path)
{
  struct tarn_member m;

  memset(&m, 0, sizeof m);
  m.size = sizeof m;
  m.type = type;
  m.path = path;
  m.path_len = strlen(path);
  m.link = m.uname = m.gname = "";
  m.mode = 0644;
  return m;
}

static void set_link(struct tarn_member *m, const char *link)
{
  m->link = link;
  m->link_len = strlen(link);
}

/* The line is what is expected, to the byte. */
static void expect(struct cli_list_line *l, const struct tarn_member *m,
                   const char *line)
{
  size_t len;
  const char *got = tarn_cli_list_line(l, m, &len);

  assert_non_null(got);
  if (len != strlen(line) || memcmp(got, line, len) != 0)
    fail_msg("got %.*s instead of %s", (int)len, got, line);
}

static void expect_mode(enum tarn_member_type type, unsigned mode,
                        const char *text)
{
  char out[11];

  tarn_cli_list_mode(out, type, mode);
  assert_string_equal(out, text);
}

static void expect_time(int64_t sec, uint32_t nsec, unsigned how,
                        const char *text)
{
  char out[TARN_CLI_LIST_TIME];

  assert_string_equal(tarn_cli_list_time(out, sec, nsec, how), text);
}

static void each_type_has_its_letter(void **state)
{
  (void)state;
  expect_mode(TARN_MEMBER_FILE, 0644, "-rw-r--r--");
  expect_mode(TARN_MEMBER_DIR, 0755, "drwxr-xr-x");
  expect_mode(TARN_MEMBER_SYMLINK, 0777, "lrwxrwxrwx");
  expect_mode(TARN_MEMBER_HARDLINK, 0400, "hr--------");
  expect_mode(TARN_MEMBER_CHAR, 0020, "c----w----");
  expect_mode(TARN_MEMBER_BLOCK, 0001, "b--------x");
  expect_mode(TARN_MEMBER_FIFO, 0, "p---------");
}

static void
special_bits_are_small_with_execution_and_capital_without(void **state)
{
  (void)state;
  expect_mode(TARN_MEMBER_FILE, 04755, "-rwsr-xr-x");
  expect_mode(TARN_MEMBER_FILE, 04644, "-rwSr--r--");
  expect_mode(TARN_MEMBER_FILE, 02755, "-rwxr-sr-x");
  expect_mode(TARN_MEMBER_FILE, 02745, "-rwxr-Sr-x");
  expect_mode(TARN_MEMBER_DIR, 01777, "drwxrwxrwt");
  expect_mode(TARN_MEMBER_DIR, 01776, "drwxrwxrwT");
  expect_mode(TARN_MEMBER_FILE, 07777, "-rwsrwsrwt");
  expect_mode(TARN_MEMBER_FILE, 07000, "---S--S--T");
}

static void a_full_time_has_its_fraction_without_zeros_behind(void **state)
{
  (void)state;
  expect_time(1709209805, 0, CLI_LIST_UTC, "2024-02-29 12:30");
  expect_time(1709209805, 250000000, CLI_LIST_UTC, "2024-02-29 12:30");
  expect_time(1709209805, 0, CLI_LIST_UTC | CLI_LIST_FULL_TIME,
              "2024-02-29 12:30:05");
  expect_time(1709209805, 250000000, CLI_LIST_UTC | CLI_LIST_FULL_TIME,
              "2024-02-29 12:30:05.25");
  expect_time(0, 1, CLI_LIST_UTC | CLI_LIST_FULL_TIME,
              "1970-01-01 00:00:00.000000001");
}

static void a_time_before_1970_is_right_to_its_fraction(void **state)
{
  (void)state;
  expect_time(-1, 0, CLI_LIST_UTC | CLI_LIST_FULL_TIME, "1969-12-31 23:59:59");
  expect_time(-2, 500000000, CLI_LIST_UTC | CLI_LIST_FULL_TIME,
              "1969-12-31 23:59:58.5");
}

static void a_time_that_no_calendar_holds_is_written_as_seconds(void **state)
{
  (void)state;
  expect_time(INT64_MAX, 0, CLI_LIST_UTC, "9223372036854775807");
  expect_time(INT64_MIN, 999999999, CLI_LIST_UTC | CLI_LIST_FULL_TIME,
              "-9223372036854775808.999999999");
}

static void local_times_are_of_the_zone_in_the_environment(void **state)
{
  struct cli_list_line l;

  (void)state;
  assert_int_equal(setenv("TZ", "XYZ-5:30", 1), 0);
  tarn_cli_list_line_init(&l, 0);
  expect_time(1709209805, 0, 0, "2024-02-29 18:00");
  assert_int_equal(unsetenv("TZ"), 0);
  tarn_cli_list_line_close(&l);
}

static void without_details_a_line_is_the_name(void **state)
{
  struct tarn_member m = member(TARN_MEMBER_SYMLINK, "a\nb\x1b");
  struct cli_list_line l;

  (void)state;
  set_link(&m, "c");
  tarn_cli_list_line_init(&l, 0);
  expect(&l, &m, "a\nb\x1b\n");
  tarn_cli_list_line_close(&l);
  tarn_cli_list_line_init(&l, CLI_LIST_ESCAPE);
  expect(&l, &m, "a\\012b\\033\n");
  tarn_cli_list_line_close(&l);
}

static void links_say_where_they_lead(void **state)
{
  struct tarn_member s = member(TARN_MEMBER_SYMLINK, "s");
  struct tarn_member h = member(TARN_MEMBER_HARDLINK, "h");
  struct cli_list_line l;

  (void)state;
  set_link(&s, "to/\x07");
  set_link(&h, "s");
  tarn_cli_list_line_init(&l,
                          CLI_LIST_DETAILS | CLI_LIST_UTC | CLI_LIST_ESCAPE);
  expect(&l, &s,
         "lrw-r--r-- 0/0               0 1970-01-01 00:00 s -> to/\\007\n");
  expect(&l, &h,
         "hrw-r--r-- 0/0               0 1970-01-01 00:00 h link to s\n");
  tarn_cli_list_line_close(&l);
}

static void
owners_are_names_unless_missing_or_numbers_are_asked_for(void **state)
{
  struct tarn_member m = member(TARN_MEMBER_FILE, "f");
  struct cli_list_line l;

  (void)state;
  m.uid = UINT64_C(1099511627776);
  m.gid = 7;
  m.gname = "staff";
  tarn_cli_list_line_init(&l, CLI_LIST_DETAILS | CLI_LIST_UTC);
  expect(&l, &m, "-rw-r--r-- 1099511627776/staff 0 1970-01-01 00:00 f\n");
  tarn_cli_list_line_close(&l);
  m.uname = "u";
  m.uid = 5;
  tarn_cli_list_line_init(&l,
                          CLI_LIST_DETAILS | CLI_LIST_UTC | CLI_LIST_NUMERIC);
  expect(&l, &m, "-rw-r--r-- 5/7               0 1970-01-01 00:00 f\n");
  tarn_cli_list_line_close(&l);
}

static void devices_have_their_numbers_where_files_have_a_size(void **state)
{
  struct tarn_member m = member(TARN_MEMBER_BLOCK, "sda1");
  struct cli_list_line l;

  (void)state;
  m.dev_major = 8;
  m.dev_minor = 1;
  tarn_cli_list_line_init(&l, CLI_LIST_DETAILS | CLI_LIST_UTC);
  expect(&l, &m, "brw-r--r-- 0/0             8,1 1970-01-01 00:00 sda1\n");
  tarn_cli_list_line_close(&l);
}

static void columns_grow_with_what_came_and_never_shrink(void **state)
{
  struct tarn_member m = member(TARN_MEMBER_FILE, "f");
  struct cli_list_line l;

  (void)state;
  tarn_cli_list_line_init(&l,
                          CLI_LIST_DETAILS | CLI_LIST_UTC | CLI_LIST_FULL_TIME);
  m.length = 1;
  expect(&l, &m, "-rw-r--r-- 0/0               1 1970-01-01 00:00:00 f\n");
  m.uname = m.gname = "somebody";
  m.length = 1234567890;
  m.mtime_nsec = 5;
  expect(&l, &m,
         "-rw-r--r-- somebody/somebody 1234567890 "
         "1970-01-01 00:00:00.000000005 f\n");
  m.uname = m.gname = "";
  m.length = 1;
  m.mtime_nsec = 0;
  expect(&l, &m,
         "-rw-r--r-- 0/0                        1 "
         "1970-01-01 00:00:00           f\n");
  tarn_cli_list_line_close(&l);
}

/* Every byte of a name as long as a pax record may make it is escaped. */
static void a_long_name_is_whole(void **state)
{
  enum { LEN = 100000 };
  char *path = malloc(LEN + 1);
  struct tarn_member m;
  struct cli_list_line l;
  const char *got;
  size_t len;

  (void)state;
  assert_non_null(path);
  memset(path, '\x01', LEN);
  path[LEN] = '\0';
  m = member(TARN_MEMBER_FILE, path);
  tarn_cli_list_line_init(&l, CLI_LIST_ESCAPE);
  got = tarn_cli_list_line(&l, &m, &len);
  assert_non_null(got);
  assert_int_equal(len, 4 * LEN + 1);
  assert_memory_equal(got + len - 5, "\\001\n", 5);
  tarn_cli_list_line_close(&l);
  free(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_type_has_its_letter),
      cmocka_unit_test(
          special_bits_are_small_with_execution_and_capital_without),
      cmocka_unit_test(a_full_time_has_its_fraction_without_zeros_behind),
      cmocka_unit_test(a_time_before_1970_is_right_to_its_fraction),
      cmocka_unit_test(a_time_that_no_calendar_holds_is_written_as_seconds),
      cmocka_unit_test(local_times_are_of_the_zone_in_the_environment),
      cmocka_unit_test(without_details_a_line_is_the_name),
      cmocka_unit_test(links_say_where_they_lead),
      cmocka_unit_test(
          owners_are_names_unless_missing_or_numbers_are_asked_for),
      cmocka_unit_test(devices_have_their_numbers_where_files_have_a_size),
      cmocka_unit_test(columns_grow_with_what_came_and_never_shrink),
      cmocka_unit_test(a_long_name_is_whole),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
