#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/machine.h"
#include "cli/rate.h"
#include "cli/size.h"

static void expect_size(const char *text, uint64_t bare, uint64_t bytes)
{
  uint64_t got = 77;

  assert_int_equal(tarn_cli_size_parse(text, bare, &got), 0);
  assert_int_equal(got, bytes);
}

static void refuse_size(const char *text)
{
  uint64_t got = 77;

  assert_int_equal(tarn_cli_size_parse(text, 1, &got), -1);
  assert_int_equal(got, 77);
}

static void letters_are_powers_of_1000_and_ki_of_1024(void **state)
{
  (void)state;
  expect_size("0", 1, 0);
  expect_size("17", 1, 17);
  expect_size("17B", 1, 17);
  expect_size("3K", 1, 3000);
  expect_size("3k", 1, 3000);
  expect_size("3KB", 1, 3000);
  expect_size("3Ki", 1, 3072);
  expect_size("3KiB", 1, 3072);
  expect_size("96Mi", 1, 96u << 20);
  expect_size("2M", 1, 2000000);
  expect_size("1G", 1, 1000000000);
  expect_size("1Gi", 1, 1u << 30);
  expect_size("2Ti", 1, (uint64_t)2 << 40);
}

static void a_bare_number_has_the_unit_of_its_option(void **state)
{
  (void)state;
  expect_size("200", 1000000, 200000000);
  expect_size("200B", 1000000, 200);
  expect_size("0.5", 1000000, 500000);
}

static void a_fraction_of_a_unit_is_exact(void **state)
{
  (void)state;
  expect_size("1.5K", 1, 1500);
  expect_size("0.25Ki", 1, 256);
  expect_size("1.000001M", 1, 1000001);
  expect_size("1.999999Ti", 1, UINT64_C(2199022156040));
}

static void what_is_no_size_is_refused_and_nothing_is_set(void **state)
{
  static const char *const texts[] = {
      "",    "-1",   "+1",   " 1",    "1 ",     "K",          "1X",
      "1Kx", "1Kib", "0x10", "1.5",   "1.5B",   "1.K",        ".5K",
      "1e3", "1,5K", "1BB",  "1KiBB", "1.1.1K", "1.0000001M", "inf",
  };
  size_t i;

  (void)state;
  for (i = 0; i < sizeof texts / sizeof *texts; i++)
    refuse_size(texts[i]);
}

static void a_size_beyond_64_bits_is_refused(void **state)
{
  (void)state;
  expect_size("18446744073709551615", 1, UINT64_MAX);
  refuse_size("18446744073709551616");
  refuse_size("18446744073709551615K");
  refuse_size("16777216Ti");
  expect_size("16777215Ti", 1, UINT64_C(16777215) << 40);
}

static void expect_time(const char *text, uint64_t ms)
{
  uint64_t got = 77;

  assert_int_equal(tarn_cli_time_parse(text, &got), 0);
  assert_int_equal(got, ms);
}

static void times_are_seconds_or_have_a_unit(void **state)
{
  (void)state;
  expect_time("0", 0);
  expect_time("10", 10000);
  expect_time("0.5", 500);
  expect_time("1.5s", 1500);
  expect_time("250ms", 250);
  expect_time("5m", 300000);
  expect_time("2h", 7200000);
}

static void a_time_below_a_millisecond_is_not_none(void **state)
{
  (void)state;
  expect_time("0.0001", 1);
  expect_time("0.0", 0);
}

static void what_is_no_time_is_refused(void **state)
{
  uint64_t got;

  (void)state;
  assert_int_equal(tarn_cli_time_parse("", &got), -1);
  assert_int_equal(tarn_cli_time_parse("5d", &got), -1);
  assert_int_equal(tarn_cli_time_parse("5 s", &got), -1);
  assert_int_equal(tarn_cli_time_parse("-5", &got), -1);
  assert_int_equal(tarn_cli_time_parse("18446744073709551615h", &got), -1);
}

static void counts_are_digits_alone(void **state)
{
  uint64_t got = 0;

  (void)state;
  assert_int_equal(tarn_cli_count_parse("42", &got), 0);
  assert_int_equal(got, 42);
  assert_int_equal(tarn_cli_count_parse("42K", &got), -1);
  assert_int_equal(tarn_cli_count_parse("4.0", &got), -1);
  assert_int_equal(tarn_cli_count_parse("", &got), -1);
}

