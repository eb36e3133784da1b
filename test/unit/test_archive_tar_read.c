#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tar_log.h"
#include "tar_make.h"

#define TARN_TEST_CUTS 20

static void read_whole(struct tar_log *log, const struct tar_make *t,
                       bool proven) {
  tar_log_read(log, t->data, t->len, tar_log_whole, NULL, NULL, proven);
}

/* Reads whole, byte by byte and cut at random: all must tell the same. */
static void read_all_ways(struct tar_log *log, const struct tar_make *t,
                          const struct tarn_tar_options *opts, bool proven) {
  struct tar_log other;
  unsigned seed, state;

  tar_log_read(log, t->data, t->len, tar_log_whole, NULL, opts, proven);
  tar_log_read(&other, t->data, t->len, tar_log_byte, NULL, opts, proven);
  assert_string_equal(other.text, log->text);
  tar_log_free(&other);
  for (seed = 1; seed <= TARN_TEST_CUTS; seed++) {
    state = seed;
    tar_log_read(&other, t->data, t->len, tar_log_random, &state, opts, proven);
    assert_string_equal(other.text, log->text);
    assert_int_equal(other.rc, log->rc);
    tar_log_free(&other);
  }
}

/*
 * Reads all ways and frees the archive. `lines` are "|"-separated: each must
 * be found in the text, in this order.
 */
static void expect(struct tar_make *t, const struct tarn_tar_options *opts,
                   int rc, const char *lines) {
  char want[1024];
  const char *from, *found, *bar;
  struct tar_log log;
  size_t len;

  read_all_ways(&log, t, opts, true);
  if (log.rc != rc)
    print_error("%s", log.text);
  assert_int_equal(log.rc, rc);
  assert_true(rc < 0 || log.n_members == log.n_finished);
  from = log.text;
  for (; *lines; lines += len + (bar ? 1 : 0)) {
    bar = strchr(lines, '|');
    len = bar ? (size_t)(bar - lines) : strlen(lines);
    assert_true(len < sizeof want);
    memcpy(want, lines, len);
    want[len] = '\0';
    found = strstr(from, want);
    if (!found)
      print_error("no \"%s\" in:\n%s", want, log.text);
    assert_non_null(found);
    from = found + len;
  }
  tar_log_free(&log);
  tar_make_free(t);
}

static void expect_text_without(struct tar_make *t, const char *unwanted) {
  struct tar_log log;

  read_whole(&log, t, true);
  assert_null(strstr(log.text, unwanted));
  tar_log_free(&log);
}

/* ---- formats ---- */

static void every_kind_of_header_is_read_the_same_however_it_is_cut(void **s) {
  struct tar_make t = {0};

  (void)s;
  tar_make_everything(&t);
  expect(&t, NULL, 0,
         "member dir v7/ 755|"
         "member file some/prefix/name 644 0/0 user/group 0.000000000 700\n"
         "finish 700|"
         "member file star|finish 5|"
         "member file empty|finish 0|"
         "member symlink symlink 777|-> some/prefix/name\n|"
         "member hard hardlink|-> empty\n|"
         "member char null|dev 1,3\n|"
         "member fifo fifo|"
         "member file nnnn|8589934592/0 / -2.000000000 512\nfinish 512|"
         "member symlink nnnn|-> tttt|"
         "member dir dump/|finish 0|"
         "refused TARN_ENOTSUP member sparse|"
         "member file p\303\244x 644 0/0 somebody/ 1234567890.123456789 1025 "
         "user.x=value\nfinish 1025|"
         "member file solaris|");
}

static void the_body_is_the_content_of_the_file(void **s) {
  struct tar_make t = {0};
  struct tar_log with, without;

  (void)s;
  (void)tar_make_file(&t, "a", "hello", 5);
  read_whole(&with, &t, true);
  t.data[512]++;
  read_whole(&without, &t, true);
  assert_string_not_equal(with.text, without.text);
  tar_log_free(&with);
  tar_log_free(&without);
  /* FNV-1a of "hello". */
  t.data[512]--;
  expect(&t, NULL, 0, "finish 5 a430d84680aabd0b");
}

