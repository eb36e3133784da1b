#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/options.h"
#include "cli/why.h"

#define MAX_WORDS 16

/* A command line being read: words are copied, as getopt_long moves them. */
struct line {
  char *argv[MAX_WORDS + 1];
  int argc, first;
  struct cli_args args;
  struct cli_why why;
};

/* Words are parted by "|". */
static int parse_for(enum cli_command command, struct line *l,
                     const char *words)
{
  size_t n;

  memset(l, 0, sizeof *l);
  l->argv[l->argc++] = strdup("get");
  for (;; words += n + 1) {
    n = strcspn(words, "|");
    assert_true(l->argc < MAX_WORDS);
    l->argv[l->argc++] = strndup(words, n);
    if (words[n] == '\0')
      break;
  }
  tarn_cli_args_init(&l->args);
  return tarn_cli_options_parse(l->argc, l->argv, command, &l->args, &l->first,
                                &l->why);
}

static int parse(struct line *l, const char *words)
{
  return parse_for(TARN_CLI_GET, l, words);
}

static void done(struct line *l)
{
  int i;

  tarn_cli_args_close(&l->args);
  for (i = 0; i < l->argc; i++)
    free(l->argv[i]);
}

static void expect_ok(struct line *l, const char *words)
{
  int rc = parse(l, words);

  if (rc != CLI_PARSED_OK)
    fail_msg("%s", l->why.text);
}

static void expect_wrong(const char *words, const char *text)
{
  struct line l;

  assert_int_equal(parse(&l, words), CLI_PARSED_WRONG);
  if (!strstr(l.why.text, text))
    fail_msg("\"%s\" is not in \"%s\"", text, l.why.text);
  done(&l);
}

static void a_value_comes_behind_equals_or_as_the_next_word(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "--directory=a|--memory|1Mi|-ofile|-H|A: b|u");
  assert_string_equal(l.args.directory, "a");
  assert_int_equal(l.args.memory, 1u << 20);
  assert_string_equal(l.args.output, "file");
  assert_int_equal(l.args.headers.n, 1);
  assert_int_equal(l.argc - l.first, 1);
  assert_string_equal(l.argv[l.first], "u");
  done(&l);
}

static void options_and_operands_mix_until_two_dashes(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "u|-q|-|--|-v");
  assert_int_equal(l.args.quiet, 1);
  assert_int_equal(l.args.verbose, 0);
  assert_int_equal(l.argc - l.first, 3);
  assert_string_equal(l.argv[l.first], "u");
  assert_string_equal(l.argv[l.first + 1], "-");
  assert_string_equal(l.argv[l.first + 2], "-v");
  done(&l);
}

static void a_long_name_may_be_cut_while_it_is_unique(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "--strip=2|--compre=zstd|--download=7");
  assert_int_equal(l.args.get.strip_components, 2);
  assert_int_equal(l.args.compression, TARN_COMPRESSION_ZSTD);
  assert_int_equal(l.args.get.connections, 7);
  done(&l);
  expect_wrong("--max=1", "--max-wait");
  expect_wrong("--max=1", "--max-ratio");
}

static void an_option_and_its_alias_are_one(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "--connections=3|--download-workers=5");
  assert_int_equal(l.args.get.connections, 5);
  done(&l);
}

static void a_bare_chunk_size_is_in_megabytes(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "--chunk-size=200|--max-size=200");
  assert_int_equal(l.args.chunk_size, 200000000);
  assert_int_equal(l.args.get.max_size, 200);
  done(&l);
}

static void zero_is_kept_apart_from_not_given(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "u");
  assert_int_equal(l.args.get.has_retry_count, 0);
  assert_int_equal(l.args.get.has_min_speed, 0);
  assert_int_equal(l.args.has_progress_fd, 0);
  done(&l);
  expect_ok(&l, "--retry-count=0|--min-speed=0|--retry-wait=0|--progress-fd=0");
  assert_int_equal(l.args.get.has_retry_count, 1);
  assert_int_equal(l.args.get.retry_count, 0);
  assert_int_equal(l.args.get.has_min_speed, 1);
  assert_int_equal(l.args.get.min_speed, 0);
  assert_int_equal(l.args.get.retry_wait_ms, 1);
  assert_int_equal(l.args.has_progress_fd, 1);
  done(&l);
}

static void of_two_opposite_flags_the_last_wins(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "-4|-6|--http2|--disable-http2|-p|--no-same-permissions|--no-"
                "same-owner|--same-owner");
  assert_int_equal(l.args.get.flags,
                   TARN_IPV6 | TARN_NO_SAME_PERMISSIONS | TARN_SAME_OWNER);
  done(&l);
}

static void letters_can_be_joined(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "-qpmCdir");
  assert_int_equal(l.args.quiet, 1);
  assert_int_equal(l.args.get.flags, TARN_SAME_PERMISSIONS | TARN_NO_MTIME);
  assert_string_equal(l.args.directory, "dir");
  done(&l);
}

