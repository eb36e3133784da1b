#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/pax.h"
#include "archive/tar_header.h"

/* Parses a copy without room behind it. */
static int parse_bytes(struct tarn_pax *p, char **buf, const char *bytes,
                       size_t len, struct tarn_err *err)
{
  *buf = malloc(len ? len : 1);
  assert_non_null(*buf);
  memcpy(*buf, bytes, len);
  tarn_pax_init(p);
  return tarn_pax_parse(p, *buf, len, 1000, err);
}

static int parse(struct tarn_pax *p, char **buf, const char *text)
{
  return parse_bytes(p, buf, text, strlen(text), NULL);
}

static void drop(struct tarn_pax *p, char *buf)
{
  tarn_pax_close(p);
  free(buf);
}

static void expect_damage(const char *bytes, size_t len, uint64_t at)
{
  struct tarn_pax p;
  struct tarn_err err;
  char *buf;

  assert_int_equal(parse_bytes(&p, &buf, bytes, len, &err), TARN_EDATA);
  assert_int_equal(err.at, at);
  drop(&p, buf);
}

static void keywords_come_in_any_order(void **s)
{
  struct tarn_pax p;
  char *buf;

  (void)s;
  assert_int_equal(parse(&p, &buf,
                         "9 gid=22\n12 path=a=b\n22 mtime=1700000000.5\n"
                         "12 uname=me\n14 linkpath=l\n9 gname=\n9 uid=11\n"
                         "9 size=5\n16 hdrcharset=B\n11 other=x\n"),
                   0);
  assert_int_equal(p.has, TARN_PAX_GID | TARN_PAX_PATH | TARN_PAX_MTIME |
                              TARN_PAX_UNAME | TARN_PAX_LINKPATH |
                              TARN_PAX_UID | TARN_PAX_SIZE);
  assert_int_equal(p.erased, TARN_PAX_GNAME);
  assert_string_equal(p.path.ptr, "a=b");
  assert_int_equal(p.path.len, 3);
  assert_string_equal(p.linkpath.ptr, "l");
  assert_string_equal(p.uname.ptr, "me");
  assert_int_equal(p.uid, 11);
  assert_int_equal(p.gid, 22);
  assert_int_equal(p.size, 5);
  assert_int_equal(p.mtime.sec, 1700000000);
  assert_int_equal(p.mtime.nsec, 500000000);
  drop(&p, buf);
}

static void the_last_record_of_a_keyword_counts(void **s)
{
  struct tarn_pax p;
  char *buf;

  (void)s;
  assert_int_equal(parse(&p, &buf, "9 path=a\n9 path=b\n"), 0);
  assert_string_equal(p.path.ptr, "b");
  drop(&p, buf);
  assert_int_equal(parse(&p, &buf, "9 path=a\n8 path=\n"), 0);
  assert_int_equal(p.has, 0);
  drop(&p, buf);
}

static void a_value_may_hold_newlines_equals_and_nuls(void **s)
{
  struct tarn_pax p;
  char *buf;

  (void)s;
  assert_int_equal(parse_bytes(&p, &buf, "14 path=a\n=\0b\n", 14, NULL), 0);
  assert_int_equal(p.path.len, 5);
  assert_memory_equal(p.path.ptr, "a\n=\0b", 6);
  drop(&p, buf);
}

static void what_is_no_record_is_damage_with_its_offset(void **s)
{
  static const char *const cases[] = {
      "path=a\n",    "9path=a\n",   " 9 path=a\n",
      "8 path=a\n",  "11 path=a\n", "9 path:a\n",
      "5 =a\n",      "9  =aaaa",    "99999999999999999999999999 path=a\n",
      "-9 path=a\n", "0 path=a\n",  "9 path=a",
      "9",           "4 =\n",       "3 \n",
      "1 path=a\n",  "+9 path=a\n"};
  char second[64];
  size_t i;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    expect_damage(cases[i], strlen(cases[i]), 1000);
    (void)snprintf(second, sizeof second, "9 path=a\n%s", cases[i]);
    expect_damage(second, strlen(second), 1009);
  }
  expect_damage("10 pa\0th=\n", 10, 1000);
}

static void nuls_behind_the_last_record_are_padding(void **s)
{
  struct tarn_pax p;
  char *buf;

  (void)s;
  assert_int_equal(parse_bytes(&p, &buf, "9 path=a\n\0\0\0", 12, NULL), 0);
  assert_string_equal(p.path.ptr, "a");
  drop(&p, buf);
  expect_damage("9 path=a\n\0\0x", 12, 1009);
}

