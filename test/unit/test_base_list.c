#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/check.h"
#include "base/list.h"

struct item {
  int n;
  struct tarn_list link;
};

/* The number of the item, 0 for none. */
static int number(struct tarn_list *link)
{
  return link ? TARN_CONTAINER(link, struct item, link)->n : 0;
}

/* Takes all out and checks their numbers, 1, 2, 3 ... to `last`. */
static void expect_counting(struct tarn_list *l, int last)
{
  int n;

  for (n = 1; n <= last; n++)
    assert_int_equal(number(tarn_list_shift(l)), n);
  assert_true(tarn_list_empty(l));
}

static void an_empty_list_has_nothing_to_give(void **s)
{
  struct tarn_list l;

  (void)s;
  tarn_list_init(&l);
  assert_true(tarn_list_empty(&l));
  assert_null(tarn_list_first(&l));
  assert_null(tarn_list_last(&l));
  assert_null(tarn_list_shift(&l));
}

static void items_come_out_in_the_order_they_were_appended(void **s)
{
  struct item a = {.n = 1}, b = {.n = 2}, c = {.n = 3};
  struct tarn_list l;

  (void)s;
  tarn_list_init(&l);
  tarn_list_append(&l, &a.link);
  tarn_list_append(&l, &c.link);
  tarn_list_insert(&a.link, &b.link);
  assert_int_equal(number(tarn_list_first(&l)), 1);
  assert_int_equal(number(tarn_list_last(&l)), 3);
  expect_counting(&l, 3);
}

static void removing_twice_is_fine(void **s)
{
  struct item a = {.n = 1}, b = {.n = 5}, c = {.n = 2};
  struct tarn_list l;

  (void)s;
  tarn_list_init(&l);
  tarn_list_append(&l, &a.link);
  tarn_list_append(&l, &b.link);
  tarn_list_append(&l, &c.link);
  tarn_list_remove(&b.link);
  tarn_list_remove(&b.link);
  expect_counting(&l, 2);
}

static void splice_moves_all_behind_the_last(void **s)
{
  struct item a = {.n = 1}, b = {.n = 2}, c = {.n = 3}, d = {.n = 4};
  struct tarn_list l, other;

  (void)s;
  tarn_list_init(&l);
  tarn_list_init(&other);
  tarn_list_append(&l, &a.link);
  tarn_list_append(&l, &b.link);
  tarn_list_splice(&l, &other);
  tarn_list_append(&other, &c.link);
  tarn_list_append(&other, &d.link);
  tarn_list_splice(&l, &other);
  assert_true(tarn_list_empty(&other));
  expect_counting(&l, 4);
  tarn_list_append(&other, &a.link);
  tarn_list_splice(&l, &other);
  expect_counting(&l, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_list_has_nothing_to_give),
      cmocka_unit_test(items_come_out_in_the_order_they_were_appended),
      cmocka_unit_test(removing_twice_is_fine),
      cmocka_unit_test(splice_moves_all_behind_the_last),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