static void a_nul_type_and_type_7_are_files(void **s) {
  struct tar_make t = {0};
  struct tar_make_header h = {
      .name = "old", .type_is_nul = 1, .magic = TAR_MAKE_V7, .size = 3};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_body(&t, "abc", 3);
  h = (struct tar_make_header){.name = "contiguous", .type = '7', .size = 3};
  (void)tar_make_header(&t, &h);
  (void)tar_make_body(&t, "abc", 3);
  (void)tar_make_end(&t);
  expect_text_without(&t, "warning");
  expect(&t, NULL, 0,
         "member file old|finish 3|member file contiguous|"
         "finish 3");
}

static void an_unknown_type_is_a_file_with_a_warning(void **s) {
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "what", .type = '~', .size = 3};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_body(&t, "abc", 3);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0,
         "warning member what at offset 0: unknown type|"
         "member file what|finish 3");
}

static void a_gnu_header_has_no_prefix(void **s) {
  struct tar_make t = {0};
  struct tar_make_header h = {
      .name = "name", .prefix = "times", .magic = TAR_MAKE_GNU};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "member file name 644");
}

static void a_label_is_skipped_and_long_names_wait_behind_it(void **s) {
  struct tar_make t = {0};
  struct tar_make_header label = {.name = "label", .type = 'V'};

  (void)s;
  (void)tar_make_long(&t, 'L', "the long name");
  (void)tar_make_header(&t, &label);
  (void)tar_make_file(&t, "short", "x", 1);
  (void)tar_make_end(&t);
  expect_text_without(&t, "label");
  expect(&t, NULL, 0, "member file the long name 644");
}

static void volumes_and_name_lists_are_refused_and_skipped(void **s) {
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "m", .type = 'M', .size = 600};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 600);
  h.type = 'N';
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 600);
  (void)tar_make_file(&t, "next", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0,
         "refused TARN_ENOTSUP member m at offset 0|"
         "refused TARN_ENOTSUP member m at offset 1536|"
         "member file next");
}

static void a_pax_sparse_file_is_refused_by_its_real_name(void **s) {
  struct tar_make t = {0};
  struct tar_make_records r = {0};
  struct tar_make_header h = {.name = "GNUSparseFile.0/f", .size = 1024};

  (void)s;
  tar_make_record(&r, "GNU.sparse.major", "1");
  tar_make_record(&r, "GNU.sparse.minor", "0");
  tar_make_record(&r, "GNU.sparse.name", "f");
  tar_make_record(&r, "GNU.sparse.realsize", "1000000");
  (void)tar_make_pax(&t, 'x', &r);
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 1024);
  (void)tar_make_file(&t, "next", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "refused TARN_ENOTSUP member f at|member file next");
}

/* ---- pax ---- */

static void pax_wins_for_every_field(void **s) {
  struct tar_make t = {0};
  struct tar_make_records r = {0};
  struct tar_make_header h = {.name = "ustar",
                              .link = "l",
                              .uname = "u",
                              .gname = "g",
                              .uid = 1,
                              .gid = 2,
                              .mtime = 3,
                              .type = '2'};

  (void)s;
  tar_make_record(&r, "gid", "22");
  tar_make_record(&r, "mtime", "-1.5");
  tar_make_record(&r, "gname", "gg");
  tar_make_record(&r, "linkpath", "ll");
  tar_make_record(&r, "uname", "uu");
  tar_make_record(&r, "path", "pax");
  tar_make_record(&r, "uid", "11");
  (void)tar_make_pax(&t, 'x', &r);
  (void)tar_make_header(&t, &h);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0,
         "member symlink pax 644 11/22 uu/gg -2.500000000 0 -> ll\n");
}

static void the_pax_size_says_where_the_next_header_is(void **s) {
  struct tar_make t = {0}, inner = {0};
  struct tar_make_header h = {.name = "outer", .size = 0};

  (void)s;
  (void)tar_make_file(&inner, "hidden", "x", 1);
  (void)tar_make_pax1(&t, 'x', "size", "1024");
  (void)tar_make_header(&t, &h);
  (void)tar_make_bytes(&t, inner.data, inner.len);
  (void)tar_make_file(&t, "next", "x", 1);
  (void)tar_make_end(&t);
  tar_make_free(&inner);
  expect_text_without(&t, "hidden");
  expect(&t, NULL, 0, "member file outer|1024\nfinish 1024|member file next");
}