static void statuses_are_a_list_with_commas(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "--exit-status-codes=503,507|--exit-status-codes=599");
  assert_int_equal(l.args.fail_statuses.n, 3);
  assert_int_equal(l.args.fail_statuses.items[1], 507);
  assert_int_equal(l.args.fail_statuses.items[2], 599);
  done(&l);
  expect_wrong("--exit-status-codes=99", "503,507");
  expect_wrong("--exit-status-codes=600", "503,507");
  expect_wrong("--exit-status-codes=503,", "503,507");
  expect_wrong("--exit-status-codes=503;504", "503,507");
  expect_wrong("--exit-status-codes=5031", "503,507");
}

static void trace_takes_channels_or_all(void **state)
{
  struct line l;

  (void)state;
  expect_ok(&l, "--trace=curl,memory");
  assert_int_equal(l.args.trace, TARN_TRACE_CURL | TARN_TRACE_MEMORY);
  done(&l);
  expect_ok(&l, "--trace=all");
  assert_int_equal(l.args.trace, 127);
  done(&l);
  expect_wrong("--trace=curl,", "none of curl,");
}

static void what_is_wrong_is_named(void **state)
{
  (void)state;
  expect_wrong("--nope", "unknown option --nope");
  expect_wrong("--nope=3", "unknown option --nope");
  expect_wrong("-qZ", "unknown option -Z");
  expect_wrong("--quiet=1", "--quiet takes no value");
  expect_wrong("--memory", "--memory needs SIZE");
  expect_wrong("-C", "--directory needs DIR");
  expect_wrong("--connections=257", "from 1 to 256");
  expect_wrong("--connections=-1", "from 1 to 256");
  expect_wrong("--connections=", "from 1 to 256");
  expect_wrong("--max-time=0", "not a time");
  expect_wrong("--max-ratio=0", "above 0");
  expect_wrong("--compression=rar", "none of auto,tar,gzip");
  expect_wrong("--help=some", "none of all");
}

static void help_ends_the_reading(void **state)
{
  struct line l;

  (void)state;
  assert_int_equal(parse(&l, "--help|--nope"), CLI_PARSED_HELP);
  done(&l);
  assert_int_equal(parse(&l, "-h"), CLI_PARSED_HELP);
  done(&l);
  assert_int_equal(parse(&l, "--help=all"), CLI_PARSED_HELP_ALL);
  done(&l);
}

static int finish(struct line *l, const char *words)
{
  expect_ok(l, words);
  return tarn_cli_args_finish(&l->args, &l->why);
}

static void expect_finished(const char *words, int status)
{
  struct line l;

  assert_int_equal(finish(&l, words), status);
  done(&l);
}

static void output_to_a_dash_is_raw_standard_output(void **state)
{
  struct line l;

  (void)state;
  assert_int_equal(finish(&l, "-o|-"), 0);
  assert_int_equal(l.args.to_stdout, 1);
  assert_null(l.args.output);
  assert_int_equal(l.args.get.flags, TARN_RAW);
  done(&l);
}

static void targets_exclude_each_other(void **state)
{
  (void)state;
  expect_finished("-C|a|-O", 64);
  expect_finished("-C|a|-o|b", 64);
  expect_finished("-O|-o|b", 64);
  expect_finished("--raw", 64);
  expect_finished("--raw|-O", 0);
  expect_finished("-q|-v", 64);
  expect_finished("--key=k", 64);
  expect_finished("-O|--progress-fd=1", 64);
}

static void headers_get_one_space_behind_the_colon(void **state)
{
  struct line l;

  (void)state;
  assert_int_equal(finish(&l, "-HA:b|-HX-Y: c:d |-HEmpty:"), 0);
  assert_int_equal(l.args.get.n_headers, 3);
  assert_string_equal(l.args.get.headers[0], "A: b");
  assert_string_equal(l.args.get.headers[1], "X-Y: c:d");
  assert_string_equal(l.args.get.headers[2], "Empty: ");
  done(&l);
  expect_finished("-Hnothing", 64);
  expect_finished("-H:b", 64);
  expect_finished("-HA b: c", 64);
  expect_finished("-HA: b\r\nX: y", 64);
}

static void a_header_file_gives_a_header_a_line(void **state)
{
  static const char text[] = "A: 1\r\n\nB:2";
  int fd = memfd_create("headers", MFD_CLOEXEC);
  char word[64], both[80];
  struct line l;

  (void)state;
  assert_true(fd >= 0);
  assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
  (void)snprintf(word, sizeof word, "-H@/proc/self/fd/%d", fd);
  (void)snprintf(both, sizeof both, "%s|-HC:3", word);
  assert_int_equal(finish(&l, both), 0);
  assert_int_equal(l.args.get.n_headers, 3);
  assert_string_equal(l.args.get.headers[0], "A: 1");
  assert_string_equal(l.args.get.headers[1], "B: 2");
  assert_string_equal(l.args.get.headers[2], "C: 3");
  done(&l);
  assert_int_equal(close(fd), 0);
  expect_finished(word, 66);
}

