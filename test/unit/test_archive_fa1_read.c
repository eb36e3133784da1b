/* Reading FA1: what is told, however the input is cut, and every refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fa1_log.h"
#include "fa1_make.h"

enum { CUTS = 30 };

static void read_one(struct fa1_log *log, const struct fa1_make *a, size_t len)
{
  fa1_log_read(log, a->buf.data, len, FA1_LOG_WHOLE, 0, true, fa1_make_toy_crc);
}

/* Whole, byte by byte and cut at random must tell `text`; frees *a. */
static void expect(struct fa1_make *a, int rc, const char *text)
{
  static struct fa1_log log;
  unsigned seed;

  read_one(&log, a, a->buf.len);
  assert_string_equal(log.text, text);
  assert_int_equal(log.rc, rc);
  fa1_log_read(&log, a->buf.data, a->buf.len, FA1_LOG_BYTES, 0, true,
               fa1_make_toy_crc);
  assert_string_equal(log.text, text);
  for (seed = 1; seed <= CUTS; seed++) {
    fa1_log_read(&log, a->buf.data, a->buf.len, FA1_LOG_RANDOM, seed, true,
                 fa1_make_toy_crc);
    assert_string_equal(log.text, text);
    assert_int_equal(log.rc, rc);
  }
  fa1_make_free(a);
}

static void start(struct fa1_make *a)
{
  fa1_make_init(a, fa1_make_toy_crc);
}

/* ---- what is read ---- */

static void mixed_files_are_told_apart_however_the_input_is_cut(void **s)
{
  static struct fa1_log log;
  struct fa1_make a;
  char want[1024];
  char *big;

  (void)s;
  start(&a);
  fa1_make_everything(&a);
  read_one(&log, &a, a.buf.len);
  big = strstr(log.text, "finish d/big 69631 hash ");
  assert_non_null(big);
  (void)snprintf(want, sizeof want,
                 "member dir . 755 1000/65534\n"
                 "finish . 0 \n"
                 "member dir d 1777 1000/65534\n"
                 "finish d 0 \n"
                 "member file d/big 6750 1000/65534\n"
                 "member file d/small 400 1000/65534\n"
                 "member file d/empty 0 1000/65534\n"
                 "finish d/empty 0 \n"
                 "member dir d 700 1000/65534\n"
                 "finish d 0 \n"
                 "%.40s\n"
                 "refused member no\\000name at offset 69843: its name has a "
                 "NUL\n"
                 "finish d/small 7 one two\n"
                 "member file last 644 1000/65534\n"
                 "finish last 5 text\n\n",
                 big);
  expect(&a, 0, want);
}

static void an_archive_of_one_checksum_is_empty(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  (void)fa1_make_sum(&a);
  expect(&a, 0, "");
}

static void a_name_may_be_as_long_as_its_length_tells(void **s)
{
  static struct fa1_log log;
  static char path[UINT16_MAX + 1];
  struct fa1_make a;

  (void)s;
  memset(path, 'x', UINT16_MAX);
  start(&a);
  fa1_make_whole(&a, path, "text");
  (void)fa1_make_sum(&a);
  read_one(&log, &a, a.buf.len);
  assert_int_equal(log.rc, 0);
  assert_non_null(strstr(log.text, " 4 text\n"));
  fa1_make_free(&a);
}

static void a_path_may_come_again_when_it_is_closed(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  fa1_make_whole(&a, "a", "1");
  fa1_make_whole(&a, "a", "22");
  (void)fa1_make_dir(&a, "a", 0755);
  (void)fa1_make_sum(&a);
  expect(&a, 0,
         "member file a 644 0/0\nfinish a 1 1\n"
         "member file a 644 0/0\nfinish a 2 22\n"
         "member dir a 755 0/0\nfinish a 0 \n");
}

static void a_directory_named_like_an_open_file_is_another_member(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  (void)fa1_make_file(&a, "a", 0644);
  (void)fa1_make_dir(&a, "a", 0755);
  (void)fa1_make_data(&a, "a", "x", 1);
  (void)fa1_make_end(&a, "a");
  (void)fa1_make_sum(&a);
  expect(&a, 0,
         "member file a 644 0/0\nmember dir a 755 0/0\nfinish a 0 \n"
         "finish a 1 x\n");
}

