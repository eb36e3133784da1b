#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "archive/sparse.h"
#include "base/err.h"

struct entry {
  uint64_t at, len;
};

/* Adds them all; the code of the first that is refused. */
static int add_all(struct tarn_sparse *s, const struct entry *entries, size_t n)
{
  const char *why = NULL;
  size_t i;
  int rc = 0;

  tarn_sparse_init(s);
  for (i = 0; i < n && rc == 0; i++) {
    rc = tarn_sparse_add(s, entries[i].at, entries[i].len, &why);
    assert_int_equal(why != NULL, rc < 0);
  }
  return rc;
}

static void pieces_are_taken_in_any_cuts(void **s)
{
  static const struct entry entries[] = {{0, 3}, {3, 0}, {10, 2}, {20, 4}};
  static const uint64_t places[] = {0, 1, 2, 10, 11, 20, 21, 22, 23};
  struct tarn_sparse map;
  const char *why = NULL;
  size_t cut, n, i, k;
  uint64_t at;

  (void)s;
  assert_int_equal(add_all(&map, entries, 4), 0);
  for (cut = 1; cut <= 10; cut++) {
    assert_int_equal(tarn_sparse_seal(&map, 24, 9, TARN_SPARSE_PACKED, &why),
                     0);
    for (i = 0; (n = tarn_sparse_take(&map, cut, &at)) > 0; i += n) {
      assert_true(n <= cut && i + n <= 9);
      for (k = 0; k < n; k++)
        assert_int_equal(at + k, places[i + k]);
    }
    assert_int_equal(i, 9);
  }
  assert_int_equal(tarn_sparse_take(&map, 0, &at), 0);
  tarn_sparse_close(&map);
}

static void entries_that_go_backward_or_overlap_are_refused(void **s)
{
  static const struct entry backward[] = {{100, 10}, {50, 10}};
  static const struct entry overlap[] = {{100, 10}, {109, 10}};
  static const struct entry empty[] = {{100, 10}, {109, 0}};
  static const struct entry touching[] = {{100, 10}, {110, 10}, {120, 0}};
  static const struct entry later[] = {{100, 10}, {50, 10}, {200, 10}};
  static const struct {
    const struct entry *entries;
    size_t n;
    uint64_t sum;
    int rc;
  } cases[] = {{backward, 2, 20, TARN_EDATA},
               {overlap, 2, 20, TARN_EDATA},
               {empty, 2, 10, TARN_EDATA},
               {later, 3, 30, TARN_EDATA},
               {touching, 3, 20, 0}};
  struct tarn_sparse map;
  const char *why = NULL;
  size_t i;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(add_all(&map, cases[i].entries, cases[i].n), 0);
    assert_int_equal(map.sum, cases[i].sum);
    assert_int_equal(
        tarn_sparse_seal(&map, 300, map.sum, TARN_SPARSE_PACKED, &why),
        cases[i].rc);
    tarn_sparse_close(&map);
  }
}

static void entries_beyond_what_a_file_can_hold_are_refused(void **s)
{
  static const struct entry cases[] = {{UINT64_MAX, 0},
                                       {UINT64_MAX, 2},
                                       {INT64_MAX, 1},
                                       {1, INT64_MAX},
                                       {1, UINT64_MAX}};
  struct tarn_sparse map;
  size_t i;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(add_all(&map, &cases[i], 1), TARN_EDATA);
    tarn_sparse_close(&map);
  }
}

static void a_claim_beyond_all_numbers_stays_one(void **s)
{
  static const struct entry entries[] = {
      {0, INT64_MAX}, {0, INT64_MAX}, {0, INT64_MAX}};
  struct tarn_sparse map;
  const char *why = NULL;

  (void)s;
  assert_int_equal(add_all(&map, entries, 3), 0);
  assert_true(map.sum == UINT64_MAX);
  assert_int_equal(
      tarn_sparse_seal(&map, INT64_MAX, 1000, TARN_SPARSE_PACKED, &why),
      TARN_EDATA);
  assert_string_equal(why, "its sparse map holds more than is stored");
  tarn_sparse_close(&map);
}

