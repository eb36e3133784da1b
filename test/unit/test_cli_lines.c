#include "cli/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t second = 1000000000u;

static struct tarn_progress figures(void)
{
  struct tarn_progress p = {.size = sizeof p};

  p.wire_bytes = 250000000;
  p.wire_total = 1000000000;
  p.has_total = 1;
  p.decoded_bytes = 500000000;
  p.files = 1234;
  p.connections = 4;
  p.elapsed_ns = 10 * second;
  p.compression = "gzip";
  return p;
}

static struct cli_view view(const struct tarn_progress *p)
{
  struct cli_view v = {.p = p,
                       .wire_speed = 25000000,
                       .decoded_speed = 50000000,
                       .limit = TARN_LIMIT_NETWORK};

  return v;
}

static void a_wide_line_has_every_figure(void **state)
{
  struct tarn_progress p = figures();
  struct cli_view v = view(&p);
  char line[TARN_CLI_LINE];
  size_t len = tarn_cli_lines_progress(line, sizeof line, 200, &v);

  (void)state;
  assert_string_equal(line, " 25%  250 MB/1.00 GB  25.0 MB/s  ETA 30.0 s  "
                            "decoded 50.0 MB/s  1234 files  4 conn  "
                            "limit: network");
  assert_int_equal(len, strlen(line));
}

static void no_line_is_wider_than_the_terminal(void **state)
{
  struct tarn_progress p = figures();
  struct cli_view v = view(&p);
  char line[TARN_CLI_LINE];
  size_t width;

  (void)state;
  p.failed = UINT64_MAX;
  p.retries = UINT64_MAX;
  for (width = 0; width < 200; width++) {
    assert_in_range(tarn_cli_lines_progress(line, sizeof line, width, &v), 0,
                    width);
    assert_in_range(strlen(line), 0, width);
  }
}

static void without_a_total_there_is_no_percent_and_no_eta(void **state)
{
  struct tarn_progress p = figures();
  struct cli_view v = view(&p);
  char line[TARN_CLI_LINE];

  (void)state;
  p.has_total = 0;
  (void)tarn_cli_lines_progress(line, sizeof line, 200, &v);
  assert_null(strchr(line, '%'));
  assert_null(strstr(line, "ETA"));
  assert_int_equal(tarn_cli_lines_eta(&v), 0);
}

static void an_empty_object_is_complete(void **state)
{
  struct tarn_progress p = {.size = sizeof p, .has_total = 1};
  struct cli_view v = {.p = &p};
  char line[TARN_CLI_LINE];

  (void)state;
  (void)tarn_cli_lines_progress(line, sizeof line, 200, &v);
  assert_memory_equal(line, "100%", 4);
}

static void expect_closing(const struct cli_view *v, const char *part)
{
  char line[TARN_CLI_LINE];

  (void)tarn_cli_lines_closing(line, sizeof line, "into d", v);
  if (!strstr(line, part))
    fail_msg("\"%s\" is not in \"%s\"", part, line);
}

static void the_closing_line_says_what_lifts_the_limit(void **state)
{
  struct tarn_progress p = figures();
  struct cli_view v = view(&p);

  (void)state;
  expect_closing(&v, "1234 files, 500 MB into d; 250 MB received in 10.0 s, "
                     "25.0 MB/s; limit: network");
  v.fixed_connections = 1;
  expect_closing(&v, "limit: network (try more --connections)");
  v.limit = TARN_LIMIT_DECODE;
  p.decode.busy_ns = 10 * second;
  expect_closing(&v, "limit: one gzip stream decodes on one core");
  p.decode.busy_ns = 40 * second;
  expect_closing(&v, "limit: decoding gzip (try more --threads)");
  v.limit = TARN_LIMIT_NONE;
  p.network.wait_out_ns = 9 * second;
  expect_closing(&v, "limit: memory (try --memory=1Gi)");
}

static void what_is_read_here_has_no_network(void **state)
{
  struct tarn_progress p = figures();
  struct cli_view v = view(&p);
  char line[TARN_CLI_LINE];

  (void)state;
  v.is_local = 1;
  expect_closing(&v, "250 MB read in 10.0 s, 25.0 MB/s; limit: input");
  (void)tarn_cli_lines_progress(line, sizeof line, 200, &v);
  assert_null(strstr(line, "conn"));
  assert_non_null(strstr(line, "limit: input"));
  (void)tarn_cli_lines_stages(line, sizeof line, &v);
  assert_non_null(strstr(line, "input busy"));
  assert_null(strstr(line, "network"));
}

static void stages_are_told_busy_and_waiting(void **state)
{
  struct tarn_progress p = figures();
  struct cli_view v = view(&p);
  char line[TARN_CLI_LINE];

  (void)state;
  p.decode.busy_ns = 8 * second;
  p.decode.wait_in_ns = second;
  p.decode.wait_out_ns = second / 2;
  (void)tarn_cli_lines_stages(line, sizeof line, &v);
  assert_non_null(strstr(line, "decode busy 8.0 s, waiting for input 1.0 s, "
                               "for output 0.5 s"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wide_line_has_every_figure),
      cmocka_unit_test(no_line_is_wider_than_the_terminal),
      cmocka_unit_test(without_a_total_there_is_no_percent_and_no_eta),
      cmocka_unit_test(an_empty_object_is_complete),
      cmocka_unit_test(the_closing_line_says_what_lifts_the_limit),
      cmocka_unit_test(what_is_read_here_has_no_network),
      cmocka_unit_test(stages_are_told_busy_and_waiting),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
