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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_known_name_comes_before_the_number),
      cmocka_unit_test(numbers_alone_are_taken_when_asked),
      cmocka_unit_test(an_unknown_name_falls_back_to_the_number),
      cmocka_unit_test(an_id_that_does_not_fit_is_refused_and_never_wraps),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
