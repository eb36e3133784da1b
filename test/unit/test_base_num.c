#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/num.h"

static void a_sum_that_fits_is_given_and_no_other(void **s)
{
  uint64_t out = 7;

  (void)s;
  assert_true(tarn_add_u64(UINT64_MAX - 1, 1, &out));
  assert_true(out == UINT64_MAX);
  assert_true(tarn_add_u64(0, 0, &out));
  assert_true(out == 0);
  assert_false(tarn_add_u64(UINT64_MAX, 1, &out));
  assert_false(tarn_add_u64(UINT64_C(1) << 63, UINT64_C(1) << 63, &out));
}

static void a_product_that_fits_is_given_and_no_other(void **s)
{
  size_t out;

  (void)s;
  assert_true(tarn_mul_size(6, 7, &out));
  assert_int_equal(out, 42);
  assert_true(tarn_mul_size(SIZE_MAX, 1, &out));
  assert_true(out == SIZE_MAX);
  assert_true(tarn_mul_size(SIZE_MAX, 0, &out));
  assert_int_equal(out, 0);
  assert_false(tarn_mul_size(SIZE_MAX / 2 + 1, 2, &out));
}

static void the_smaller_and_the_larger_are_told_apart(void **s)
{
  (void)s;
  assert_int_equal(tarn_min_size(2, 3), 2);
  assert_int_equal(tarn_min_size(3, 2), 2);
  assert_true(tarn_min_u64(UINT64_MAX, 5) == 5);
  assert_true(tarn_max_u64(UINT64_MAX, 5) == UINT64_MAX);
  assert_true(tarn_max_u64(5, 5) == 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sum_that_fits_is_given_and_no_other),
      cmocka_unit_test(a_product_that_fits_is_given_and_no_other),
      cmocka_unit_test(the_smaller_and_the_larger_are_told_apart),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
