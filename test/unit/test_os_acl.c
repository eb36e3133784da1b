#include "os/acl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAP = 64 * 1024 };

static struct tarn_owner_cache *owners;

static int set_up(void **s)
{
  (void)s;
  owners = tarn_owner_cache_new(false);
  return owners ? 0 : -1;
}

static int tear_down(void **s)
{
  (void)s;
  tarn_owner_cache_free(owners);
  return 0;
}

static uint32_t le(const uint8_t *at, size_t len)
{
  uint32_t value = 0;

  while (len-- > 0)
    value = value << 8 | at[len];
  return value;
}

/* The value as text: "tag:perm:id " in its order; an error as its number. */
static const char *value_of(const char *text)
{
  static char out[65536];
  size_t cap = tarn_acl_value_cap(text, strlen(text)), at = 0;
  uint8_t *value = malloc(cap); /* of this size, so that none is passed */
  struct tarn_acl_ids ids = {.owners = owners};
  int64_t len, i;

  assert_non_null(value);
  len = tarn_acl_from_text(&ids, text, strlen(text), value, cap);
  assert_true(len <= (int64_t)cap);
  if (len < 0) {
    (void)snprintf(out, sizeof out, "%s", strerror((int)-len));
  } else {
    assert_int_equal(len % 8, 4);
    assert_int_equal(le(value, 4), 2);
    out[0] = '\0';
    for (i = 4; i < len; i += 8) {
      long long id = (long long)le(value + i + 4, 4);

      at += (size_t)snprintf(out + at, sizeof out - at, "%x:%x:%lld ",
                             le(value + i, 2), le(value + i + 2, 2),
                             id == UINT32_MAX ? -1 : id);
    }
  }
  free(value);
  return out;
}

static void the_three_plain_entries_are_enough(void **s)
{
  (void)s;
  assert_string_equal(value_of("user::rwx,group::r-x,other::---"),
                      "1:7:-1 4:5:-1 20:0:-1 ");
}

static void entries_are_put_in_the_order_of_the_kernel(void **s)
{
  (void)s;
  assert_string_equal(
      value_of("other::r--,mask::rwx,group:9:r--,user:7:--x,user:3:-w-,"
               "group::r--,user::rw-"),
      "1:6:-1 2:2:3 2:1:7 4:4:-1 8:4:9 10:7:-1 20:4:-1 ");
}

static void lines_comments_blanks_and_short_tags_are_understood(void **s)
{
  (void)s;
  assert_string_equal(value_of("# file: x\nu::rwx\n u:7:rwx\t#effective:r-x\n"
                               "g::r-x\nm::r-x \no::r--\n\n"),
                      "1:7:-1 2:7:7 4:5:-1 10:5:-1 20:4:-1 ");
}

static void the_long_form_of_a_default_list_is_understood(void **s)
{
  (void)s;
  assert_string_equal(
      value_of("default:user::rwx,default:group::rx,d:other::r"),
      "1:7:-1 4:5:-1 20:4:-1 ");
}

static void mask_and_other_may_have_one_colon(void **s)
{
  (void)s;
  assert_string_equal(value_of("user::rwx,user:1:r,group::r,mask:rx,other:x"),
                      "1:7:-1 2:4:1 4:4:-1 10:5:-1 20:1:-1 ");
}

static void a_name_counts_before_the_number_beside_it(void **s)
{
  (void)s;
  assert_string_equal(
      value_of("user::rwx,user:root:r:77,user:nobody-has-this-name:w:78,"
               "group::r,mask::r,other::r"),
      "1:7:-1 2:4:0 2:2:78 4:4:-1 10:4:-1 20:4:-1 ");
}

static void names_are_numbers_when_owners_are_numeric(void **s)
{
  struct tarn_owner_cache *usual = owners;

  (void)s;
  owners = tarn_owner_cache_new(true);
  assert_string_equal(
      value_of("user::rwx,user:root:r:77,group::r,mask::r,other::r"),
      "1:7:-1 2:4:77 4:4:-1 10:4:-1 20:4:-1 ");
  tarn_owner_cache_free(owners);
  owners = usual;
}

static void a_name_that_nobody_has_and_no_number_is_refused(void **s)
{
  (void)s;
  assert_string_equal(
      value_of("user::rwx,user:nobody-has-this-name:r,group::r,mask::r,"
               "other::r"),
      strerror(EINVAL));
}

