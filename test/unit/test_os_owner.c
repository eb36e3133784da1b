#include "os/owner.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void a_known_name_comes_before_the_number(void **state)
{
  struct tarn_owner_cache *c = tarn_owner_cache_new(false);
  uid_t uid = 1;
  gid_t gid = 1;

  (void)state;
  assert_non_null(c);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(tarn_owner_uid(c, "root", 1234, &uid), 0);
    assert_int_equal(uid, 0);
    assert_int_equal(tarn_owner_gid(c, "root", 1234, &gid), 0);
    assert_int_equal(gid, 0);
  }
  tarn_owner_cache_free(c);
}

static void numbers_alone_are_taken_when_asked(void **state)
{
  struct tarn_owner_cache *c = tarn_owner_cache_new(true);
  uid_t uid = 1;

  (void)state;
  assert_non_null(c);
  assert_int_equal(tarn_owner_uid(c, "root", 1234, &uid), 0);
  assert_int_equal(uid, 1234);
  tarn_owner_cache_free(c);
}

static void an_unknown_name_falls_back_to_the_number(void **state)
{
  struct tarn_owner_cache *c = tarn_owner_cache_new(false);
  char name[600];
  uid_t uid = 1;
  gid_t gid = 1;

  (void)state;
  assert_non_null(c);
  for (unsigned i = 0; i < 200; i++) {
    (void)snprintf(name, sizeof name, "no-such-name-%u", i % 90);
    assert_int_equal(tarn_owner_uid(c, name, 7000 + i, &uid), 0);
    assert_int_equal(uid, 7000 + i);
    assert_int_equal(tarn_owner_gid(c, name, 8000 + i, &gid), 0);
    assert_int_equal(gid, 8000 + i);
  }
  assert_int_equal(tarn_owner_uid(c, "", 5, &uid), 0);
  assert_int_equal(uid, 5);
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  assert_int_equal(tarn_owner_uid(c, name, 6, &uid), 0);
  assert_int_equal(uid, 6);
  assert_int_equal(tarn_owner_uid(c, "root", 6, &uid), 0);
  assert_int_equal(uid, 0);
  tarn_owner_cache_free(c);
}

static void an_id_that_does_not_fit_is_refused_and_never_wraps(void **state)
{
  struct tarn_owner_cache *c = tarn_owner_cache_new(false);
  uid_t uid = 77;
  gid_t gid = 77;

  (void)state;
  assert_non_null(c);
  assert_int_equal(tarn_owner_uid(c, "", UINT32_MAX, &uid), -EOVERFLOW);
  assert_int_equal(tarn_owner_uid(c, "", (uint64_t)1 << 32, &uid), -EOVERFLOW);
  assert_int_equal(tarn_owner_gid(c, "no-such-name", UINT64_MAX, &gid),
                   -EOVERFLOW);
  assert_int_equal(uid, 77);
  assert_int_equal(gid, 77);
  assert_int_equal(tarn_owner_uid(c, "", UINT32_MAX - 1, &uid), 0);
  assert_int_equal(uid, UINT32_MAX - 1);
  tarn_owner_cache_free(c);
  tarn_owner_cache_free(NULL);
}

static void check_forced(const char *text, uid_t uid, gid_t gid)
{
  struct tarn_owner_cache *c = tarn_owner_cache_new(false);
  uid_t user;
  gid_t group;

  assert_non_null(c);
  assert_int_equal(tarn_owner_check(text, NULL), 0);
  assert_int_equal(tarn_owner_force(c, text, NULL), 0);
  assert_int_equal(tarn_owner_uid(c, "", 5, &user), 0);
  assert_int_equal(tarn_owner_gid(c, "", 6, &group), 0);
  assert_int_equal(user, uid);
  assert_int_equal(group, gid);
  tarn_owner_cache_free(c);
}

static void one_owner_for_all_is_given_by_name_or_number(void **state)
{
  (void)state;
  check_forced("root", 0, 6);
  check_forced("root:root", 0, 0);
  check_forced(":root", 5, 0);
  check_forced("1234", 1234, 6);
  check_forced("1234:4321", 1234, 4321);
  check_forced("+0:+4294967294", 0, 4294967294u);
  check_forced(":77", 5, 77);
  check_forced("root:", 0, 0); /* the group it logs in with */
  check_forced("0:", 0, 0);
}

static void an_id_too_large_for_the_archive_can_be_overruled(void **state)
{
  struct tarn_owner_cache *c = tarn_owner_cache_new(false);
  uid_t uid;
  gid_t gid;

  (void)state;
  assert_non_null(c);
  assert_int_equal(tarn_owner_force(c, "1:2", NULL), 0);
  assert_int_equal(tarn_owner_uid(c, "root", UINT64_MAX, &uid), 0);
  assert_int_equal(tarn_owner_gid(c, "root", UINT64_MAX, &gid), 0);
  assert_int_equal(uid, 1);
  assert_int_equal(gid, 2);
  tarn_owner_cache_free(c);
}

static void what_is_no_owner_is_refused(void **state)
{
  static const char *const forms[] = {"", ":", "a:b:c", ":a:b", "::"};
  static const char *const unknown[] = {"no-such-user-here",
                                        ":no-such-group-here",
                                        "root:no-such-group-here",
                                        "root.root",
                                        "4294967295",
                                        "99999999999",
                                        "-1",
                                        "+",
                                        "+root",
                                        "0x10",
                                        "4294967290:"};
  struct tarn_owner_cache *c = tarn_owner_cache_new(false);
  struct tarn_err err;
  uid_t uid;

  (void)state;
  assert_non_null(c);
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    assert_int_equal(tarn_owner_check(forms[i], &err), TARN_EINVAL);
    assert_int_equal(tarn_owner_force(c, forms[i], &err), TARN_EINVAL);
  }
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
    assert_int_equal(tarn_owner_check(unknown[i], &err), 0);
    assert_int_equal(tarn_owner_force(c, unknown[i], &err), TARN_EINVAL);
    assert_int_equal(strncmp(err.text, "chown: ", 7), 0);
  }
  assert_int_equal(tarn_owner_uid(c, "", 5, &uid), 0);
  assert_int_equal(uid, 5);
  tarn_owner_cache_free(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_known_name_comes_before_the_number),
      cmocka_unit_test(numbers_alone_are_taken_when_asked),
      cmocka_unit_test(an_unknown_name_falls_back_to_the_number),
      cmocka_unit_test(an_id_that_does_not_fit_is_refused_and_never_wraps),
      cmocka_unit_test(one_owner_for_all_is_given_by_name_or_number),
      cmocka_unit_test(an_id_too_large_for_the_archive_can_be_overruled),
      cmocka_unit_test(what_is_no_owner_is_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
