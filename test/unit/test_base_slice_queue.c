#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/slice_queue.h"

enum { SLAB = 4096, SLABS = 8 };

struct fixture {
  struct tarn_slab_pool pool;
  struct tarn_budget budget;
  struct tarn_slab *slabs[SLABS];
  struct tarn_slice_queue q;
};

static void set_up(struct fixture *f)
{
  size_t i, k;

  tarn_slab_pool_init(&f->pool, SLAB);
  tarn_budget_init(&f->budget, SLABS * SLAB, NULL);
  for (i = 0; i < SLABS; i++) {
    assert_true(tarn_budget_reserve(&f->budget, SLAB));
    f->slabs[i] = tarn_slab_new(&f->pool, &f->budget);
    assert_non_null(f->slabs[i]);
    for (k = 0; k < SLAB; k++)
      f->slabs[i]->data[k] = (uint8_t)(i * 37 + k);
  }
  tarn_slice_queue_init(&f->q);
}

/* Nothing may be left of what was queued. */
static void tear_down(struct fixture *f)
{
  size_t i;

  tarn_slice_queue_close(&f->q);
  assert_int_equal(f->q.bytes, 0);
  for (i = 0; i < SLABS; i++)
    tarn_slab_unref(f->slabs[i]);
  assert_int_equal(f->pool.n_live, 0);
  assert_int_equal(f->budget.used, 0);
  tarn_slab_pool_close(&f->pool);
}

static void put(struct fixture *f, size_t slab, size_t from, size_t len)
{
  assert_int_equal(
      tarn_slice_queue_put(&f->q, tarn_slice_of(f->slabs[slab], from, len)), 0);
}

static void slices_come_out_in_the_order_they_went_in(void **s)
{
  struct fixture f;
  struct tarn_slice slice;
  size_t i, round;

  (void)s;
  set_up(&f);
  for (round = 0; round < 3; round++) {
    for (i = 0; i < 40; i++)
      put(&f, i % SLABS, i * 10 + 1, 5);
    assert_int_equal(f.q.bytes, 200);
    for (i = 0; i < 40; i++) {
      assert_true(tarn_slice_queue_take(&f.q, &slice));
      assert_ptr_equal(slice.ptr, f.slabs[i % SLABS]->data + i * 10 + 1);
      assert_int_equal(slice.len, 5);
      tarn_slice_drop(&slice);
      /* The ring goes round: one comes, one goes. */
      if (i % 2)
        put(&f, 0, 100 * i, 1);
    }
    while (tarn_slice_queue_take(&f.q, &slice))
      tarn_slice_drop(&slice);
  }
  assert_false(tarn_slice_queue_take(&f.q, &slice));
  tear_down(&f);
}

static void neighbours_in_one_slab_are_joined(void **s)
{
  struct fixture f;
  struct tarn_slice slice;

  (void)s;
  set_up(&f);
  put(&f, 0, 0, 10);
  put(&f, 0, 10, 20);
  put(&f, 0, 31, 5); /* a gap */
  put(&f, 1, 36, 5); /* another slab */
  assert_int_equal(f.q.n, 3);
  assert_int_equal(f.q.bytes, 40);
  assert_true(tarn_slice_queue_take(&f.q, &slice));
  assert_int_equal(slice.len, 30);
  tarn_slice_drop(&slice);
  tear_down(&f);
}

static void an_empty_slice_is_dropped(void **s)
{
  struct fixture f;
  struct tarn_slice slice;

  (void)s;
  set_up(&f);
  put(&f, 0, 7, 0);
  assert_int_equal(f.slabs[0]->refs, 1);
  assert_false(tarn_slice_queue_take(&f.q, &slice));
  tear_down(&f);
}

static void peek_copies_across_slices_and_takes_nothing(void **s)
{
  struct fixture f;
  uint8_t out[16];

  (void)s;
  set_up(&f);
  assert_int_equal(tarn_slice_queue_peek(&f.q, out, sizeof out), 0);
  put(&f, 0, 0, 3);
  put(&f, 1, 0, 3);
  put(&f, 2, 0, 3);
  assert_int_equal(tarn_slice_queue_peek(&f.q, out, 5), 5);
  assert_memory_equal(out, f.slabs[0]->data, 3);
  assert_memory_equal(out + 3, f.slabs[1]->data, 2);
  assert_int_equal(tarn_slice_queue_peek(&f.q, out, sizeof out), 9);
  assert_int_equal(f.q.bytes, 9);
  tear_down(&f);
}

static void skip_drops_bytes_and_whole_slices(void **s)
{
  struct fixture f;
  uint8_t out[1];

  (void)s;
  set_up(&f);
  put(&f, 0, 0, 3);
  put(&f, 1, 0, 3);
  assert_int_equal(tarn_slice_queue_skip(&f.q, 0), 0);
  assert_int_equal(tarn_slice_queue_skip(&f.q, 4), 4);
  assert_int_equal(f.slabs[0]->refs, 1);
  assert_int_equal(f.slabs[1]->refs, 2);
  assert_int_equal(tarn_slice_queue_peek(&f.q, out, 1), 1);
  assert_int_equal(out[0], f.slabs[1]->data[1]);
  assert_int_equal(tarn_slice_queue_skip(&f.q, UINT64_MAX), 2);
  assert_int_equal(f.q.bytes, 0);
  tear_down(&f);
}

static void what_is_left_is_given_back_on_close(void **s)
{
  struct fixture f;
  size_t i;

  (void)s;
  set_up(&f);
  for (i = 0; i < 100; i++)
    put(&f, i % SLABS, i, 1);
  tear_down(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_come_out_in_the_order_they_went_in),
      cmocka_unit_test(neighbours_in_one_slab_are_joined),
      cmocka_unit_test(an_empty_slice_is_dropped),
      cmocka_unit_test(peek_copies_across_slices_and_takes_nothing),
      cmocka_unit_test(skip_drops_bytes_and_whole_slices),
      cmocka_unit_test(what_is_left_is_given_back_on_close),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