static void bits_of_the_mode_that_are_no_type_are_passed_over(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  (void)fa1_make_file(&a, "a", UINT32_C(7) << 28 | 07000 | 0644);
  (void)fa1_make_end(&a, "a");
  (void)fa1_make_sum(&a);
  expect(&a, 0, "member file a 644 0/0\nfinish a 0 \n");
}

/* ---- what is refused, and the rest goes on ---- */

static void a_mode_of_another_type_refuses_the_member_and_its_blocks(void **s)
{
  static const unsigned bits[] = {31, 27, 26, 25, 24, 21, 19};
  size_t i;

  (void)s;
  for (i = 0; i < sizeof bits / sizeof bits[0]; i++) {
    struct fa1_make a;

    start(&a);
    (void)fa1_make_file(&a, "a", UINT32_C(1) << bits[i] | 0644);
    fa1_make_whole(&a, "b", "kept");
    (void)fa1_make_data(&a, "a", "lost", 4);
    (void)fa1_make_end(&a, "a");
    (void)fa1_make_sum(&a);
    expect(&a, 0,
           "refused member a at offset 8: its mode is not a file's\n"
           "member file b 644 0/0\nfinish b 4 kept\n");
    if (bits[i] == 31)
      continue;
    start(&a);
    (void)fa1_make_dir(&a, "a", UINT32_C(1) << bits[i] | 0755);
    (void)fa1_make_sum(&a);
    expect(&a, 0,
           "refused member a at offset 8: its mode is not a "
           "directory's\n");
  }
}

static void a_directory_needs_no_bit_that_says_so(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  (void)fa1_make_head(&a, FA1_MAKE_DIR, "d", 1);
  fa1_make_number(&a, 0700, 12);
  (void)fa1_make_sum(&a);
  expect(&a, 0, "member dir d 700 0/0\nfinish d 0 \n");
}

static void a_member_without_a_name_is_refused(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  fa1_make_whole(&a, "", "lost");
  (void)fa1_make_dir(&a, "", 0755);
  (void)fa1_make_sum(&a);
  expect(&a, 0,
         "refused member  at offset 8: it has no name\n"
         "refused member  at offset 35: it has no name\n");
}

static void names_with_a_nul_are_refused_and_shown_escaped(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  (void)fa1_make_head(&a, FA1_MAKE_DIR, "a\0\n", 3);
  fa1_make_number(&a, 0755, 12);
  (void)fa1_make_sum(&a);
  expect(&a, 0, "refused member a\\000\\n at offset 8: its name has a NUL\n");
}

/* ---- damage ---- */

static void one_changed_byte_anywhere_is_seen(void **s)
{
  static struct fa1_log log;
  struct fa1_make a;
  size_t i;

  (void)s;
  start(&a);
  fa1_make_whole(&a, "a", "text");
  (void)fa1_make_sum(&a);
  (void)fa1_make_dir(&a, "d", 0755);
  fa1_make_whole(&a, "d/b", "more");
  (void)fa1_make_sum(&a);
  for (i = 0; i < a.buf.len; i++) {
    a.buf.data[i] ^= 0x01;
    read_one(&log, &a, a.buf.len);
    if (log.rc >= 0)
      fail_msg("byte %zu: %s", i, log.text);
    a.buf.data[i] ^= 0x01;
  }
  read_one(&log, &a, a.buf.len);
  assert_int_equal(log.rc, 0);
  fa1_make_free(&a);
}

static void a_wrong_checksum_is_named_with_its_offset(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  fa1_make_whole(&a, "a", "text");
  (void)fa1_make_sum(&a);
  a.buf.data[a.buf.len - 1] ^= 0x80;
  expect(&a, TARN_EDATA,
         "member file a 644 0/0\nfinish a 4 text\n"
         "error TARN_EDATA wrong checksum at offset 41: what is before it is "
         "damaged\n");
}

static void a_checksum_covers_those_before_it(void **s)
{
  struct fa1_make a;
  size_t at;

  (void)s;
  start(&a);
  at = fa1_make_sum(&a);
  (void)fa1_make_head(&a, FA1_MAKE_SUM, "", 0);
  /* As if the first had not been there. */
  fa1_make_number(&a, fa1_make_toy_crc(0, a.buf.data, at + 3), 8);
  expect(&a, TARN_EDATA,
         "error TARN_EDATA wrong checksum at offset 22: what is before it is "
         "damaged\n");
}

