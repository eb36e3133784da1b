#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/budget.h"
#include "base/check.h"

struct waiter {
  struct tarn_budget_waiter w;
  struct tarn_budget *budget;
  unsigned calls, order;
  bool again; /* waits anew from its callback */
};

static unsigned turn;

static void on_room(struct tarn_budget_waiter *w)
{
  struct waiter *x = TARN_CONTAINER(w, struct waiter, w);

  x->calls++;
  x->order = ++turn;
  if (x->again)
    tarn_budget_wait(x->budget, w);
}

static void init_waiter(struct waiter *x, struct tarn_budget *b)
{
  *x = (struct waiter){.budget = b};
  tarn_budget_waiter_init(&x->w, on_room);
}

static void what_does_not_fit_is_refused_and_not_counted(void **s)
{
  struct tarn_budget b;

  (void)s;
  tarn_budget_init(&b, 100, NULL);
  assert_true(tarn_budget_reserve(&b, 60));
  assert_false(tarn_budget_reserve(&b, 41));
  assert_false(tarn_budget_reserve(&b, SIZE_MAX));
  assert_int_equal(b.used, 60);
  assert_true(tarn_budget_reserve(&b, 40));
  assert_true(tarn_budget_reserve(&b, 0));
  assert_int_equal(b.used, 100);
}

static void force_goes_above_the_cap_and_blocks_the_rest(void **s)
{
  struct tarn_budget b;

  (void)s;
  tarn_budget_init(&b, 100, NULL);
  tarn_budget_force(&b, 150);
  assert_false(tarn_budget_reserve(&b, 1));
  tarn_budget_release(&b, 60);
  assert_true(tarn_budget_reserve(&b, 10));
}

static void the_peak_is_remembered(void **s)
{
  struct tarn_budget b;

  (void)s;
  tarn_budget_init(&b, 100, NULL);
  assert_true(tarn_budget_reserve(&b, 70));
  tarn_budget_release(&b, 50);
  assert_true(tarn_budget_reserve(&b, 10));
  assert_int_equal(b.peak, 70);
  assert_int_equal(b.used, 30);
}

static void a_total_counts_several_budgets_and_never_refuses(void **s)
{
  struct tarn_budget total, in, out;

  (void)s;
  tarn_budget_init(&total, 10, NULL);
  tarn_budget_init(&in, 100, &total);
  tarn_budget_init(&out, 100, &total);
  assert_true(tarn_budget_reserve(&in, 60));
  assert_true(tarn_budget_reserve(&out, 70));
  assert_int_equal(total.used, 130);
  tarn_budget_release(&in, 60);
  assert_int_equal(total.used, 70);
  assert_int_equal(total.peak, 130);
}

static void every_waiter_is_called_once_in_the_order_they_came(void **s)
{
  struct tarn_budget b;
  struct waiter x, y;

  (void)s;
  turn = 0;
  tarn_budget_init(&b, 100, NULL);
  init_waiter(&x, &b);
  init_waiter(&y, &b);
  assert_true(tarn_budget_reserve(&b, 100));
  tarn_budget_wait(&b, &y.w);
  tarn_budget_wait(&b, &x.w);
  tarn_budget_wait(&b, &y.w);
  tarn_budget_release(&b, 1);
  tarn_budget_release(&b, 1);
  assert_int_equal(y.calls, 1);
  assert_int_equal(x.calls, 1);
  assert_true(y.order < x.order);
}

static void a_waiter_that_waits_again_is_called_at_the_next_release(void **s)
{
  struct tarn_budget b;
  struct waiter x;

  (void)s;
  tarn_budget_init(&b, 100, NULL);
  init_waiter(&x, &b);
  x.again = true;
  assert_true(tarn_budget_reserve(&b, 100));
  tarn_budget_wait(&b, &x.w);
  tarn_budget_release(&b, 1);
  assert_int_equal(x.calls, 1);
  tarn_budget_release(&b, 1);
  assert_int_equal(x.calls, 2);
}

static void who_stops_waiting_is_not_called(void **s)
{
  struct tarn_budget b;
  struct waiter x;

  (void)s;
  tarn_budget_init(&b, 100, NULL);
  init_waiter(&x, &b);
  assert_true(tarn_budget_reserve(&b, 100));
  tarn_budget_unwait(&x.w);
  tarn_budget_wait(&b, &x.w);
  tarn_budget_unwait(&x.w);
  tarn_budget_unwait(&x.w);
  tarn_budget_release(&b, 1);
  assert_int_equal(x.calls, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_does_not_fit_is_refused_and_not_counted),
      cmocka_unit_test(force_goes_above_the_cap_and_blocks_the_rest),
      cmocka_unit_test(the_peak_is_remembered),
      cmocka_unit_test(a_total_counts_several_budgets_and_never_refuses),
      cmocka_unit_test(every_waiter_is_called_once_in_the_order_they_came),
      cmocka_unit_test(a_waiter_that_waits_again_is_called_at_the_next_release),
      cmocka_unit_test(who_stops_waiting_is_not_called),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