static void
a_pax_size_belongs_to_the_member_not_to_a_long_name_between(void **s) {
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "short"};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "size", "1024");
  (void)tar_make_long(&t, 'L', "long");
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 1024);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "member file long 644|finish 1024");
}

static void pax_records_are_used_once(void **s) {
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "first");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_file(&t, "b", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "member file first|member file b 644");
}

static void what_waits_goes_with_a_refused_member(void **s) {
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "m", .type = 'M'};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "volume");
  (void)tar_make_header(&t, &h);
  (void)tar_make_file(&t, "b", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "refused TARN_ENOTSUP member volume|member file b 644");
}

static void a_pax_path_wins_over_a_gnu_name_in_either_order(void **s) {
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "pax");
  (void)tar_make_long(&t, 'L', "gnu");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_long(&t, 'L', "gnu");
  (void)tar_make_pax1(&t, 'x', "path", "pax");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  expect_text_without(&t, "warning");
  expect(&t, NULL, 0, "member file pax|member file pax");
}

static void the_last_of_two_long_headers_is_used_with_a_warning(void **s) {
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "one");
  (void)tar_make_pax1(&t, 'x', "path", "two");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_long(&t, 'L', "three");
  (void)tar_make_long(&t, 'L', "four");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0,
         "warning tar offset 1024: two long|member file two|"
         "warning|member file four");
}

static void global_records_hold_until_changed_and_members_win(void **s) {
  struct tar_make t = {0};
  struct tar_make_records r = {0};

  (void)s;
  tar_make_record(&r, "uname", "all");
  tar_make_record(&r, "uid", "7");
  (void)tar_make_pax(&t, 'g', &r);
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_pax1(&t, 'x', "uname", "own");
  (void)tar_make_file(&t, "b", "x", 1);
  (void)tar_make_pax1(&t, 'x', "uname", "");
  (void)tar_make_file(&t, "c", "x", 1);
  (void)tar_make_pax1(&t, 'g', "gname", "new");
  (void)tar_make_file(&t, "d", "x", 1);
  (void)tar_make_pax1(&t, 'g', "uname", "");
  (void)tar_make_file(&t, "e", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0,
         "file a 644 7/0 all/ |file b 644 7/0 own/ |file c 644 7/0 / |"
         "file d 644 7/0 all/new |file e 644 7/0 /new ");
}

static void a_global_path_or_size_is_ignored_with_a_warning(void **s) {
  static const char *const keys[] = {"path", "linkpath", "size"};
  size_t i;

  (void)s;
  for (i = 0; i < 3; i++) {
    struct tar_make t = {0};

    (void)tar_make_pax1(&t, 'g', keys[i], "1000");
    (void)tar_make_file(&t, "a", "x", 1);
    (void)tar_make_link(&t, '2', "l", "target");
    (void)tar_make_end(&t);
    expect(&t, NULL, 0,
           "warning tar offset 0: global|member file a 644|"
           "finish 1|member symlink l|-> target");
  }
}

static void a_damaged_pax_record_is_fatal_with_its_offset(void **s) {
  struct tar_make t = {0};
  size_t at;

  (void)s;
  (void)tar_make_file(&t, "kept", "x", 1);
  at = tar_make_pax1(&t, 'x', "path", "evil");
  t.data[at + 512] = 'z';
  (void)tar_make_file(&t, "ustar", "x", 1);
  (void)tar_make_end(&t);
  expect_text_without(&t, "file ustar");
  expect(&t, NULL, TARN_EDATA,
         "member file kept|error TARN_EDATA damaged pax record at offset 1536");
}

static void a_nul_in_a_pax_name_refuses_the_member_only(void **s) {
  struct tar_make t = {0};
  struct tar_make_records r = {0};

  (void)s;
  tar_make_record_bytes(&r, "path", "safe\0evil", 9);
  (void)tar_make_pax(&t, 'x', &r);
  (void)tar_make_file(&t, "a", "x", 1);
  tar_make_record_bytes(&r, "linkpath", "safe\0evil", 9);
  (void)tar_make_pax(&t, 'x', &r);
  (void)tar_make_link(&t, '2', "b", "x");
  (void)tar_make_file(&t, "c", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0,
         "refused TARN_EDATA member safe\\000evil at offset 1024: a NUL in its "
         "name|refused TARN_EDATA member b at|member file c");
}

