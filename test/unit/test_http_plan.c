#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http/plan.h"

enum { KIB = 1024, MIB = 1024 * 1024 };

/* Takes all spans; they must follow one another. Returns how many. */
static unsigned take_all(struct tarn_plan *plan, uint64_t *longest)
{
  uint64_t first, len, at = plan->next;
  unsigned n = 0;

  *longest = 0;
  while (tarn_plan_peek(plan) > 0) {
    uint64_t expected = tarn_plan_peek(plan);

    assert_true(tarn_plan_next(plan, &first, &len));
    assert_int_equal(first, at);
    assert_int_equal(len, expected);
    at += len;
    *longest = len > *longest ? len : *longest;
    n++;
  }
  assert_false(tarn_plan_next(plan, &first, &len));
  assert_int_equal(len, 0);
  assert_int_equal(at, plan->total);
  return n;
}

static void the_first_span_is_small_so_that_data_flows_at_once(void **s)
{
  struct tarn_plan plan;
  uint64_t first, len;

  (void)s;
  tarn_plan_init(&plan, 256 * KIB, 4 * MIB, 4);
  assert_true(tarn_plan_next(&plan, &first, &len));
  assert_int_equal(first, 0);
  assert_int_equal(len, 256 * KIB);
  assert_int_equal(tarn_plan_peek(&plan), 4 * MIB);
}

static void spans_cover_the_object_in_file_order_without_a_gap(void **s)
{
  static const uint64_t totals[] = {1,     2,       65535,   65536,
                                    65537, 5 * MIB, 7919999, 100 * MIB};
  struct tarn_plan plan;
  uint64_t first, len, longest;
  size_t i;

  (void)s;
  for (i = 0; i < sizeof totals / sizeof totals[0]; i++) {
    tarn_plan_init(&plan, 256 * KIB, 4 * MIB, 4);
    assert_true(tarn_plan_next(&plan, &first, &len));
    tarn_plan_total(&plan, totals[i]);
    if (plan.next < totals[i]) {
      (void)take_all(&plan, &longest);
      assert_true(longest <= 4 * MIB);
    } else {
      assert_false(tarn_plan_next(&plan, &first, &len));
    }
  }
}

static void a_small_object_is_shared_among_all_connections(void **s)
{
  struct tarn_plan plan;
  uint64_t first, len, longest;

  (void)s;
  tarn_plan_init(&plan, 256 * KIB, 16 * MIB, 4);
  assert_true(tarn_plan_next(&plan, &first, &len));
  tarn_plan_total(&plan, 256 * KIB + 4 * MIB);
  assert_int_equal(take_all(&plan, &longest), 4);
  assert_int_equal(longest, MIB);
}

static void a_share_is_never_below_what_a_request_is_worth(void **s)
{
  struct tarn_plan plan;
  uint64_t first, len, longest;

  (void)s;
  tarn_plan_init(&plan, 1, 16 * MIB, 256);
  assert_true(tarn_plan_next(&plan, &first, &len));
  tarn_plan_total(&plan, 1 + 256 * KIB);
  assert_int_equal(take_all(&plan, &longest), 4);
  assert_int_equal(longest, 64 * KIB);
}

static void a_span_length_below_that_is_kept(void **s)
{
  struct tarn_plan plan;
  uint64_t first, len, longest;

  (void)s;
  tarn_plan_init(&plan, 100, 100, 2);
  assert_true(tarn_plan_next(&plan, &first, &len));
  tarn_plan_total(&plan, 1001);
  assert_int_equal(take_all(&plan, &longest), 10);
  assert_int_equal(longest, 100);
}

static void zeros_are_taken_as_one(void **s)
{
  struct tarn_plan plan;
  uint64_t longest;

  (void)s;
  tarn_plan_init(&plan, 0, 0, 0);
  tarn_plan_total(&plan, 3);
  assert_int_equal(take_all(&plan, &longest), 3);
  assert_int_equal(longest, 1);
}

static void the_largest_object_there_can_be_does_not_overflow(void **s)
{
  struct tarn_plan plan;
  uint64_t first, len;

  (void)s;
  tarn_plan_init(&plan, MIB, UINT64_MAX, 3);
  assert_true(tarn_plan_next(&plan, &first, &len));
  tarn_plan_total(&plan, UINT64_MAX);
  while (tarn_plan_next(&plan, &first, &len))
    assert_true(len <= UINT64_MAX - first);
  assert_true(plan.next == UINT64_MAX);
}

static void an_object_shorter_than_what_was_asked_leaves_nothing(void **s)
{
  struct tarn_plan plan;
  uint64_t first, len;

  (void)s;
  tarn_plan_init(&plan, MIB, MIB, 4);
  assert_true(tarn_plan_next(&plan, &first, &len));
  tarn_plan_total(&plan, 17);
  assert_int_equal(tarn_plan_peek(&plan), 0);
  assert_false(tarn_plan_next(&plan, &first, &len));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_span_is_small_so_that_data_flows_at_once),
      cmocka_unit_test(spans_cover_the_object_in_file_order_without_a_gap),
      cmocka_unit_test(a_small_object_is_shared_among_all_connections),
      cmocka_unit_test(a_share_is_never_below_what_a_request_is_worth),
      cmocka_unit_test(a_span_length_below_that_is_kept),
      cmocka_unit_test(zeros_are_taken_as_one),
      cmocka_unit_test(the_largest_object_there_can_be_does_not_overflow),
      cmocka_unit_test(an_object_shorter_than_what_was_asked_leaves_nothing),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
