#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tar_expect.h"
#include "every.h"
#include "tar_make.h"

/* ---- damage ---- */

static void a_wrong_checksum_behind_members_is_fatal(void **s)
{
  struct tar_make t = {0};
  size_t at;

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  at = tar_make_file(&t, "b", "x", 1);
  t.data[at]++;
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, TARN_EDATA,
             "member file a|finish 1|error TARN_EDATA damaged header at offset "
             "1024: wrong checksum");
}

static void garbage_in_a_number_is_fatal_and_named(void **s)
{
  static const struct {
    size_t at;
    const char *name;
  } fields[] = {{TAR_MAKE_MODE_AT, "mode"},
                {TAR_MAKE_UID_AT, "uid"},
                {TAR_MAKE_GID_AT, "gid"},
                {TAR_MAKE_SIZE_AT, "size"},
                {TAR_MAKE_MTIME_AT, "mtime"}};
  size_t i;

  (void)s;
  for (i = 0; i < 5; i++) {
    struct tar_make t = {0};
    char want[64];

    (void)tar_make_file(&t, "b", "x", 1);
    tar_make_patch(&t, 0, fields[i].at, "garbage", 7);
    (void)snprintf(want, sizeof want, "wrong %s field", fields[i].name);
    tar_expect(&t, NULL, TARN_EDATA, want);
  }
}

static void bytes_that_are_no_archive_are_told_apart(void **s)
{
  struct tar_make t = {0};

  (void)s;
  tar_expect(&t, NULL, TARN_ENOTARCHIVE, "not a tar archive: no data");
  (void)tar_make_bytes(&t, "hello\n", 6);
  tar_expect(&t, NULL, TARN_ENOTARCHIVE, "ends at offset 6, within the first");
  (void)tar_make_filler(&t, 2048);
  tar_expect(
      &t, NULL, TARN_ENOTARCHIVE,
      "not a tar archive: first header at offset 0 has a wrong checksum");
}

static void an_error_is_final(void **s)
{
  struct tarn_tar_read *r;
  struct tar_make t = {0};
  struct tarn_err err;
  size_t used;

  (void)s;
  (void)tar_make_filler(&t, 512);
  assert_int_equal(tarn_tar_read_new(&r, NULL, &err), 0);
  assert_int_equal(tarn_tar_read_step(r, t.data, t.len, &used, &err),
                   TARN_ENOTARCHIVE);
  assert_int_equal(tarn_tar_read_step(r, t.data, t.len, &used, &err),
                   TARN_ENOTARCHIVE);
  assert_int_equal(tarn_tar_read_end(r, true, &err), TARN_ENOTARCHIVE);
  tarn_tar_read_free(r);
  tar_make_free(&t);
}

static void a_long_header_beyond_the_limit_is_refused_unread(void **s)
{
  static const char types[] = "xgLKX";
  size_t i;

  (void)s;
  for (i = 0; i < 5; i++) {
    struct tar_make t = {0};
    struct tar_make_header h = {
        .name = "x", .type = types[i], .size = TARN_TAR_MAX_HEADER + 1};

    (void)tar_make_header(&t, &h);
    tar_expect(&t, NULL, TARN_ELIMIT,
               "error TARN_ELIMIT long header at offset 0");
  }
}

static void long_headers_are_counted_anew_for_each_member(void **s)
{
  struct tar_make t = {0};
  int i;

  (void)s;
  for (i = 0; i < 3 * TARN_TAR_MAX_IN_A_ROW; i++) {
    (void)tar_make_pax1(&t, 'x', "path", "long");
    (void)tar_make_file(&t, "a", "x", 1);
  }
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "member file long");
}

static void too_many_long_headers_in_a_row_are_refused(void **s)
{
  int n, i;

  (void)s;
  for (n = TARN_TAR_MAX_IN_A_ROW; n <= TARN_TAR_MAX_IN_A_ROW + 1; n++) {
    struct tar_make t = {0};

    for (i = 0; i < n; i++)
      (void)tar_make_pax1(&t, 'g', "comment", "x");
    (void)tar_make_file(&t, "a", "x", 1);
    (void)tar_make_end(&t);
    tar_expect(&t, NULL, n > TARN_TAR_MAX_IN_A_ROW ? TARN_ELIMIT : 0,
               n > TARN_TAR_MAX_IN_A_ROW ? "error TARN_ELIMIT"
                                         : "member file a");
  }
}