static void a_command_has_its_own_options_and_meanings(void **state)
{
  struct line l;

  (void)state;
  assert_int_equal(parse_for(TARN_CLI_LIST, &l, "-v|--full-time|a"),
                   CLI_PARSED_OK);
  assert_true(l.args.details && l.args.full_time && !l.args.verbose);
  done(&l);
  assert_int_equal(parse_for(TARN_CLI_EXTRACT, &l, "-vn|-i|a"), CLI_PARSED_OK);
  assert_true(l.args.verbose && l.args.dry_run && !l.args.details);
  assert_string_equal(l.args.input, "a");
  done(&l);
  assert_int_equal(parse_for(TARN_CLI_LIST, &l, "-C|a"), CLI_PARSED_WRONG);
  assert_string_equal(l.why.text, "unknown option -C");
  done(&l);
  assert_int_equal(parse_for(TARN_CLI_EXTRACT, &l, "--output=a"),
                   CLI_PARSED_WRONG);
  assert_string_equal(l.why.text, "unknown option --output");
  done(&l);
  expect_wrong("--json", "unknown option --json");
}

static void what_is_accepted_without_effect_is_still_checked(void **state)
{
  struct line l;
  struct cli_args none;

  (void)state;
  assert_int_equal(parse_for(TARN_CLI_EXTRACT, &l,
                             "-b20|--block-size=4096|--dir-readers|16|"
                             "--file-readers=16|--queue-dir=0|--queue-read=1|"
                             "--queue-write=2|a"),
                   CLI_PARSED_OK);
  tarn_cli_args_init(&none);
  assert_memory_equal(&l.args, &none, sizeof none);
  done(&l);
  assert_int_equal(parse_for(TARN_CLI_EXTRACT, &l, "--block-size=4095"),
                   CLI_PARSED_WRONG);
  assert_string_equal(l.why.text, "--block-size: \"4095\" is not a number from "
                                  "4096 to 65535");
  done(&l);
  assert_int_equal(parse_for(TARN_CLI_EXTRACT, &l, "--queue-dir=x"),
                   CLI_PARSED_WRONG);
  assert_string_equal(l.why.text, "--queue-dir: \"x\" is not a number");
  done(&l);
  assert_int_equal(parse_for(TARN_CLI_EXTRACT, &l, "--multicpu=3|a"),
                   CLI_PARSED_OK);
  assert_int_equal(l.args.threads, 3);
  done(&l);
}

static void no_two_rows_of_a_command_share_a_name_or_letter(void **state)
{
  const struct cli_option *a, *b;
  size_t i, k;

  (void)state;
  for (i = 0; (a = tarn_cli_option_at(i)) != NULL; i++) {
    assert_non_null(a->help);
    assert_true(a->commands != 0);
    for (k = i + 1; (b = tarn_cli_option_at(k)) != NULL; k++) {
      if (!(a->commands & b->commands))
        continue;
      assert_string_not_equal(a->name, b->name);
      assert_false(a->letter && a->letter == b->letter);
    }
  }
  assert_int_equal(i, tarn_cli_option_count());
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_value_comes_behind_equals_or_as_the_next_word),
      cmocka_unit_test(options_and_operands_mix_until_two_dashes),
      cmocka_unit_test(a_long_name_may_be_cut_while_it_is_unique),
      cmocka_unit_test(an_option_and_its_alias_are_one),
      cmocka_unit_test(a_bare_chunk_size_is_in_megabytes),
      cmocka_unit_test(zero_is_kept_apart_from_not_given),
      cmocka_unit_test(of_two_opposite_flags_the_last_wins),
      cmocka_unit_test(letters_can_be_joined),
      cmocka_unit_test(statuses_are_a_list_with_commas),
      cmocka_unit_test(trace_takes_channels_or_all),
      cmocka_unit_test(what_is_wrong_is_named),
      cmocka_unit_test(help_ends_the_reading),
      cmocka_unit_test(output_to_a_dash_is_raw_standard_output),
      cmocka_unit_test(targets_exclude_each_other),
      cmocka_unit_test(headers_get_one_space_behind_the_colon),
      cmocka_unit_test(a_header_file_gives_a_header_a_line),
      cmocka_unit_test(a_command_has_its_own_options_and_meanings),
      cmocka_unit_test(what_is_accepted_without_effect_is_still_checked),
      cmocka_unit_test(no_two_rows_of_a_command_share_a_name_or_letter),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