static void a_qualifier_of_digits_is_a_number_if_nothing_else_is_known(void **s)
{
  (void)s;
  assert_string_equal(
      value_of("user::rwx,user:77:r:78,group:79:x,group::r,mask::r,other::r"),
      "1:7:-1 2:4:78 4:4:-1 8:1:79 10:4:-1 20:4:-1 ");
}

static void with_numeric_owners_the_name_comes_last(void **s)
{
  struct tarn_owner_cache *usual = owners;

  (void)s;
  owners = tarn_owner_cache_new(true);
  assert_string_equal(value_of("user::rwx,user:root:r,user:5:x,group::r,"
                               "mask::r,other::r"),
                      "1:7:-1 2:4:0 2:1:5 4:4:-1 10:4:-1 20:4:-1 ");
  tarn_owner_cache_free(owners);
  owners = usual;
}

static void bytes_of_a_name_may_be_octal(void **s)
{
  (void)s;
  assert_string_equal(
      value_of("user::rwx,user:\\162oo\\164:r:9,group::r,mask::r,other::r"),
      "1:7:-1 2:4:0 4:4:-1 10:4:-1 20:4:-1 ");
  assert_string_equal(
      value_of("user::rwx,user:\\000:r:9,group::r,mask::r,other::r"),
      strerror(EINVAL));
}

static void a_forced_owner_is_nobody_in_a_list(void **s)
{
  struct tarn_owner_cache *usual = owners;

  (void)s;
  owners = tarn_owner_cache_new(false);
  assert_int_equal(tarn_owner_force(owners, "+33:+44", NULL), 0);
  assert_string_equal(
      value_of("user::rwx,user:root:r,group:7:r,group::r,mask::r,other::r"),
      "1:7:-1 2:4:0 4:4:-1 8:4:7 10:4:-1 20:4:-1 ");
  tarn_owner_cache_free(owners);
  owners = usual;
}

static void ids_go_through_the_maps_in_both_forms(void **s)
{
  static const char text[] = "u::rwx,u:5:r,g::r,g:6:x,m::r,o::r";
  struct tarn_acl_ids ids = {.owners = owners};
  struct tarn_id_map users, groups;
  uint8_t value[64], moved[64];
  int64_t len;

  (void)s;
  assert_int_equal(tarn_id_map_parse(&users, "5:1000:1", "u", NULL), 0);
  assert_int_equal(tarn_id_map_parse(&groups, "6:2000:1", "g", NULL), 0);
  len = tarn_acl_from_text(&ids, text, strlen(text), value, sizeof value);
  assert_int_equal(len, 4 + 6 * 8);
  ids.uid_map = &users;
  ids.gid_map = &groups;
  assert_int_equal(
      tarn_acl_from_text(&ids, text, strlen(text), moved, sizeof moved), len);
  assert_int_equal(le(moved + 4 + 8 + 4, 4), 1000);
  assert_int_equal(le(moved + 4 + 3 * 8 + 4, 4), 2000);
  assert_int_equal(tarn_acl_from_value(&ids, value, (size_t)len), len);
  assert_memory_equal(value, moved, (size_t)len);
  assert_int_equal(tarn_acl_from_value(&ids, value, (size_t)len), -EOVERFLOW);
  tarn_id_map_close(&users);
  tarn_id_map_close(&groups);
}

static void a_value_is_sorted_and_a_damaged_one_refused(void **s)
{
  static const uint8_t good[] = {2, 0, 0, 0, 0x20, 0,    4,    0,    1,    2,
                                 3, 4, 4, 0, 5,    0,    0xff, 0xff, 0xff, 0xff,
                                 1, 0, 7, 0, 0xff, 0xff, 0xff, 0xff};
  struct tarn_acl_ids ids = {.owners = owners};
  uint8_t value[sizeof good];
  size_t i;

  (void)s;
  memcpy(value, good, sizeof good);
  assert_int_equal(tarn_acl_from_value(&ids, value, sizeof value),
                   sizeof value);
  assert_int_equal(value[4], 1);
  assert_int_equal(value[12], 4);
  assert_int_equal(value[20], 0x20);
  assert_int_equal(le(value + 24, 4), UINT32_MAX);
  for (i = 0; i < sizeof good; i++) {
    memcpy(value, good, i);
    assert_int_equal(tarn_acl_from_value(&ids, value, i), -EINVAL);
  }
  for (i = 0; i < sizeof good; i++) {
    memcpy(value, good, sizeof good);
    value[i] ^= 0x88;
    /* The id of an entry for nobody in particular says nothing. */
    assert_int_equal(tarn_acl_from_value(&ids, value, sizeof value),
                     i >= 8 && i % 8 < 4 ? (int)sizeof good : -EINVAL);
  }
}

