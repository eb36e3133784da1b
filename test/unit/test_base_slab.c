#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slab.h"

static void a_slab_that_came_back_is_used_again_the_latest_first(void **s)
{
  struct tarn_slab_pool pool;
  struct tarn_slab *a, *b, *c;

  (void)s;
  tarn_slab_pool_init(&pool, 4096);
  a = tarn_slab_new(&pool, NULL);
  b = tarn_slab_new(&pool, NULL);
  assert_non_null(a);
  assert_non_null(b);
  assert_ptr_not_equal(a, b);
  memset(a->data, 1, 4096);
  assert_int_equal(pool.n_live, 2);
  tarn_slab_unref(a);
  tarn_slab_unref(b);
  assert_int_equal(pool.n_live, 0);
  c = tarn_slab_new(&pool, NULL);
  assert_ptr_equal(c, b);
  tarn_slab_unref(c);
  tarn_slab_unref(NULL);
  tarn_slab_pool_close(&pool);
}

static void the_last_reference_pays_the_budget_back(void **s)
{
  struct tarn_slab_pool pool;
  struct tarn_budget budget;
  struct tarn_slab *slab;

  (void)s;
  tarn_slab_pool_init(&pool, 4096);
  tarn_budget_init(&budget, 8192, NULL);
  assert_true(tarn_budget_reserve(&budget, 4096));
  slab = tarn_slab_new(&pool, &budget);
  tarn_slab_ref(slab);
  tarn_slab_unref(slab);
  assert_int_equal(budget.used, 4096);
  assert_int_equal(pool.n_live, 1);
  tarn_slab_unref(slab);
  assert_int_equal(budget.used, 0);
  tarn_slab_pool_close(&pool);
}

static void a_slice_keeps_its_slab(void **s)
{
  struct tarn_slab_pool pool;
  struct tarn_slab *slab;
  struct tarn_slice one, two;

  (void)s;
  tarn_slab_pool_init(&pool, 4096);
  slab = tarn_slab_new(&pool, NULL);
  assert_non_null(slab);
  one = tarn_slice_of(slab, 96, 4000);
  tarn_slab_unref(slab);
  assert_ptr_equal(one.ptr, slab->data + 96);
  assert_int_equal(one.len, 4000);
  two = tarn_slice_dup(&one);
  tarn_slice_drop(&one);
  assert_null(one.ptr);
  assert_int_equal(one.len, 0);
  assert_int_equal(pool.n_live, 1);
  tarn_slice_drop(&two);
  tarn_slice_drop(&two);
  assert_int_equal(pool.n_live, 0);
  tarn_slab_pool_close(&pool);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slab_that_came_back_is_used_again_the_latest_first),
      cmocka_unit_test(the_last_reference_pays_the_budget_back),
      cmocka_unit_test(a_slice_keeps_its_slab),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