static void expect_text(uint64_t bytes, const char *text)
{
  char got[TARN_CLI_SIZE_TEXT];

  assert_string_equal(tarn_cli_size_text(got, bytes), text);
}

static void sizes_are_shown_with_three_digits(void **state)
{
  (void)state;
  expect_text(0, "0 B");
  expect_text(999, "999 B");
  expect_text(1000, "1.00 kB");
  expect_text(9994, "9.99 kB");
  expect_text(9996, "10.0 kB");
  expect_text(99960, "100 kB");
  expect_text(999400, "999 kB");
  expect_text(999500, "1.00 MB");
  expect_text(UINT64_MAX, "18.4 EB");
}

static void expect_span(uint64_t ns, const char *text)
{
  char got[TARN_CLI_SIZE_TEXT];

  assert_string_equal(tarn_cli_time_text(got, ns), text);
}

static void times_are_shown_as_a_clock_from_a_minute_on(void **state)
{
  const uint64_t s = 1000000000u;

  (void)state;
  expect_span(0, "0.0 s");
  expect_span(59900000000u, "59.9 s");
  expect_span(59960000000u, "1:00");
  expect_span(65 * s, "1:05");
  expect_span(3600 * s, "1:00:00");
  expect_span(7384 * s, "2:03:04");
}

static void a_quota_is_rounded_up_to_whole_cores(void **state)
{
  (void)state;
  assert_int_equal(tarn_cli_machine_quota("200000 100000\n"), 2);
  assert_int_equal(tarn_cli_machine_quota("150000 100000\n"), 2);
  assert_int_equal(tarn_cli_machine_quota("1000 100000\n"), 1);
  assert_int_equal(tarn_cli_machine_quota("max 100000\n"), 0);
  assert_int_equal(tarn_cli_machine_quota("100000 0\n"), 0);
  assert_int_equal(tarn_cli_machine_quota(""), 0);
}

static void a_speed_is_that_of_the_last_five_seconds(void **state)
{
  struct tarn_progress p = {.size = sizeof p};
  struct cli_rate r;
  unsigned i;

  (void)state;
  tarn_cli_rate_init(&r);
  assert_int_equal(tarn_cli_rate_wire(&r), 0);
  /* Ten seconds at 1000 bytes a second, then ten at 100: more samples than
   * the ring holds. */
  for (i = 0; i < 200; i++) {
    p.elapsed_ns += 100000000u;
    p.wire_bytes += i < 100 ? 100 : 10;
    p.limit = i < 150 ? TARN_LIMIT_DISK : TARN_LIMIT_DECODE;
    tarn_cli_rate_put(&r, &p);
    if (i == 99)
      assert_in_range(tarn_cli_rate_wire(&r), 999, 1001);
  }
  assert_in_range(tarn_cli_rate_wire(&r), 99, 101);
  assert_int_equal(tarn_cli_rate_decoded(&r), 0);
  assert_int_equal(tarn_cli_rate_limit(&r, TARN_LIMIT_NONE), TARN_LIMIT_DISK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letters_are_powers_of_1000_and_ki_of_1024),
      cmocka_unit_test(a_bare_number_has_the_unit_of_its_option),
      cmocka_unit_test(a_fraction_of_a_unit_is_exact),
      cmocka_unit_test(what_is_no_size_is_refused_and_nothing_is_set),
      cmocka_unit_test(a_size_beyond_64_bits_is_refused),
      cmocka_unit_test(times_are_seconds_or_have_a_unit),
      cmocka_unit_test(a_time_below_a_millisecond_is_not_none),
      cmocka_unit_test(what_is_no_time_is_refused),
      cmocka_unit_test(counts_are_digits_alone),
      cmocka_unit_test(sizes_are_shown_with_three_digits),
      cmocka_unit_test(times_are_shown_as_a_clock_from_a_minute_on),
      cmocka_unit_test(a_quota_is_rounded_up_to_whole_cores),
      cmocka_unit_test(a_speed_is_that_of_the_last_five_seconds),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