static void what_is_no_list_is_refused(void **s)
{
  static const char *const texts[] = {
      "",
      "user::rwx",
      "user::rwx,group::r-x",                              /* other */
      "user::rwx,user::r--,group::r,other::r",             /* twice */
      "user::rwx,user:1:r,group::r,other::r",              /* no mask */
      "user::rwx,user:1:r,user:1:w,group::r,mask::r,o::r", /* one id twice */
      "user::rwz,group::r,other::r",
      "user::rwx,group::r,other::",
      "user::rwx,group::r,other",
      "user:rwx,group::r,other::r",
      "user::rwx,group::r,other:1:r",
      "user::rwx,group::r,mask:1:r,other::r",
      "user::rwx,group::r,other::r,sugar::r",
      "user::rwx,group::r,other::r::::",
      "user::rwx,user:4294967295:r,group::r,mask::r,other::r",
      "user::rwx,user:99999999999999999999:r,group::r,mask::r,other::r",
      ":::,:::,:::",
      "user::rr,group::r,other::r",
      "user::r---,group::r,other::r",
      "user::r:5,group::r,other::r", /* a number for nobody */
      "user::r,group::r,other::r,user:5:r:,mask::r",
      "user::r,group::r,other::r,user:5:r:x,mask::r",
      "user:a\nb:r,user::r,group::r,other::r,mask::r",
  };
  size_t i;

  (void)s;
  for (i = 0; i < sizeof texts / sizeof *texts; i++)
    if (strcmp(value_of(texts[i]), strerror(EINVAL)) != 0)
      fail_msg("\"%s\" is taken as %s", texts[i], value_of(texts[i]));
}

static void a_list_of_too_many_entries_is_refused(void **s)
{
  char *text = malloc(CAP);
  size_t at, i;

  (void)s;
  assert_non_null(text);
  at = (size_t)snprintf(text, CAP, "u::r,g::r,o::r,m::r");
  for (i = 0; i < TARN_ACL_MAX_ENTRIES - 4; i++)
    at += (size_t)snprintf(text + at, CAP - at, ",u:%zu:r", i);
  assert_int_equal(strncmp(value_of(text), "1:4:-1 2:4:0 ", 13), 0);
  (void)snprintf(text + at, CAP - at, ",u:5000:r");
  assert_string_equal(value_of(text), strerror(E2BIG));
  free(text);
}

static void every_cut_of_a_list_is_judged_without_reading_past_it(void **s)
{
  static const char whole[] =
      "user::rwx,user:root:r-x:0,group::r-x,mask::rwx,other::r--";
  size_t n;

  (void)s;
  for (n = 0; n < sizeof whole; n++) {
    uint8_t out[256];
    struct tarn_acl_ids ids = {.owners = owners};
    char *part = malloc(n + 1);
    int64_t rc;

    assert_non_null(part);
    memcpy(part, whole, n);
    rc = tarn_acl_from_text(&ids, part, n, out, sizeof out);
    /* "r" and "r-" are whole entries too. */
    assert_int_equal(rc > 0, n > sizeof whole - 4);
    free(part);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_three_plain_entries_are_enough),
      cmocka_unit_test(entries_are_put_in_the_order_of_the_kernel),
      cmocka_unit_test(lines_comments_blanks_and_short_tags_are_understood),
      cmocka_unit_test(the_long_form_of_a_default_list_is_understood),
      cmocka_unit_test(mask_and_other_may_have_one_colon),
      cmocka_unit_test(a_name_counts_before_the_number_beside_it),
      cmocka_unit_test(names_are_numbers_when_owners_are_numeric),
      cmocka_unit_test(a_name_that_nobody_has_and_no_number_is_refused),
      cmocka_unit_test(
          a_qualifier_of_digits_is_a_number_if_nothing_else_is_known),
      cmocka_unit_test(with_numeric_owners_the_name_comes_last),
      cmocka_unit_test(bytes_of_a_name_may_be_octal),
      cmocka_unit_test(a_forced_owner_is_nobody_in_a_list),
      cmocka_unit_test(ids_go_through_the_maps_in_both_forms),
      cmocka_unit_test(a_value_is_sorted_and_a_damaged_one_refused),
      cmocka_unit_test(what_is_no_list_is_refused),
      cmocka_unit_test(a_list_of_too_many_entries_is_refused),
      cmocka_unit_test(every_cut_of_a_list_is_judged_without_reading_past_it),
  };

  return cmocka_run_group_tests(tests, set_up, tear_down);
}