static void a_map_must_end_in_the_file_and_add_up(void **s)
{
  static const struct entry entries[] = {{0, 512}, {1024, 100}};
  struct tarn_sparse map;
  const char *why = NULL;

  (void)s;
  assert_int_equal(add_all(&map, entries, 2), 0);
  assert_int_equal(tarn_sparse_seal(&map, 1124, 612, TARN_SPARSE_BLOCKS, &why),
                   0);
  assert_int_equal(tarn_sparse_seal(&map, 9999, 612, TARN_SPARSE_BLOCKS, &why),
                   0);
  assert_int_equal(tarn_sparse_seal(&map, 1123, 612, TARN_SPARSE_BLOCKS, &why),
                   TARN_EDATA);
  assert_string_equal(why, "its sparse map ends beyond its size");
  assert_int_equal(tarn_sparse_seal(&map, 1124, 611, TARN_SPARSE_BLOCKS, &why),
                   TARN_EDATA);
  assert_int_equal(tarn_sparse_seal(&map, 1124, 613, TARN_SPARSE_PACKED, &why),
                   TARN_EDATA);
  assert_int_equal(tarn_sparse_seal(&map, 1124, 1124, TARN_SPARSE_WHOLE, &why),
                   0);
  assert_int_equal(tarn_sparse_seal(&map, 1124, 612, TARN_SPARSE_WHOLE, &why),
                   TARN_EDATA);
  tarn_sparse_close(&map);
}

static void only_the_last_piece_may_cut_a_block_unless_packed(void **s)
{
  static const struct entry entries[] = {{0, 100}, {1024, 512}, {2048, 0}};
  struct tarn_sparse map;
  const char *why = NULL;

  (void)s;
  assert_int_equal(add_all(&map, entries, 3), 0);
  assert_int_equal(tarn_sparse_seal(&map, 2048, 612, TARN_SPARSE_PACKED, &why),
                   0);
  assert_int_equal(tarn_sparse_seal(&map, 2048, 612, TARN_SPARSE_BLOCKS, &why),
                   TARN_EDATA);
  assert_string_equal(why, "its sparse map cuts blocks");
  tarn_sparse_clear(&map);
  assert_int_equal(tarn_sparse_add(&map, 0, 100, &why), 0);
  assert_int_equal(tarn_sparse_add(&map, 100, 0, &why), 0);
  assert_int_equal(tarn_sparse_seal(&map, 2048, 100, TARN_SPARSE_BLOCKS, &why),
                   0);
  tarn_sparse_close(&map);
}

static void the_number_of_entries_is_limited_empty_ones_too(void **s)
{
  struct tarn_sparse map;
  const char *why = NULL;
  int rc = 0;
  size_t i;

  (void)s;
  tarn_sparse_init(&map);
  for (i = 0; i < TARN_SPARSE_MAX_ENTRIES && rc == 0; i++)
    rc = tarn_sparse_add(&map, i, i % 2, &why);
  assert_int_equal(rc, 0);
  assert_int_equal(tarn_sparse_add(&map, i, 0, &why), TARN_ELIMIT);
  assert_int_equal(map.n, TARN_SPARSE_MAX_ENTRIES / 2);
  tarn_sparse_close(&map);
}

static void stored_holes_are_told_from_pieces(void **s)
{
  static const struct entry entries[] = {{2, 2}, {6, 1}};
  static const char expect[] = "hhpphhphhh";
  struct tarn_sparse map;
  const char *why = NULL;
  uint64_t at, end;
  bool is_hole;

  (void)s;
  assert_int_equal(add_all(&map, entries, 2), 0);
  assert_int_equal(tarn_sparse_seal(&map, 10, 10, TARN_SPARSE_WHOLE, &why), 0);
  for (at = 0; at < 10; at++) {
    tarn_sparse_look(&map, at, &is_hole, &end);
    assert_int_equal(is_hole, expect[at] == 'h');
    assert_true(end > at);
    assert_true(at < 7 ? end <= 7 && expect[end] != expect[at]
                       : end == UINT64_MAX);
  }
  tarn_sparse_close(&map);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_are_taken_in_any_cuts),
      cmocka_unit_test(entries_that_go_backward_or_overlap_are_refused),
      cmocka_unit_test(entries_beyond_what_a_file_can_hold_are_refused),
      cmocka_unit_test(a_claim_beyond_all_numbers_stays_one),
      cmocka_unit_test(a_map_must_end_in_the_file_and_add_up),
      cmocka_unit_test(only_the_last_piece_may_cut_a_block_unless_packed),
      cmocka_unit_test(the_number_of_entries_is_limited_empty_ones_too),
      cmocka_unit_test(stored_holes_are_told_from_pieces),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
