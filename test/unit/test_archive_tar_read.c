#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tar_expect.h"
#include "tar_make.h"

/* ---- formats ---- */

static void every_kind_of_header_is_read_the_same_however_it_is_cut(void **s)
{
  struct tar_make t = {0};

  (void)s;
  tar_make_everything(&t);
  tar_expect(
      &t, NULL, 0,
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
      "member file sparse 644 0/0 / 0.000000000 5000 sparse\nfinish 5000|"
      "member file p\303\244x 644 0/0 somebody/ 1234567890.123456789 1025 "
      "user.x=value\nfinish 1025|"
      "member file sparse 644 0/0 somebody/ 0.000000000 5000 sparse\n"
      "finish 5000|"
      "member file solaris|");
}

static void the_body_is_the_content_of_the_file(void **s)
{
  struct tar_make t = {0};
  struct tar_log with, without;

  (void)s;
  (void)tar_make_file(&t, "a", "hello", 5);
  tar_read_whole(&with, &t, true);
  t.data[512]++;
  tar_read_whole(&without, &t, true);
  assert_string_not_equal(with.text, without.text);
  tar_log_free(&with);
  tar_log_free(&without);
  /* FNV-1a of "hello". */
  t.data[512]--;
  tar_expect(&t, NULL, 0, "finish 5 a430d84680aabd0b");
}

static void a_nul_type_and_type_7_are_files(void **s)
{
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
  tar_expect_without(&t, "warning");
  tar_expect(&t, NULL, 0,
             "member file old|finish 3|member file contiguous|"
             "finish 3");
}

static void an_unknown_type_is_a_file_with_a_warning(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "what", .type = '~', .size = 3};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_body(&t, "abc", 3);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0,
             "warning member what at offset 0: unknown type|"
             "member file what|finish 3");
}

static void a_gnu_header_has_no_prefix(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {
      .name = "name", .prefix = "times", .magic = TAR_MAKE_GNU};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "member file name 644");
}

static void a_label_is_skipped_and_long_names_wait_behind_it(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header label = {.name = "label", .type = 'V'};

  (void)s;
  (void)tar_make_long(&t, 'L', "the long name");
  (void)tar_make_header(&t, &label);
  (void)tar_make_file(&t, "short", "x", 1);
  (void)tar_make_end(&t);
  tar_expect_without(&t, "label");
  tar_expect(&t, NULL, 0, "member file the long name 644");
}

static void volumes_and_name_lists_are_refused_and_skipped(void **s)
{
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
  tar_expect(&t, NULL, 0,
             "refused TARN_ENOTSUP member m at offset 0|"
             "refused TARN_ENOTSUP member m at offset 1536|"
             "member file next");
}

static void a_name_that_ends_in_a_slash_is_a_directory(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "d/", .magic = TAR_MAKE_V7};

  (void)s;
  (void)tar_make_header(&t, &h);
  h.magic = TAR_MAKE_USTAR;
  (void)tar_make_header(&t, &h);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "member dir d/|member dir d/");
  /* Some readers see content here, others the next header. */
  h.size = 600;
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 600);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, TARN_EDATA, "error TARN_EDATA member d/ at offset 0");
}

/* ---- pax ---- */

static void pax_wins_for_every_field(void **s)
{
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
  tar_expect(&t, NULL, 0,
             "member symlink pax 644 11/22 uu/gg -2.500000000 0 -> ll\n");
}

static void the_pax_size_says_where_the_next_header_is(void **s)
{
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
  tar_expect_without(&t, "hidden");
  tar_expect(&t, NULL, 0,
             "member file outer|1024\nfinish 1024|member file next");
}

static void a_pax_size_is_not_that_of_a_long_name_between(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "short"};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "size", "1024");
  (void)tar_make_long(&t, 'L', "long");
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 1024);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "member file long 644|finish 1024");
}

static void pax_records_are_used_once(void **s)
{
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "first");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_file(&t, "b", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "member file first|member file b 644");
}

static void what_waits_goes_with_a_refused_member(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "m", .type = 'M'};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "volume");
  (void)tar_make_header(&t, &h);
  (void)tar_make_file(&t, "b", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0,
             "refused TARN_ENOTSUP member volume|member file b 644");
}

static void a_pax_path_wins_over_a_gnu_name_in_either_order(void **s)
{
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "pax");
  (void)tar_make_long(&t, 'L', "gnu");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_long(&t, 'L', "gnu");
  (void)tar_make_pax1(&t, 'x', "path", "pax");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  tar_expect_without(&t, "warning");
  tar_expect(&t, NULL, 0, "member file pax|member file pax");
}

static void the_last_of_two_long_headers_is_used_with_a_warning(void **s)
{
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "one");
  (void)tar_make_pax1(&t, 'x', "path", "two");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_long(&t, 'L', "three");
  (void)tar_make_long(&t, 'L', "four");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0,
             "warning tar offset 1024: two long|member file two|"
             "warning|member file four");
}

static void global_records_hold_until_changed_and_members_win(void **s)
{
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
  tar_expect(&t, NULL, 0,
             "file a 644 7/0 all/ |file b 644 7/0 own/ |file c 644 7/0 / |"
             "file d 644 7/0 all/new |file e 644 7/0 /new ");
}