static void a_member_without_a_name_or_target_is_refused(void **s) {
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "", "x", 1);
  (void)tar_make_link(&t, '2', "l", "");
  (void)tar_make_file(&t, "c", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "refused TARN_EDATA|refused TARN_EDATA|member file c");
}

/* ---- sizes where none belong ---- */

static void a_hard_link_in_a_pax_archive_has_content(void **s) {
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "h", .link = "a", .type = '1'};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "size", "600");
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 600);
  (void)tar_make_file(&t, "next", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "member hard h|600 -> a\nfinish 600|member file next");
}

static void a_ustar_hard_link_with_a_size_is_fatal(void **s) {
  struct tar_make t = {0};
  struct tar_make_header h = {
      .name = "h", .link = "a", .type = '1', .size = 600};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 600);
  (void)tar_make_end(&t);
  expect(&t, NULL, TARN_EDATA, "error TARN_EDATA member h at offset 0");
}

static void a_gnu_or_v7_hard_link_with_a_size_has_no_content(void **s) {
  static const enum tar_make_magic magic[] = {TAR_MAKE_GNU, TAR_MAKE_V7};
  size_t i;

  (void)s;
  for (i = 0; i < 2; i++) {
    struct tar_make t = {0};
    struct tar_make_header h = {
        .name = "h", .link = "a", .type = '1', .size = 600, .magic = magic[i]};

    (void)tar_make_header(&t, &h);
    (void)tar_make_file(&t, "next", "x", 1);
    (void)tar_make_end(&t);
    expect(&t, NULL, 0, "warning member h|member hard h|finish 0|file next");
  }
}

static void a_directory_with_a_size_has_no_content_and_a_warning(void **s) {
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "d", .type = '5', .size = 600};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_file(&t, "next", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "warning member d|member dir d|finish 0|file next");
}

static void a_size_on_other_members_without_content_is_fatal(void **s) {
  static const char types[] = "2346";
  size_t i;

  (void)s;
  for (i = 0; i < 4; i++) {
    struct tar_make t = {0};
    struct tar_make_header h = {
        .name = "n", .link = "a", .type = types[i], .size = 600};

    (void)tar_make_header(&t, &h);
    (void)tar_make_filler(&t, 600);
    (void)tar_make_end(&t);
    expect(&t, NULL, TARN_EDATA, "error TARN_EDATA member n at offset 0");
  }
}

/* ---- damage ---- */

static void a_wrong_checksum_behind_members_is_fatal(void **s) {
  struct tar_make t = {0};
  size_t at;

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  at = tar_make_file(&t, "b", "x", 1);
  t.data[at]++;
  (void)tar_make_end(&t);
  expect(&t, NULL, TARN_EDATA,
         "member file a|finish 1|error TARN_EDATA damaged header at offset "
         "1024: wrong checksum");
}

static void garbage_in_a_number_is_fatal_and_named(void **s) {
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
    expect(&t, NULL, TARN_EDATA, want);
  }
}

static void bytes_that_are_no_archive_are_told_apart(void **s) {
  struct tar_make t = {0};

  (void)s;
  expect(&t, NULL, TARN_ENOTARCHIVE, "not a tar archive: no data");
  (void)tar_make_bytes(&t, "hello\n", 6);
  expect(&t, NULL, TARN_ENOTARCHIVE, "ends at offset 6, within the first");
  (void)tar_make_filler(&t, 2048);
  expect(&t, NULL, TARN_ENOTARCHIVE,
         "not a tar archive: first header at offset 0 has a wrong checksum");
}

