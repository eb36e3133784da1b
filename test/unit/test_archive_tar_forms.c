#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tar_expect.h"
#include "tar_make.h"

/* ---- numbers ---- */

static void numbers_in_base_256_are_read_negative_ones_too(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "a",
                              .magic = TAR_MAKE_GNU,
                              .uid = 1ll << 40,
                              .gid = 4294967296,
                              .mtime = -1000000000000};

  (void)s;
  (void)tar_make_header(&t, &h);
  h = (struct tar_make_header){
      .name = "b", .magic = TAR_MAKE_GNU, .mtime = -1, .uid = -2};
  (void)tar_make_header(&t, &h);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0,
             "member file a 644 1099511627776/4294967296 / "
             "-1000000000000.000000000 0\n|"
             "member file b 644 18446744073709551614/0 / -1.000000000 0\n");
}

static void a_size_in_base_256_counts_and_has_its_limit(void **s)
{
  static const uint8_t most[] = {0x80, 0,    0,    0,    0x7f, 0xff,
                                 0xff, 0xff, 0xff, 0xff, 0xfe, 0x00};
  struct tar_make t = {0};
  uint8_t more[12];
  size_t at;

  (void)s;
  at = tar_make_file(&t, "a", "", 0);
  tar_make_patch(&t, at, TAR_MAKE_SIZE_AT, most, 12);
  tar_expect(&t, NULL, TARN_ETRUNCATED,
             "member file a 644 0/0 / 0.000000000 9223372036854775296\n");
  memcpy(more, most, 12);
  more[11] = 1;
  at = tar_make_file(&t, "a", "", 0);
  tar_make_patch(&t, at, TAR_MAKE_SIZE_AT, more, 12);
  tar_expect(&t, NULL, TARN_EDATA, "wrong size field");
  at = tar_make_file(&t, "a", "", 0);
  memset(more, 0xff, 12);
  tar_make_patch(&t, at, TAR_MAKE_SIZE_AT, more, 12);
  tar_expect(&t, NULL, TARN_EDATA, "wrong size field");
}

static void blank_and_octal_fields_of_old_writers_are_read(void **s)
{
  struct tar_make t = {0};
  size_t at;

  (void)s;
  at = tar_make_file(&t, "a", "x", 1);
  tar_make_patch(&t, at, TAR_MAKE_MODE_AT, "   755 \0", 8);
  tar_make_patch(&t, at, TAR_MAKE_UID_AT, "        ", 8);
  tar_make_patch(&t, at, TAR_MAKE_GID_AT, "\0\0\0\0\0\0\0\0", 8);
  tar_make_patch(&t, at, TAR_MAKE_SIZE_AT, "          1 ", 12);
  tar_make_patch(&t, at, TAR_MAKE_MTIME_AT, " 13712345670", 12);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "member file a 755 0/0 / 1596574648.000000000 1\n");
}

/* ---- formats ---- */

static void an_old_gnu_header_has_no_prefix_but_times_there(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "old", .magic = TAR_MAKE_GNU};
  size_t at;

  (void)s;
  at = tar_make_header(&t, &h);
  tar_make_patch(&t, at, 345, "13712345670 13712345670 ", 24);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "member file old 644");
}

static void a_star_header_has_a_shorter_prefix_and_times(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {
      .name = "name", .prefix = "dir", .magic = TAR_MAKE_STAR};
  size_t at;

  (void)s;
  at = tar_make_header(&t, &h);
  tar_make_patch(&t, at, 476, "13712345670 13712345670 ", 24);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "member file dir/name 644");
}

static void a_solaris_header_is_a_pax_header(void **s)
{
  struct tar_make t = {0};
  struct tar_make_records r = {0};

  (void)s;
  tar_make_record(&r, "path", "real");
  tar_make_record(&r, "mtime", "5.25");
  tar_make_record(&r, "size", "3");
  (void)tar_make_pax(&t, 'X', &r);
  (void)tar_make_file(&t, "cut", "abc", 3);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "file real 644 0/0 / 5.250000000 3\nfinish 3");
}

static void devices_and_fifos_have_no_content(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {
      .name = "c", .type = '3', .dev_major = 0777777, .dev_minor = 1};

  (void)s;
  (void)tar_make_header(&t, &h);
  h = (struct tar_make_header){
      .name = "b", .type = '4', .dev_major = 8, .dev_minor = 0777777};
  (void)tar_make_header(&t, &h);
  h = (struct tar_make_header){.name = "f", .type = '6'};
  (void)tar_make_header(&t, &h);
  (void)tar_make_end(&t);
  tar_expect_without(&t, "warning");
  tar_expect(&t, NULL, 0,
             "member char c|dev 262143,1\nfinish 0|member block b|"
             "dev 8,262143\nfinish 0|member fifo f|finish 0");
}