/* ---- ends ---- */

static void an_archive_of_zeros_is_empty(void **s)
{
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_zeros(&t, 10240);
  tar_expect_without(&t, "w");
  tar_expect(&t, NULL, 0, "");
}

static void missing_end_blocks_need_a_proven_length(void **s)
{
  struct tar_make t = {0};
  struct tar_log log;

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  tar_read_whole(&log, &t, false);
  assert_int_equal(log.rc, TARN_ETRUNCATED);
  tar_log_free(&log);
  tar_expect(&t, NULL, 0,
             "member file a|finish 1|"
             "warning tar offset 1024: the archive has no end blocks");
}

static void a_lone_zero_block_ends_the_archive_with_a_warning(void **s)
{
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_zeros(&t, 512);
  tar_expect(&t, NULL, 0,
             "member file a|warning tar offset 1024: one zero block");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_zeros(&t, 512);
  (void)tar_make_file(&t, "b", "x", 1);
  tar_expect_without(&t, "file b");
  tar_expect(&t, NULL, 0,
             "member file a|warning tar offset 1024: one zero block");
}

static void data_behind_the_end_is_drained_with_one_warning(void **s)
{
  struct tar_make t = {0};
  struct tar_log log;

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  (void)tar_make_zeros(&t, 700);
  (void)tar_make_filler(&t, 3000);
  tar_read_whole(&log, &t, true);
  assert_int_equal(log.n_warnings, 1);
  tar_log_free(&log);
  tar_expect(&t, NULL, 0, "member file a|warning tar offset 2748: data behind");
}

static void ignore_zeros_reads_concatenated_archives(void **s)
{
  static const struct tarn_tar_options opts = {.ignore_zeros = true};
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  (void)tar_make_zeros(&t, 512);
  (void)tar_make_file(&t, "b", "x", 1);
  (void)tar_make_end(&t);
  tar_expect_without(&t, "file b");
  tar_expect(&t, &opts, 0, "member file a|member file b");
}

static void a_long_header_without_a_member_is_reported_at_the_end(void **s)
{
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_pax1(&t, 'x', "path", "b");
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "refused TARN_EDATA long header at offset 1024");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_long(&t, 'L', "b");
  tar_expect(&t, NULL, TARN_ETRUNCATED, "error TARN_ETRUNCATED");
}

static void a_member_is_finished_with_its_last_byte(void **s)
{
  struct tarn_tar_read *r;
  struct tar_make t = {0};
  struct tarn_err err;
  size_t used;

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  assert_int_equal(tarn_tar_read_new(&r, NULL, &err), 0);
  assert_int_equal(tarn_tar_read_step(r, t.data, 513, &used, &err),
                   TARN_TAR_MEMBER);
  assert_int_equal(used, 512);
  assert_int_equal(tarn_tar_read_step(r, t.data + 512, 1, &used, &err),
                   TARN_TAR_BODY);
  assert_int_equal(used, 1);
  assert_int_equal(tarn_tar_read_step(r, NULL, 0, &used, &err),
                   TARN_TAR_FINISH);
  assert_int_equal(tarn_tar_read_step(r, NULL, 0, &used, &err), TARN_TAR_MORE);
  assert_int_equal(tarn_tar_read_at(r), 513);
  tarn_tar_read_free(r);
  tar_make_free(&t);
}

static void events_that_wait_at_the_end_are_handed_out_there(void **s)
{
  struct tarn_tar_read *r;
  struct tar_make t = {0};
  struct tarn_err err;
  size_t used;

  (void)s;
  (void)tar_make_file(&t, "a", "", 0);
  assert_int_equal(tarn_tar_read_new(&r, NULL, &err), 0);
  assert_int_equal(tarn_tar_read_step(r, t.data, 512, &used, &err),
                   TARN_TAR_MEMBER);
  assert_int_equal(tarn_tar_read_end(r, true, &err), TARN_TAR_FINISH);
  assert_int_equal(tarn_tar_read_end(r, true, &err), TARN_TAR_WARNING);
  assert_int_equal(tarn_tar_read_end(r, true, &err), 0);
  tarn_tar_read_free(r);
  tar_make_free(&t);
}