static void an_error_is_final(void **s) {
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

static void a_long_header_beyond_the_limit_is_refused_unread(void **s) {
  static const char types[] = "xgLKX";
  size_t i;

  (void)s;
  for (i = 0; i < 5; i++) {
    struct tar_make t = {0};
    struct tar_make_header h = {
        .name = "x", .type = types[i], .size = TARN_TAR_MAX_HEADER + 1};

    (void)tar_make_header(&t, &h);
    expect(&t, NULL, TARN_ELIMIT, "error TARN_ELIMIT long header at offset 0");
  }
}

static void too_many_long_headers_in_a_row_are_refused(void **s) {
  int n, i;

  (void)s;
  for (n = TARN_TAR_MAX_IN_A_ROW; n <= TARN_TAR_MAX_IN_A_ROW + 1; n++) {
    struct tar_make t = {0};

    for (i = 0; i < n; i++)
      (void)tar_make_pax1(&t, 'g', "comment", "x");
    (void)tar_make_file(&t, "a", "x", 1);
    (void)tar_make_end(&t);
    expect(&t, NULL, n > TARN_TAR_MAX_IN_A_ROW ? TARN_ELIMIT : 0,
           n > TARN_TAR_MAX_IN_A_ROW ? "error TARN_ELIMIT" : "member file a");
  }
}

/* ---- ends ---- */

static void an_archive_of_zeros_is_empty(void **s) {
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_zeros(&t, 10240);
  expect_text_without(&t, "w");
  expect(&t, NULL, 0, "");
}

static void missing_end_blocks_need_a_proven_length(void **s) {
  struct tar_make t = {0};
  struct tar_log log;

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  read_whole(&log, &t, false);
  assert_int_equal(log.rc, TARN_ETRUNCATED);
  tar_log_free(&log);
  expect(&t, NULL, 0,
         "member file a|finish 1|"
         "warning tar offset 1024: the archive has no end blocks");
}

static void a_lone_zero_block_ends_the_archive_with_a_warning(void **s) {
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_zeros(&t, 512);
  expect(&t, NULL, 0, "member file a|warning tar offset 1024: one zero block");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_zeros(&t, 512);
  (void)tar_make_file(&t, "b", "x", 1);
  expect_text_without(&t, "file b");
  expect(&t, NULL, 0, "member file a|warning tar offset 1024: one zero block");
}

static void data_behind_the_end_is_drained_with_one_warning(void **s) {
  struct tar_make t = {0};
  struct tar_log log;

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  (void)tar_make_zeros(&t, 700);
  (void)tar_make_filler(&t, 3000);
  read_whole(&log, &t, true);
  assert_int_equal(log.n_warnings, 1);
  tar_log_free(&log);
  expect(&t, NULL, 0, "member file a|warning tar offset 2748: data behind");
}

static void ignore_zeros_reads_concatenated_archives(void **s) {
  static const struct tarn_tar_options opts = {.ignore_zeros = true};
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  (void)tar_make_zeros(&t, 512);
  (void)tar_make_file(&t, "b", "x", 1);
  (void)tar_make_end(&t);
  expect_text_without(&t, "file b");
  expect(&t, &opts, 0, "member file a|member file b");
}

static void a_long_header_without_a_member_is_reported_at_the_end(void **s) {
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_pax1(&t, 'x', "path", "b");
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "refused TARN_EDATA long header at offset 1024");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_long(&t, 'L', "b");
  expect(&t, NULL, TARN_ETRUNCATED, "error TARN_ETRUNCATED");
}

