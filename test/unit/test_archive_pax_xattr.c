#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/pax.h"

/* KEY=VALUE of a record; len 0 means the text's own. */
struct given {
  const char *text;
  size_t len;
};

static int parse(struct tarn_pax *p, char **buf, const struct given *records,
                 size_t n)
{
  size_t len = 0, i, given, whole;

  *buf = malloc(64 * 1024);
  assert_non_null(*buf);
  for (i = 0; i < n; i++) {
    given = records[i].len ? records[i].len : strlen(records[i].text);
    whole = given + 3;
    whole += whole + 1 > 99 ? 2 : whole + 1 > 9;
    len += (size_t)snprintf(*buf + len, 32, "%zu ", whole);
    memcpy(*buf + len, records[i].text, given);
    len += given;
    (*buf)[len++] = '\n';
  }
  tarn_pax_init(p);
  return tarn_pax_parse(p, *buf, len, 0, NULL);
}

static void drop(struct tarn_pax *p, char *buf)
{
  tarn_pax_close(p);
  free(buf);
}

static void expect_one(const struct given *records, size_t n, const char *name,
                       const char *value, size_t len)
{
  struct tarn_pax p;
  char *buf;

  assert_int_equal(parse(&p, &buf, records, n), 0);
  assert_int_equal(p.n_xattrs, 1);
  assert_string_equal(p.xattrs[0].name, name);
  assert_int_equal(p.xattrs[0].len, len);
  assert_memory_equal(p.xattrs[0].value, value, len);
  drop(&p, buf);
}

static void attributes_are_bytes_and_the_last_of_a_name_counts(void **s)
{
  static const struct given records[] = {
      {"SCHILY.xattr.user.a=1", 0}, {"SCHILY.xattr.user.b=\0\n", 22},
      {"SCHILY.xattr.user.a=2", 0}, {"SCHILY.xattr.user.c=", 0},
      {"SCHILY.xattr.=x", 0},
  };
  struct tarn_pax p;
  char *buf;

  (void)s;
  assert_int_equal(parse(&p, &buf, records, 5), 0);
  assert_int_equal(p.n_xattrs, 3);
  assert_string_equal(p.xattrs[0].name, "user.a");
  assert_int_equal(p.xattrs[0].len, 1);
  assert_memory_equal(p.xattrs[0].value, "2", 1);
  assert_int_equal(p.xattrs[1].len, 2);
  assert_memory_equal(p.xattrs[1].value, "\0\n", 2);
  assert_int_equal(p.xattrs[2].len, 0);
  tarn_pax_clear(&p);
  assert_int_equal(p.n_xattrs, 0);
  drop(&p, buf);
}

static void attribute_names_are_decoded_as_gnu_tar_codes_them(void **s)
{
  static const struct given record = {"SCHILY.xattr.user.a%3Db%25c%2=x%", 0};

  (void)s;
  expect_one(&record, 1, "user.a=b%c%2", "x%", 2);
}

static void libarchive_attributes_are_decoded(void **s)
{
  static const struct {
    struct given record;
    const char *name, *value;
    size_t len;
  } cases[] = {
      {{"LIBARCHIVE.xattr.user.d=eA==", 0}, "user.d", "x", 1},
      {{"LIBARCHIVE.xattr.user.d=eA", 0}, "user.d", "x", 1},
      {{"LIBARCHIVE.xattr.user.%c3%A4%3d%20=AAH/+w==", 0},
       "user.\303\244= ",
       "\0\1\377\373",
       4},
      {{"LIBARCHIVE.xattr.user.d=aGVsbG8h", 0}, "user.d", "hello!", 6},
      {{"LIBARCHIVE.xattr.user.%zz=eHk=", 0}, "user.%zz", "xy", 2},
      {{"LIBARCHIVE.xattr.user.e=", 0}, "user.e", "", 0},
  };
  size_t i;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
    expect_one(&cases[i].record, 1, cases[i].name, cases[i].value,
               cases[i].len);
}

static void wrong_base64_and_names_with_a_nul_are_damage(void **s)
{
  static const struct given records[] = {
      {"LIBARCHIVE.xattr.user.d=e", 0},
      {"LIBARCHIVE.xattr.user.d=eA=", 0},
      {"LIBARCHIVE.xattr.user.d=eA===", 0},
      {"LIBARCHIVE.xattr.user.d=e=A=", 0},
      {"LIBARCHIVE.xattr.user.d=e\0Ax", 28},
      {"LIBARCHIVE.xattr.user.d=e-_x", 0},
      {"LIBARCHIVE.xattr.user.a%00b=eA==", 0},
  };
  struct tarn_pax p;
  char *buf;
  size_t i;

  (void)s;
  for (i = 0; i < sizeof records / sizeof records[0]; i++) {
    assert_int_equal(parse(&p, &buf, &records[i], 1), TARN_EDATA);
    drop(&p, buf);
  }
}

static void a_schily_attribute_wins_over_others_in_any_order(void **s)
{
  static const struct given orders[][2] = {
      {{"LIBARCHIVE.xattr.user.a=eA==", 0}, {"SCHILY.xattr.user.a=y", 0}},
      {{"SCHILY.xattr.user.a=y", 0}, {"LIBARCHIVE.xattr.user.a=eA==", 0}},
  };
  static const struct given labels[][2] = {
      {{"RHT.security.selinux=x", 0}, {"SCHILY.xattr.security.selinux=y", 0}},
      {{"SCHILY.xattr.security.selinux=y", 0}, {"RHT.security.selinux=x", 0}},
  };
  int i;

  (void)s;
  for (i = 0; i < 2; i++) {
    expect_one(orders[i], 2, "user.a", "y", 1);
    expect_one(labels[i], 2, "security.selinux", "y", 1);
  }
}

static void a_selinux_label_is_an_attribute(void **s)
{
  static const struct given record = {
      "RHT.security.selinux=system_u:object_r:bin_t:s0", 0};

  (void)s;
  expect_one(&record, 1, "security.selinux", "system_u:object_r:bin_t:s0", 26);
}

static void too_many_attributes_are_refused(void **s)
{
  struct tarn_pax p;
  struct tarn_err err;
  char *text = malloc(64 * 2048);
  size_t len = 0;
  int i;

  (void)s;
  assert_non_null(text);
  for (i = 0; i <= TARN_PAX_MAX_XATTRS; i++)
    len += (size_t)snprintf(text + len, 64, "27 SCHILY.xattr.user.%04d=\n", i);
  assert_int_equal(len, 27u * (TARN_PAX_MAX_XATTRS + 1));
  tarn_pax_init(&p);
  assert_int_equal(tarn_pax_parse(&p, text, len, 0, &err), TARN_ELIMIT);
  drop(&p, text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attributes_are_bytes_and_the_last_of_a_name_counts),
      cmocka_unit_test(attribute_names_are_decoded_as_gnu_tar_codes_them),
      cmocka_unit_test(libarchive_attributes_are_decoded),
      cmocka_unit_test(wrong_base64_and_names_with_a_nul_are_damage),
      cmocka_unit_test(a_schily_attribute_wins_over_others_in_any_order),
      cmocka_unit_test(a_selinux_label_is_an_attribute),
      cmocka_unit_test(too_many_attributes_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