/* ---- names ---- */

static void names_stay_bytes_whatever_hdrcharset_says(void **s)
{
  static const char *const sets[] = {"BINARY", "ISO-IR 10646 2000 UTF-8",
                                     "anything"};
  size_t i;

  (void)s;
  for (i = 0; i < 3; i++) {
    struct tar_make t = {0};
    struct tar_make_records r = {0};

    tar_make_record(&r, "path", "\377\xc3\x28\n");
    tar_make_record(&r, "hdrcharset", sets[i]);
    tar_make_record(&r, "uname", "\351");
    (void)tar_make_pax(&t, 'x', &r);
    (void)tar_make_file(&t, "a", "x", 1);
    (void)tar_make_end(&t);
    tar_expect_without(&t, "warning");
    tar_expect(&t, NULL, 0, "member file \377\xc3\x28\n 644 0/0 \351/ ");
  }
}

static void header_fields_filled_to_their_end_need_no_nul(void **s)
{
  struct tar_make t = {0};
  char name[101], prefix[156], link[101], want[600];
  struct tar_make_header h = {
      .name = name, .prefix = prefix, .link = link, .type = '2'};

  (void)s;
  memset(name, 'n', 100);
  memset(prefix, 'p', 155);
  memset(link, 'l', 100);
  name[100] = prefix[155] = link[100] = '\0';
  (void)tar_make_header(&t, &h);
  (void)tar_make_end(&t);
  (void)snprintf(want, sizeof want, "member symlink %s/%s 644|-> %s\n", prefix,
                 name, link);
  tar_expect(&t, NULL, 0, want);
}

static void names_of_255_bytes_and_beyond_path_max_come_through(void **s)
{
  static const size_t lens[] = {255, PATH_MAX, 65536};
  size_t i, k;

  (void)s;
  for (i = 0; i < 3; i++)
    for (k = 0; k < 2; k++) {
      struct tar_make t = {0};
      struct tar_log log;
      char *name = malloc(lens[i] + 1);

      assert_non_null(name);
      memset(name, 'n', lens[i]);
      name[lens[i]] = '\0';
      if (k == 0)
        (void)tar_make_pax1(&t, 'x', "path", name);
      else
        (void)tar_make_long(&t, 'L', name);
      (void)tar_make_file(&t, "a", "x", 1);
      (void)tar_make_end(&t);
      tar_read_whole(&log, &t, false);
      assert_int_equal(log.rc, 0);
      assert_int_equal(log.names_len, lens[i] + 1);
      assert_memory_equal(log.names, name, lens[i]);
      tar_log_free(&log);
      tar_make_free(&t);
      free(name);
    }
}

static void a_long_name_ends_at_its_nul_and_an_empty_one_is_none(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "././@LongLink", .type = 'L', .size = 9};

  (void)s;
  (void)tar_make_header(&t, &h);
  (void)tar_make_body(&t, "real\0junk", 9);
  (void)tar_make_file(&t, "cut", "x", 1);
  h.size = 0;
  (void)tar_make_header(&t, &h);
  (void)tar_make_file(&t, "cut", "x", 1);
  (void)tar_make_pax1(&t, 'x', "path", "");
  (void)tar_make_file(&t, "kept", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0,
             "member file real 644|refused TARN_EDATA|it has no name|"
             "member file kept 644");
}

/* ---- records ---- */

static void a_global_header_may_stand_between_x_and_its_member(void **s)
{
  struct tar_make t = {0};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "real");
  (void)tar_make_pax1(&t, 'g', "uname", "all");
  (void)tar_make_pax1(&t, 'g', "gname", "some");
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  tar_expect_without(&t, "warning");
  tar_expect(&t, NULL, 0, "member file real 644 0/0 all/some ");
}

static void a_long_header_of_the_full_limit_is_read(void **s)
{
  struct tar_make t = {0};
  struct tar_make_records r = {0};
  struct tar_log log;
  size_t len = TARN_TAR_MAX_HEADER - strlen("1048576 comment=\n");
  char *text = calloc(1, len);

  (void)s;
  assert_non_null(text);
  tar_make_record_bytes(&r, "comment", text, len);
  assert_int_equal(r.buf.len, TARN_TAR_MAX_HEADER);
  (void)tar_make_pax(&t, 'x', &r);
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  tar_read_whole(&log, &t, false);
  assert_int_equal(log.rc, 0);
  assert_int_equal(log.n_members, 1);
  tar_log_free(&log);
  tar_make_free(&t);
  free(text);
}