/* Parses one record: its length is put in front of "key=value". */
static int parse_record(struct tarn_pax *p, char **buf, const char *record)
{
  size_t rest = strlen(record) + 2;
  char text[128];

  (void)snprintf(text, sizeof text, "%zu %s\n", rest + (rest < 9 ? 1 : 2),
                 record);
  return parse(p, buf, text);
}

static void a_wrong_number_is_damage(void **s)
{
  static const char *const cases[] = {"size=-",
                                      "size=-1",
                                      "size=1x",
                                      "size= 1",
                                      "size=0x1",
                                      "uid=1x",
                                      "uid=--1",
                                      "gid=x",
                                      "mtime=x",
                                      "mtime=1x",
                                      "mtime=1.x",
                                      "mtime=.5",
                                      "mtime=1e5",
                                      "mtime=1 ",
                                      "size=9223372036854775807",
                                      "mtime=-",
                                      "uid=18446744073709551616",
                                      "mtime=9223372036854775807"};
  struct tarn_pax p;
  size_t i;
  char *buf;

  (void)s;
  assert_int_equal(parse_record(&p, &buf, "size=9223372036854775296"), 0);
  drop(&p, buf);
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(parse_record(&p, &buf, cases[i]), TARN_EDATA);
    drop(&p, buf);
  }
}

static void times_round_down_to_nanoseconds(void **s)
{
  static const struct {
    const char *text;
    int64_t sec;
    uint32_t nsec;
  } cases[] = {{"mtime=5", 5, 0},
               {"mtime=5.", 5, 0},
               {"mtime=-5", -5, 0},
               {"mtime=-1.5", -2, 500000000},
               {"mtime=-0.5", -1, 500000000},
               {"mtime=-0", 0, 0},
               {"mtime=1.1234567899", 1, 123456789},
               {"mtime=-1.0000000001", -2, 999999999},
               {"mtime=-1.9999999999", -2, 0}};
  struct tarn_pax p;
  size_t i;
  char *buf;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(parse_record(&p, &buf, cases[i].text), 0);
    assert_int_equal(p.mtime.sec, cases[i].sec);
    assert_int_equal(p.mtime.nsec, cases[i].nsec);
    drop(&p, buf);
  }
}

static void negative_ids_are_kept_out_of_reach(void **s)
{
  struct tarn_pax p;
  char *buf;

  (void)s;
  assert_int_equal(parse(&p, &buf, "9 uid=-2\n18 gid=4294967296\n"), 0);
  assert_true(p.uid == UINT64_MAX - 1);
  assert_true(p.gid == UINT64_C(1) << 32);
  drop(&p, buf);
}

static void access_control_lists_are_text(void **s)
{
  struct tarn_pax p;
  char *buf;

  (void)s;
  assert_int_equal(parse(&p, &buf,
                         "31 SCHILY.acl.access=user::rwx\n"
                         "32 SCHILY.acl.default=user::r-x\n"
                         "26 SCHILY.acl.ace=ignored\n"),
                   0);
  assert_int_equal(p.has, TARN_PAX_ACL_ACCESS | TARN_PAX_ACL_DEFAULT);
  assert_string_equal(p.acl_access.ptr, "user::rwx");
  assert_string_equal(p.acl_default.ptr, "user::r-x");
  drop(&p, buf);
}

static void sparse_keywords_come_in_any_order(void **s)
{
  struct tarn_pax p;
  char *buf;

  (void)s;
  assert_int_equal(parse(&p, &buf,
                         "22 GNU.sparse.minor=0\n26 GNU.sparse.realsize=77\n"
                         "22 GNU.sparse.major=1\n21 GNU.sparse.name=f\n"),
                   0);
  assert_int_equal(p.has, TARN_PAX_SPARSE_NAME | TARN_PAX_SPARSE_MAJOR |
                              TARN_PAX_SPARSE_MINOR | TARN_PAX_SPARSE_REAL);
  assert_int_equal(p.sparse_major, 1);
  assert_int_equal(p.sparse_minor, 0);
  assert_int_equal(p.sparse_real, 77);
  assert_string_equal(p.sparse_name.ptr, "f");
  drop(&p, buf);
}