static void a_member_is_finished_with_its_last_byte(void **s) {
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

static void events_that_wait_at_the_end_are_handed_out_there(void **s) {
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

/*
 * Lengths at which a cut archive of everything is whole: between members, not
 * inside one and not behind a long header.
 */
static void
a_cut_anywhere_is_never_a_success_unless_proven_between_members(void **s) {
  struct tar_make t = {0};
  struct tar_log log;
  size_t len, n_whole = 0;

  (void)s;
  tar_make_everything(&t);
  for (len = 0; len < t.len; len++) {
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
  assert_int_equal(n_whole, 8 + 1 + 4 + 1 + 2 + 1);
  tar_make_free(&t);
}

static void no_changed_header_byte_breaks_a_promise(void **s) {
  struct tar_make t = {0};
  size_t at, block;

  (void)s;
  tar_make_everything(&t);
  for (at = 0; at < t.len; at += 3) {
    uint8_t saved[512];
    struct tar_log log;

    block = at / 512 * 512;
    memcpy(saved, t.data + block, 512);
    t.data[at] ^= (uint8_t)(1 + at % 255);
    read_whole(&log, &t, true);
    assert_true(log.rc <= 0);
    tar_log_free(&log);
    tar_make_sum(&t, block);
    read_whole(&log, &t, true);
    assert_true(log.rc < 0 || log.n_members == log.n_finished);
    assert_null(strstr(log.text, "wrong offset"));
    assert_null(strstr(log.text, "left something"));
    tar_log_free(&log);
    memcpy(t.data + block, saved, 512);
  }
  tar_make_free(&t);
}

static void names_with_any_bytes_come_through_unchanged(void **s) {
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "\377\001\n\303", "x", 1);
  (void)tar_make_end(&t);
  expect(&t, NULL, 0, "member file \377\001\n\303 644");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_header_is_read_the_same_however_it_is_cut),
      cmocka_unit_test(the_body_is_the_content_of_the_file),
      cmocka_unit_test(a_nul_type_and_type_7_are_files),
      cmocka_unit_test(an_unknown_type_is_a_file_with_a_warning),
      cmocka_unit_test(a_gnu_header_has_no_prefix),
      cmocka_unit_test(a_label_is_skipped_and_long_names_wait_behind_it),
      cmocka_unit_test(volumes_and_name_lists_are_refused_and_skipped),
      cmocka_unit_test(a_pax_sparse_file_is_refused_by_its_real_name),
      cmocka_unit_test(pax_wins_for_every_field),
      cmocka_unit_test(the_pax_size_says_where_the_next_header_is),
      cmocka_unit_test(
          a_pax_size_belongs_to_the_member_not_to_a_long_name_between),
      cmocka_unit_test(pax_records_are_used_once),
      cmocka_unit_test(what_waits_goes_with_a_refused_member),
      cmocka_unit_test(a_pax_path_wins_over_a_gnu_name_in_either_order),
      cmocka_unit_test(the_last_of_two_long_headers_is_used_with_a_warning),
      cmocka_unit_test(global_records_hold_until_changed_and_members_win),
      cmocka_unit_test(a_global_path_or_size_is_ignored_with_a_warning),
      cmocka_unit_test(a_damaged_pax_record_is_fatal_with_its_offset),
      cmocka_unit_test(a_nul_in_a_pax_name_refuses_the_member_only),
      cmocka_unit_test(a_member_without_a_name_or_target_is_refused),
      cmocka_unit_test(a_hard_link_in_a_pax_archive_has_content),
      cmocka_unit_test(a_ustar_hard_link_with_a_size_is_fatal),
      cmocka_unit_test(a_gnu_or_v7_hard_link_with_a_size_has_no_content),
      cmocka_unit_test(a_directory_with_a_size_has_no_content_and_a_warning),
      cmocka_unit_test(a_size_on_other_members_without_content_is_fatal),
      cmocka_unit_test(a_wrong_checksum_behind_members_is_fatal),
      cmocka_unit_test(garbage_in_a_number_is_fatal_and_named),
      cmocka_unit_test(bytes_that_are_no_archive_are_told_apart),
      cmocka_unit_test(an_error_is_final),
      cmocka_unit_test(a_long_header_beyond_the_limit_is_refused_unread),
      cmocka_unit_test(too_many_long_headers_in_a_row_are_refused),
      cmocka_unit_test(an_archive_of_zeros_is_empty),
      cmocka_unit_test(missing_end_blocks_need_a_proven_length),
      cmocka_unit_test(a_lone_zero_block_ends_the_archive_with_a_warning),
      cmocka_unit_test(data_behind_the_end_is_drained_with_one_warning),
      cmocka_unit_test(ignore_zeros_reads_concatenated_archives),
      cmocka_unit_test(a_long_header_without_a_member_is_reported_at_the_end),
      cmocka_unit_test(a_member_is_finished_with_its_last_byte),
      cmocka_unit_test(events_that_wait_at_the_end_are_handed_out_there),
      cmocka_unit_test(
          a_cut_anywhere_is_never_a_success_unless_proven_between_members),
      cmocka_unit_test(no_changed_header_byte_breaks_a_promise),
      cmocka_unit_test(names_with_any_bytes_come_through_unchanged),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