static void blocks_of_files_that_are_not_open_are_damage(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  (void)fa1_make_data(&a, "a", "x", 1);
  expect(&a, TARN_EDATA,
         "error TARN_EDATA damaged block at offset 8: data without a begin of "
         "a\n");
  start(&a);
  fa1_make_whole(&a, "a", "x");
  (void)fa1_make_end(&a, "a");
  expect(&a, TARN_EDATA,
         "member file a 644 0/0\nfinish a 1 x\n"
         "error TARN_EDATA damaged block at offset 35: an end without a begin "
         "of a\n");
  start(&a);
  (void)fa1_make_dir(&a, "a", 0755);
  (void)fa1_make_data(&a, "a", "x", 1);
  expect(&a, TARN_EDATA,
         "member dir a 755 0/0\nfinish a 0 \n"
         "error TARN_EDATA damaged block at offset 24: data without a begin of "
         "a\n");
}

static void a_file_that_begins_twice_is_damage(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  (void)fa1_make_file(&a, "a", 0644);
  (void)fa1_make_file(&a, "a", 0644);
  expect(&a, TARN_EDATA,
         "member file a 644 0/0\n"
         "error TARN_EDATA damaged block at offset 24: a second begin of a\n");
}

static void unknown_types_and_named_checksums_are_damage(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  (void)fa1_make_head(&a, 5, "a", 1);
  expect(&a, TARN_EDATA,
         "error TARN_EDATA damaged block at offset 8: unknown type 5\n");
  start(&a);
  (void)fa1_make_head(&a, FA1_MAKE_SUM, "a", 1);
  expect(&a, TARN_EDATA,
         "error TARN_EDATA damaged block at offset 8: a checksum named a\n");
}

static void another_signature_is_no_archive(void **s)
{
  struct fa1_make a;

  (void)s;
  start(&a);
  a.buf.data[3] = '2';
  (void)fa1_make_sum(&a);
  expect(&a, TARN_ENOTARCHIVE,
         "error TARN_ENOTARCHIVE not an FA1 archive: wrong signature\n");
}

static void an_error_is_final(void **s)
{
  struct tarn_fa1_read *r;
  struct tarn_err err;
  struct fa1_make a;
  size_t used;

  (void)s;
  start(&a);
  (void)fa1_make_end(&a, "a");
  (void)fa1_make_sum(&a);
  assert_int_equal(tarn_fa1_read_new(&r, fa1_make_toy_crc, &err), 0);
  assert_int_equal(tarn_fa1_read_step(r, a.buf.data, a.buf.len, &used, &err),
                   TARN_EDATA);
  assert_int_equal(
      tarn_fa1_read_step(r, a.buf.data + used, a.buf.len - used, &used, &err),
      TARN_EDATA);
  assert_int_equal(tarn_fa1_read_end(r, true, &err), TARN_EDATA);
  tarn_fa1_read_free(r);
  fa1_make_free(&a);
}

/* ---- ends ---- */

static bool is_boundary(const size_t *at, size_t n, size_t len)
{
  size_t i;

  for (i = 0; i < n; i++)
    if (at[i] == len)
      return true;
  return false;
}

static void an_end_is_only_behind_a_checksum_with_no_file_open(void **s)
{
  static struct fa1_log log;
  struct fa1_make a;
  size_t ends[3], len;

  (void)s;
  start(&a);
  (void)fa1_make_sum(&a);
  ends[0] = a.buf.len;
  (void)fa1_make_file(&a, "a", 0644);
  (void)fa1_make_sum(&a);
  (void)fa1_make_data(&a, "a", "text", 4);
  (void)fa1_make_end(&a, "a");
  (void)fa1_make_sum(&a);
  ends[1] = a.buf.len;
  (void)fa1_make_dir(&a, "d", 0755);
  (void)fa1_make_sum(&a);
  ends[2] = a.buf.len;
  for (len = 0; len <= a.buf.len; len++) {
    int want = is_boundary(ends, 3, len) ? 0
               : len < 8                 ? TARN_ENOTARCHIVE
                                         : TARN_ETRUNCATED;

    read_one(&log, &a, len);
    if (log.rc != want)
      fail_msg("%zu bytes: %s", len, log.text);
  }
  fa1_make_free(&a);
}