static void a_global_path_or_size_is_ignored_with_a_warning(void **s)
{
  static const char *const keys[] = {"path", "linkpath", "size"};
  size_t i;

  (void)s;
  for (i = 0; i < 3; i++) {
    struct tar_make t = {0};

    (void)tar_make_pax1(&t, 'g', keys[i], "1000");
    (void)tar_make_file(&t, "a", "x", 1);
    (void)tar_make_link(&t, '2', "l", "target");
    (void)tar_make_end(&t);
    tar_expect(&t, NULL, 0,
               "warning tar offset 0: global|member file a 644|"
               "finish 1|member symlink l|-> target");
  }
}

static void a_global_path_is_warned_of_once(void **s)
{
  struct tar_make t = {0};
  struct tar_log log;

  (void)s;
  (void)tar_make_pax1(&t, 'g', "path", "all");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_pax1(&t, 'g', "comment", "x");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  tar_read_whole(&log, &t, true);
  assert_int_equal(log.rc, 0);
  assert_int_equal(log.n_warnings, 1);
  tar_log_free(&log);
  tar_make_free(&t);
}

static void a_damaged_pax_record_is_fatal_with_its_offset(void **s)
{
  struct tar_make t = {0};
  size_t at;

  (void)s;
  (void)tar_make_file(&t, "kept", "x", 1);
  at = tar_make_pax1(&t, 'x', "path", "evil");
  t.data[at + 512] = 'z';
  (void)tar_make_file(&t, "ustar", "x", 1);
  (void)tar_make_end(&t);
  tar_expect_without(&t, "file ustar");
  tar_expect(
      &t, NULL, TARN_EDATA,
      "member file kept|error TARN_EDATA damaged pax record at offset 1536");
}

static void a_nul_in_a_pax_name_refuses_the_member_only(void **s)
{
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
  tar_expect(
      &t, NULL, 0,
      "refused TARN_EDATA member safe\\000evil at offset 1024: a NUL in its "
      "name|refused TARN_EDATA member b at|member file c");
}

static void a_member_without_a_name_or_target_is_refused(void **s)
{
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "", "x", 1);
  (void)tar_make_link(&t, '2', "l", "");
  (void)tar_make_file(&t, "c", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0,
             "refused TARN_EDATA|refused TARN_EDATA|member file c");
}

/* ---- sizes where none belong ---- */

static void a_hard_link_in_a_pax_archive_has_content(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "h", .link = "a", .type = '1'};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "size", "600");
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 600);
  (void)tar_make_file(&t, "next", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0,
             "member hard h|600 -> a\nfinish 600|member file next");
}

static void a_ustar_hard_link_with_a_size_is_fatal(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {
      .name = "h", .link = "a", .type = '1', .size = 600};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 600);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, TARN_EDATA, "error TARN_EDATA member h at offset 0");
}

static void a_gnu_or_v7_hard_link_with_a_size_has_no_content(void **s)
{
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
    tar_expect(&t, NULL, 0,
               "warning member h|member hard h|finish 0|file next");
  }
}

static void a_directory_with_a_size_has_no_content_and_a_warning(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "d", .type = '5', .size = 600};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_file(&t, "next", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "warning member d|member dir d|finish 0|file next");
}

static void a_size_on_other_members_without_content_is_fatal(void **s)
{
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
    tar_expect(&t, NULL, TARN_EDATA, "error TARN_EDATA member n at offset 0");
  }
}

static void names_with_any_bytes_come_through_unchanged(void **s)
{
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_file(&t, "\377\001\n\303", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "member file \377\001\n\303 644");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_header_is_read_the_same_however_it_is_cut),
      cmocka_unit_test(the_body_is_the_content_of_the_file),
      cmocka_unit_test(a_nul_type_and_type_7_are_files),
      cmocka_unit_test(an_unknown_type_is_a_file_with_a_warning),
      cmocka_unit_test(a_gnu_header_has_no_prefix),
      cmocka_unit_test(a_label_is_skipped_and_long_names_wait_behind_it),
      cmocka_unit_test(volumes_and_name_lists_are_refused_and_skipped),
      cmocka_unit_test(a_name_that_ends_in_a_slash_is_a_directory),
      cmocka_unit_test(pax_wins_for_every_field),
      cmocka_unit_test(the_pax_size_says_where_the_next_header_is),
      cmocka_unit_test(a_pax_size_is_not_that_of_a_long_name_between),
      cmocka_unit_test(pax_records_are_used_once),
      cmocka_unit_test(what_waits_goes_with_a_refused_member),
      cmocka_unit_test(a_pax_path_wins_over_a_gnu_name_in_either_order),
      cmocka_unit_test(the_last_of_two_long_headers_is_used_with_a_warning),
      cmocka_unit_test(global_records_hold_until_changed_and_members_win),
      cmocka_unit_test(a_global_path_or_size_is_ignored_with_a_warning),
      cmocka_unit_test(a_global_path_is_warned_of_once),
      cmocka_unit_test(a_damaged_pax_record_is_fatal_with_its_offset),
      cmocka_unit_test(a_nul_in_a_pax_name_refuses_the_member_only),
      cmocka_unit_test(a_member_without_a_name_or_target_is_refused),
      cmocka_unit_test(a_hard_link_in_a_pax_archive_has_content),
      cmocka_unit_test(a_ustar_hard_link_with_a_size_is_fatal),
      cmocka_unit_test(a_gnu_or_v7_hard_link_with_a_size_has_no_content),
      cmocka_unit_test(a_directory_with_a_size_has_no_content_and_a_warning),
      cmocka_unit_test(a_size_on_other_members_without_content_is_fatal),
      cmocka_unit_test(names_with_any_bytes_come_through_unchanged),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
