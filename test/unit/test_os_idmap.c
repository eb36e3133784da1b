#include "os/idmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void ids_of_a_range_move_together(void **state)
{
  struct tarn_id_map map;
  uint64_t to;

  (void)state;
  assert_int_equal(
      tarn_id_map_parse(&map, "0:100000:65536,70000:5:1", "uid_map", NULL), 0);
  assert_true(tarn_id_map_find(&map, 0, &to));
  assert_int_equal(to, 100000);
  assert_true(tarn_id_map_find(&map, 65535, &to));
  assert_int_equal(to, 165535);
  assert_true(tarn_id_map_find(&map, 70000, &to));
  assert_int_equal(to, 5);
  tarn_id_map_close(&map);
}

static void an_id_in_no_range_has_no_value(void **state)
{
  static const uint64_t ids[] = {
      0, 9, 20, UINT32_MAX, UINT64_MAX, (uint64_t)10 + UINT32_MAX + 1};
  struct tarn_id_map map;
  uint64_t to = 77;
  size_t i;

  (void)state;
  assert_int_equal(tarn_id_map_parse(&map, "10:0:10", "uid_map", NULL), 0);
  for (i = 0; i < sizeof ids / sizeof ids[0]; i++)
    assert_false(tarn_id_map_find(&map, ids[i], &to));
  assert_int_equal(to, 77);
  tarn_id_map_close(&map);
}

static void without_a_map_ids_stay(void **state)
{
  struct tarn_id_map map;
  uint64_t to;

  (void)state;
  assert_int_equal(tarn_id_map_parse(&map, NULL, "uid_map", NULL), 0);
  assert_true(tarn_id_map_find(&map, UINT64_MAX, &to));
  assert_true(to == UINT64_MAX);
  tarn_id_map_close(&map);
}

static void the_largest_ids_can_be_mapped_and_none_wraps(void **state)
{
  struct tarn_id_map map;
  uint64_t to;

  (void)state;
  assert_int_equal(tarn_id_map_parse(&map, "0:0:4294967295", "uid_map", NULL),
                   0);
  assert_true(tarn_id_map_find(&map, 4294967294u, &to));
  assert_int_equal(to, 4294967294u);
  assert_false(tarn_id_map_find(&map, 4294967295u, &to));
  tarn_id_map_close(&map);
}

static void what_is_no_map_is_refused_and_named(void **state)
{
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"", "FROM:TO:COUNT"},
      {"1", "FROM:TO:COUNT"},
      {"1:2", "FROM:TO:COUNT"},
      {"1:2:3:4", "FROM:TO:COUNT"},
      {"1:2:3,", "FROM:TO:COUNT"},
      {",1:2:3", "FROM:TO:COUNT"},
      {"-1:2:3", "FROM:TO:COUNT"},
      {"+1:2:3", "FROM:TO:COUNT"},
      {" 1:2:3", "FROM:TO:COUNT"},
      {"1:2:3 ", "FROM:TO:COUNT"},
      {"1:2:0x3", "FROM:TO:COUNT"},
      {"a:b:c", "FROM:TO:COUNT"},
      {"1::3", "FROM:TO:COUNT"},
      {"1:2:0", "no ids"},
      {"99999999999999999999:0:1", "FROM:TO:COUNT"},
      {"4294967295:0:1", "last id"},
      {"0:4294967295:1", "last id"},
      {"1:0:4294967295", "last id"},
      {"0:0:2,1:5:1", "overlap"},
      {"5:0:1,0:100:10", "overlap"},
  };
  size_t i;

  (void)state;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct tarn_id_map map;
    struct tarn_err err = {0};

    assert_int_equal(tarn_id_map_parse(&map, cases[i].text, "gid_map", &err),
                     TARN_EINVAL);
    if (!strstr(err.text, cases[i].why) || strncmp(err.text, "gid_map", 7) != 0)
      fail_msg("%s: %s", cases[i].text, err.text);
    assert_null(map.ranges);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ids_of_a_range_move_together),
      cmocka_unit_test(an_id_in_no_range_has_no_value),
      cmocka_unit_test(without_a_map_ids_stay),
      cmocka_unit_test(the_largest_ids_can_be_mapped_and_none_wraps),
      cmocka_unit_test(what_is_no_map_is_refused_and_named),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