static void a_cut_is_named_with_its_offset_and_member(void **s)
{
  static struct fa1_log log;
  struct fa1_make a;
  size_t at;

  (void)s;
  start(&a);
  (void)fa1_make_file(&a, "a", 0644);
  at = fa1_make_data(&a, "a", "text", 4);
  read_one(&log, &a, at + 3);
  assert_non_null(strstr(log.text, "ends at offset 27, within the head of a"));
  read_one(&log, &a, at + 7);
  assert_non_null(strstr(log.text, "ends at offset 31, within a block of a\n"));
  at = fa1_make_sum(&a);
  read_one(&log, &a, at + 7);
  assert_non_null(strstr(log.text, "ends at offset 41, within a checksum\n"));
  read_one(&log, &a, a.buf.len);
  assert_non_null(
      strstr(log.text, "ends at offset 45, before the end of member a\n"));
  (void)fa1_make_end(&a, "a");
  read_one(&log, &a, a.buf.len);
  assert_non_null(
      strstr(log.text, "ends at offset 49, without its checksum\n"));
  fa1_make_free(&a);
}

static void an_end_that_nothing_proves_has_a_warning(void **s)
{
  static struct fa1_log log;
  struct fa1_make a;

  (void)s;
  start(&a);
  (void)fa1_make_sum(&a);
  fa1_log_read(&log, a.buf.data, a.buf.len, FA1_LOG_BYTES, 0, false,
               fa1_make_toy_crc);
  assert_int_equal(log.rc, 0);
  assert_string_equal(log.text,
                      "warning nothing proves that the archive ends at offset "
                      "19: what is cut behind a checksum looks whole\n");
  fa1_make_free(&a);
}

/* Begins of files 0 to `n`; every other one is refused, and known until its
   end all the same. */
static void begin_files(struct fa1_make *a, int n)
{
  char name[16];
  int i;

  for (i = 0; i < n; i++) {
    (void)snprintf(name, sizeof name, "%d", i);
    (void)fa1_make_file(a, name, i % 2 ? 0644 : UINT32_C(1) << 27);
  }
}

static void at_most_256_files_are_open_at_once(void **s)
{
  static struct fa1_log log;
  struct fa1_make a;
  char name[16];
  int i, round;

  (void)s;
  start(&a);
  for (round = 0; round < 2; round++) {
    begin_files(&a, TARN_FA1_MAX_OPEN);
    for (i = 0; i < TARN_FA1_MAX_OPEN; i++) {
      (void)snprintf(name, sizeof name, "%d", i);
      (void)fa1_make_end(&a, name);
    }
  }
  (void)fa1_make_sum(&a);
  read_one(&log, &a, a.buf.len);
  assert_int_equal(log.rc, 0);
  begin_files(&a, TARN_FA1_MAX_OPEN + 1);
  read_one(&log, &a, a.buf.len);
  assert_int_equal(log.rc, TARN_ELIMIT);
  assert_non_null(strstr(log.text, "more than 256 files open at once"));
  fa1_make_free(&a);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mixed_files_are_told_apart_however_the_input_is_cut),
      cmocka_unit_test(an_archive_of_one_checksum_is_empty),
      cmocka_unit_test(a_name_may_be_as_long_as_its_length_tells),
      cmocka_unit_test(a_path_may_come_again_when_it_is_closed),
      cmocka_unit_test(a_directory_named_like_an_open_file_is_another_member),
      cmocka_unit_test(bits_of_the_mode_that_are_no_type_are_passed_over),
      cmocka_unit_test(
          a_mode_of_another_type_refuses_the_member_and_its_blocks),
      cmocka_unit_test(a_directory_needs_no_bit_that_says_so),
      cmocka_unit_test(a_member_without_a_name_is_refused),
      cmocka_unit_test(names_with_a_nul_are_refused_and_shown_escaped),
      cmocka_unit_test(one_changed_byte_anywhere_is_seen),
      cmocka_unit_test(a_wrong_checksum_is_named_with_its_offset),
      cmocka_unit_test(a_checksum_covers_those_before_it),
      cmocka_unit_test(blocks_of_files_that_are_not_open_are_damage),
      cmocka_unit_test(a_file_that_begins_twice_is_damage),
      cmocka_unit_test(unknown_types_and_named_checksums_are_damage),
      cmocka_unit_test(another_signature_is_no_archive),
      cmocka_unit_test(an_error_is_final),
      cmocka_unit_test(an_end_is_only_behind_a_checksum_with_no_file_open),
      cmocka_unit_test(a_cut_is_named_with_its_offset_and_member),
      cmocka_unit_test(an_end_that_nothing_proves_has_a_warning),
      cmocka_unit_test(at_most_256_files_are_open_at_once),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