static void access_control_lists_go_with_their_member(void **s)
{
  struct tar_make t = {0};
  struct tar_make_records r = {0};

  (void)s;
  tar_make_record(&r, "SCHILY.acl.default", "user::r-x");
  tar_make_record(&r, "SCHILY.acl.access", "user::rwx,mask::r--");
  (void)tar_make_pax(&t, 'x', &r);
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_pax1(&t, 'x', "SCHILY.acl.access", "user::r--");
  (void)tar_make_file(&t, "b", "x", 1);
  (void)tar_make_file(&t, "c", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(
      &t, NULL, 0,
      "file a|acl user::rwx,mask::r-- default user::r-x\n|"
      "file b|acl user::r-- default \n|file c 644 0/0 / 0.000000000 1\n");
}

static void a_nul_in_an_access_control_list_refuses_the_member(void **s)
{
  static const char *const keys[] = {"SCHILY.acl.access", "SCHILY.acl.default"};
  size_t i;

  (void)s;
  for (i = 0; i < 2; i++) {
    struct tar_make t = {0};
    struct tar_make_records r = {0};

    tar_make_record_bytes(&r, keys[i], "user::r--\0,x", 12);
    (void)tar_make_pax(&t, 'x', &r);
    (void)tar_make_file(&t, "a", "x", 1);
    (void)tar_make_file(&t, "b", "x", 1);
    (void)tar_make_end(&t);
    tar_expect(&t, NULL, 0,
               "refused TARN_EDATA member a at offset 1024: a NUL in its "
               "access control list|member file b");
  }
}

static void an_entry_always_has_all_its_texts(void **s)
{
  struct tar_make t = {0};
  struct tarn_tar_read *r;
  struct tarn_err err;
  const struct tarn_entry *e;
  size_t used;

  (void)s;
  (void)tar_make_pax1(&t, 'x', "path", "alone");
  (void)tar_make_end(&t);
  assert_int_equal(tarn_tar_read_new(&r, NULL, &err), 0);
  e = tarn_tar_read_entry(r);
  assert_string_equal(e->acl_access, "");
  assert_string_equal(e->acl_default, "");
  assert_int_equal(tarn_tar_read_step(r, t.data, t.len, &used, &err),
                   TARN_TAR_REFUSED);
  e = tarn_tar_read_entry(r);
  assert_string_equal(e->path, "alone");
  assert_string_equal(e->link, "");
  assert_string_equal(e->acl_access, "");
  assert_string_equal(e->acl_default, "");
  tarn_tar_read_free(r);
  tar_make_free(&t);
}

static void attributes_of_bsdtar_are_told_once_each(void **s)
{
  struct tar_make t = {0};
  struct tar_make_records r = {0};

  (void)s;
  tar_make_record(&r, "LIBARCHIVE.xattr.user.a%20b", "eA==");
  tar_make_record(&r, "SCHILY.xattr.user.a b", "x");
  tar_make_record(&r, "RHT.security.selinux", "label");
  (void)tar_make_pax(&t, 'x', &r);
  (void)tar_make_file(&t, "a", "x", 1);
  (void)tar_make_end(&t);
  tar_expect(&t, NULL, 0, "file a|1 user.a b=x security.selinux=label\n");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_in_base_256_are_read_negative_ones_too),
      cmocka_unit_test(a_size_in_base_256_counts_and_has_its_limit),
      cmocka_unit_test(blank_and_octal_fields_of_old_writers_are_read),
      cmocka_unit_test(an_old_gnu_header_has_no_prefix_but_times_there),
      cmocka_unit_test(a_star_header_has_a_shorter_prefix_and_times),
      cmocka_unit_test(a_solaris_header_is_a_pax_header),
      cmocka_unit_test(devices_and_fifos_have_no_content),
      cmocka_unit_test(names_stay_bytes_whatever_hdrcharset_says),
      cmocka_unit_test(header_fields_filled_to_their_end_need_no_nul),
      cmocka_unit_test(names_of_255_bytes_and_beyond_path_max_come_through),
      cmocka_unit_test(a_long_name_ends_at_its_nul_and_an_empty_one_is_none),
      cmocka_unit_test(a_global_header_may_stand_between_x_and_its_member),
      cmocka_unit_test(a_long_header_of_the_full_limit_is_read),
      cmocka_unit_test(access_control_lists_go_with_their_member),
      cmocka_unit_test(a_nul_in_an_access_control_list_refuses_the_member),
      cmocka_unit_test(an_entry_always_has_all_its_texts),
      cmocka_unit_test(attributes_of_bsdtar_are_told_once_each),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
