#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http/backoff.h"

enum { TRIES = 2000 };

/* The longest and the shortest of many n-th pauses. */
static void extremes(struct tarn_backoff *b, unsigned n, uint64_t *least,
                     uint64_t *most)
{
  int i;

  *least = UINT64_MAX;
  *most = 0;
  for (i = 0; i < TRIES; i++) {
    uint64_t ms = tarn_backoff_ms(b, n);

    *least = ms < *least ? ms : *least;
    *most = ms > *most ? ms : *most;
  }
}

static void the_ceiling_doubles_with_each_failure_up_to_the_maximum(void **s)
{
  static const uint64_t ceilings[] = {1000, 2000, 4000, 8000, 10000, 10000};
  struct tarn_backoff b;
  uint64_t least, most;
  unsigned n;

  (void)s;
  tarn_backoff_init(&b, 1000, 10000, 42);
  for (n = 0; n < sizeof ceilings / sizeof ceilings[0]; n++) {
    extremes(&b, n + 1, &least, &most);
    assert_true(most <= ceilings[n]);
    assert_true(most > ceilings[n] / 10 * 9);
  }
}

static void the_jitter_is_full_from_zero_to_the_ceiling(void **s)
{
  struct tarn_backoff b;
  uint64_t least, most, sum = 0;
  int i;

  (void)s;
  tarn_backoff_init(&b, 1000, 10000, 7);
  extremes(&b, 3, &least, &most);
  assert_true(least < 100);
  assert_true(most > 3900);
  for (i = 0; i < TRIES; i++)
    sum += tarn_backoff_ms(&b, 3);
  assert_true(sum / TRIES > 1700 && sum / TRIES < 2300);
}

static void two_seeds_do_not_come_back_together(void **s)
{
  struct tarn_backoff a, b;
  int i, same = 0;

  (void)s;
  tarn_backoff_init(&a, 1000, 10000, 1);
  tarn_backoff_init(&b, 1000, 10000, 2);
  for (i = 0; i < 100; i++)
    same += tarn_backoff_ms(&a, 4) == tarn_backoff_ms(&b, 4);
  assert_true(same < 10);
}

static void many_failures_and_huge_times_do_not_overflow(void **s)
{
  struct tarn_backoff b;
  uint64_t least, most;

  (void)s;
  tarn_backoff_init(&b, 1000, 10000, 3);
  extremes(&b, 4000000000u, &least, &most);
  assert_true(most <= 10000);
  tarn_backoff_init(&b, 3, UINT64_MAX - 1, 3);
  extremes(&b, 4000000000u, &least, &most);
  assert_true(most > UINT64_MAX / 2);
}

static void a_seed_of_zero_is_no_stuck_generator(void **s)
{
  struct tarn_backoff b;
  uint64_t least, most;

  (void)s;
  tarn_backoff_init(&b, 1000, 10000, 0);
  extremes(&b, 1, &least, &most);
  assert_true(least != most);
}

static void no_base_means_no_pause(void **s)
{
  struct tarn_backoff b;
  uint64_t least, most;

  (void)s;
  tarn_backoff_init(&b, 0, 0, 5);
  extremes(&b, 9, &least, &most);
  assert_int_equal(most, 0);
}

static void a_maximum_below_the_base_is_raised_to_it(void **s)
{
  struct tarn_backoff b;
  uint64_t least, most;

  (void)s;
  tarn_backoff_init(&b, 1000, 10, 5);
  extremes(&b, 5, &least, &most);
  assert_true(most > 900 && most <= 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ceiling_doubles_with_each_failure_up_to_the_maximum),
      cmocka_unit_test(the_jitter_is_full_from_zero_to_the_ceiling),
      cmocka_unit_test(two_seeds_do_not_come_back_together),
      cmocka_unit_test(many_failures_and_huge_times_do_not_overflow),
      cmocka_unit_test(a_seed_of_zero_is_no_stuck_generator),
      cmocka_unit_test(no_base_means_no_pause),
      cmocka_unit_test(a_maximum_below_the_base_is_raised_to_it),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