static void offsets_and_lengths_of_a_sparse_map_are_a_list(void **s)
{
  struct tarn_pax p;
  char *buf;

  (void)s;
  assert_int_equal(parse(&p, &buf,
                         "23 GNU.sparse.offset=0\n26 GNU.sparse.numbytes=12\n"
                         "26 GNU.sparse.offset=4096\n"
                         "25 GNU.sparse.numbytes=1\n"),
                   0);
  assert_int_equal(p.has, TARN_PAX_SPARSE_LIST);
  assert_int_equal(p.n_pairs, 2);
  assert_int_equal(p.pairs[0].len, 12);
  assert_int_equal(p.pairs[1].at, 4096);
  assert_int_equal(p.pairs[1].len, 1);
  assert_false(p.half_pair || p.bad_pairs);
  tarn_pax_clear(&p);
  assert_int_equal(p.n_pairs, 0);
  drop(&p, buf);
}

static void offsets_and_lengths_must_alternate(void **s)
{
  static const char *const texts[] = {
      "25 GNU.sparse.numbytes=1\n",
      "23 GNU.sparse.offset=0\n23 GNU.sparse.offset=8\n",
      ("23 GNU.sparse.offset=0\n25 GNU.sparse.numbytes=1\n"
       "25 GNU.sparse.numbytes=1\n"),
  };
  struct tarn_pax p;
  char *buf;
  size_t i;

  (void)s;
  for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    assert_int_equal(parse(&p, &buf, texts[i]), 0);
    assert_true(p.bad_pairs);
    drop(&p, buf);
  }
  assert_int_equal(parse(&p, &buf, "23 GNU.sparse.offset=0\n"), 0);
  assert_true(p.half_pair);
  drop(&p, buf);
}

static void a_list_of_offsets_may_be_long(void **s)
{
  enum { N = 1000 };
  char *text = malloc(N * 64), *buf;
  struct tarn_pax p;
  size_t len = 0;
  int i;

  (void)s;
  assert_non_null(text);
  for (i = 0; i < N; i++)
    len += (size_t)snprintf(text + len, 64,
                            "30 GNU.sparse.offset=%08d\n"
                            "25 GNU.sparse.numbytes=1\n",
                            i * 1024);
  assert_int_equal(parse_bytes(&p, &buf, text, len, NULL), 0);
  assert_int_equal(p.n_pairs, N);
  assert_int_equal(p.pairs[N - 1].at, (N - 1) * 1024);
  drop(&p, buf);
  free(text);
}

static void a_real_size_beyond_what_a_file_can_be_is_damage(void **s)
{
  static const char *const keys[] = {"GNU.sparse.size", "GNU.sparse.realsize",
                                     "SCHILY.realsize"};
  char text[80], value[24];
  struct tarn_pax p;
  char *buf;
  size_t i;
  int ok;

  (void)s;
  for (i = 0; i < 3; i++)
    for (ok = 0; ok < 2; ok++) {
      (void)snprintf(value, sizeof value, "%llu",
                     (unsigned long long)TARN_TAR_MAX_SIZE + (ok ? 0 : 1));
      (void)snprintf(text, sizeof text, "%zu %s=%s\n",
                     strlen(keys[i]) + strlen(value) + 5, keys[i], value);
      assert_int_equal(parse(&p, &buf, text), ok ? 0 : TARN_EDATA);
      drop(&p, buf);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keywords_come_in_any_order),
      cmocka_unit_test(the_last_record_of_a_keyword_counts),
      cmocka_unit_test(a_value_may_hold_newlines_equals_and_nuls),
      cmocka_unit_test(what_is_no_record_is_damage_with_its_offset),
      cmocka_unit_test(nuls_behind_the_last_record_are_padding),
      cmocka_unit_test(a_wrong_number_is_damage),
      cmocka_unit_test(times_round_down_to_nanoseconds),
      cmocka_unit_test(negative_ids_are_kept_out_of_reach),
      cmocka_unit_test(access_control_lists_are_text),
      cmocka_unit_test(sparse_keywords_come_in_any_order),
      cmocka_unit_test(offsets_and_lengths_of_a_sparse_map_are_a_list),
      cmocka_unit_test(offsets_and_lengths_must_alternate),
      cmocka_unit_test(a_list_of_offsets_may_be_long),
      cmocka_unit_test(a_real_size_beyond_what_a_file_can_be_is_damage),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