/* Every edge of a block is one. */
static size_t next_cut(size_t len)
{
  size_t edge = (len / 512 + 1) * 512, next = len + test_every();

  return next < edge ? next : edge;
}

/*
 * Lengths at which a cut archive of everything is whole: between members, not
 * inside one and not behind a long header.
 */
static void a_cut_is_a_success_only_between_members_and_proven(void **s)
{
  struct tar_make t = {0};
  struct tar_log log;
  size_t len, n_whole = 0;

  (void)s;
  tar_make_everything(&t);
  for (len = 0; len < t.len; len = next_cut(len)) {
    bool in_end = len >= t.len - 512;

    tar_log_read(&log, t.data, len, tar_log_whole, NULL, NULL, false);
    assert_true(log.rc < 0);
    tar_log_free(&log);
    tar_log_read(&log, t.data, len, tar_log_whole, NULL, NULL, true);
    if (log.rc == 0) {
      n_whole++;
      assert_int_equal(len % 512, 0);
      assert_int_equal(log.n_members, log.n_finished);
      assert_int_equal(log.n_warnings, 1);
    } else {
      assert_true(log.rc == TARN_ETRUNCATED || log.rc == TARN_ENOTARCHIVE);
      assert_true(!in_end || len % 512 != 0);
    }
    tar_log_free(&log);
  }
  /* Behind each member, the label and the global header, and one zero block
     of the end. */
  assert_int_equal(n_whole, 8 + 1 + 4 + 1 + 3 + 1);
  tar_make_free(&t);
}

static void no_changed_header_byte_breaks_a_promise(void **s)
{
  struct tar_make t = {0};
  size_t at, block;

  (void)s;
  tar_make_everything(&t);
  for (at = 0; at < t.len; at += 3 * test_every()) {
    uint8_t saved[512];
    struct tar_log log;

    block = at / 512 * 512;
    memcpy(saved, t.data + block, 512);
    t.data[at] ^= (uint8_t)(1 + at % 255);
    tar_read_whole(&log, &t, true);
    assert_true(log.rc <= 0);
    tar_log_free(&log);
    tar_make_sum(&t, block);
    tar_read_whole(&log, &t, true);
    assert_true(log.rc < 0 || log.n_members == log.n_finished);
    assert_null(strstr(log.text, "wrong offset"));
    assert_null(strstr(log.text, "left something"));
    tar_log_free(&log);
    memcpy(t.data + block, saved, 512);
  }
  tar_make_free(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_checksum_behind_members_is_fatal),
      cmocka_unit_test(garbage_in_a_number_is_fatal_and_named),
      cmocka_unit_test(bytes_that_are_no_archive_are_told_apart),
      cmocka_unit_test(an_error_is_final),
      cmocka_unit_test(a_long_header_beyond_the_limit_is_refused_unread),
      cmocka_unit_test(long_headers_are_counted_anew_for_each_member),
      cmocka_unit_test(too_many_long_headers_in_a_row_are_refused),
      cmocka_unit_test(an_archive_of_zeros_is_empty),
      cmocka_unit_test(missing_end_blocks_need_a_proven_length),
      cmocka_unit_test(a_lone_zero_block_ends_the_archive_with_a_warning),
      cmocka_unit_test(data_behind_the_end_is_drained_with_one_warning),
      cmocka_unit_test(ignore_zeros_reads_concatenated_archives),
      cmocka_unit_test(a_long_header_without_a_member_is_reported_at_the_end),
      cmocka_unit_test(a_member_is_finished_with_its_last_byte),
      cmocka_unit_test(events_that_wait_at_the_end_are_handed_out_there),
      cmocka_unit_test(a_cut_is_a_success_only_between_members_and_proven),
      cmocka_unit_test(no_changed_header_byte_breaks_a_promise),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
