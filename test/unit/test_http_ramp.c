#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "http/ramp.h"

/* A network in numbers: bytes per millisecond. */
struct net {
  double each, all; /* limits of a connection, of everything */
  double wait_ms;   /* from a request to its first byte */
  unsigned most;    /* connections the server has */
  double busy;      /* share of the loop's time */
  bool limited;     /* by the consumer */
  double noise;     /* the rate varies by this part */
  unsigned long long seed;
  /* What came of it. */
  struct tarn_ramp ramp;
  double bytes;
  unsigned highest;
  uint64_t now;
};

static double random_of(struct net *net)
{
  net->seed = net->seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(net->seed >> 33) / (double)(1ull << 31) * 2 - 1;
}

static double rate_of(struct net *net, unsigned n)
{
  double rate = net->each * n < net->all ? net->each * n : net->all;

  return rate * (1 + net->noise * random_of(net));
}

static void start(struct net *net, unsigned fixed)
{
  tarn_ramp_init(&net->ramp, fixed);
  net->bytes = 0;
  net->highest = 0;
  net->now = 1000;
}

/* `ms` of it, in steps of 5. Connections bring bytes after their wait. */
static void run(struct net *net, uint64_t ms)
{
  uint64_t end = net->now + ms;
  unsigned flowing = net->ramp.allowed, n;
  double due = 0;

  for (; net->now < end; net->now += 5) {
    struct tarn_ramp_sample s = {0};

    n = net->ramp.allowed;
    if (net->most && n > net->most) {
      tarn_ramp_refused(&net->ramp, net->now, net->now, net->most);
      n = net->ramp.allowed;
    }
    if (n < flowing)
      flowing = n;
    if (n > flowing && due == 0)
      due = (double)net->now + net->wait_ms;
    if (n > flowing && (double)net->now >= due) {
      flowing = n;
      due = 0;
    }
    net->bytes += rate_of(net, flowing) * 5;
    s.now_ms = net->now;
    s.bytes = (uint64_t)net->bytes;
    s.busy_ms = (uint64_t)(net->busy * (double)net->now);
    s.wait_ms = (uint64_t)net->wait_ms;
    s.running = n;
    s.limited = net->limited;
    tarn_ramp_look(&net->ramp, &s);
    if (net->ramp.allowed > net->highest)
      net->highest = net->ramp.allowed;
  }
}

/* The rate at the end, beside the best of any fixed number. */
static double beside_best(struct net *net)
{
  double noise = net->noise, best = 0, now;
  unsigned n;

  net->noise = 0;
  for (n = 1; n <= 64 && (!net->most || n <= net->most); n++)
    best = rate_of(net, n) > best ? rate_of(net, n) : best;
  now = rate_of(net, net->ramp.allowed);
  net->noise = noise;
  return best / now;
}

static void a_fixed_number_stays(void **state)
{
  struct net net = {.each = 1000, .all = 1e9};

  (void)state;
  start(&net, 7);
  run(&net, 5000);
  tarn_ramp_refused(&net.ramp, net.now, net.now, 3);
  assert_int_equal(net.ramp.allowed, 7);
  assert_int_equal(net.highest, 7);
}

static void slow_connections_become_many_soon(void **state)
{
  struct net net = {.each = 2000, .all = 1e9, .wait_ms = 100};

  (void)state;
  start(&net, 0);
  assert_int_equal(net.ramp.allowed, 4);
  run(&net, 2600);
  assert_int_equal(net.ramp.allowed, 64);
}

static void a_link_that_is_full_gets_no_more_than_six(void **state)
{
  unsigned seed;

  (void)state;
  for (seed = 0; seed < 200; seed++) {
    struct net net = {.each = 1e6, .all = 1.2e6, .noise = 0.05, .seed = seed};

    start(&net, 0);
    run(&net, 20000);
    assert_in_range(net.highest, 4, 6);
  }
}

static void any_limits_end_near_the_best_number(void **state)
{
  unsigned i;

  (void)state;
  for (i = 0; i < 2000; i++) {
    struct net net = {.seed = i, .noise = 0.03};

    net.each = 500 * (1 + i % 50);
    net.all = net.each * (1 + i * 7 % 64);
    net.wait_ms = i % 7 * 20;
    start(&net, 0);
    run(&net, 30000);
    if (beside_best(&net) >= 1.25)
      fail_msg("case %u: %u connections, the best is %.2f times as fast", i,
               net.ramp.allowed, beside_best(&net));
  }
}

static void nothing_is_added_while_the_consumer_is_the_limit(void **state)
{
  struct net net = {.each = 2000, .all = 1e9, .limited = true};

  (void)state;
  start(&net, 0);
  run(&net, 20000);
  assert_int_equal(net.highest, 4);
  net.limited = false;
  run(&net, 5000);
  assert_int_equal(net.ramp.allowed, 64);
}

static void nothing_is_added_while_the_loop_is_the_limit(void **state)
{
  struct net net = {.each = 2000, .all = 1e9, .busy = 0.9};

  (void)state;
  start(&net, 0);
  run(&net, 20000);
  assert_int_equal(net.highest, 4);
}

static void a_refusal_halves_once_for_all_that_were_asked_before(void **state)
{
  struct tarn_ramp ramp;

  (void)state;
  tarn_ramp_init(&ramp, 0);
  ramp.allowed = 32;
  tarn_ramp_refused(&ramp, 5000, 4990, 20);
  assert_int_equal(ramp.allowed, 16);
  tarn_ramp_refused(&ramp, 5001, 4991, 20);
  tarn_ramp_refused(&ramp, 5002, 5000, 20);
  assert_int_equal(ramp.allowed, 16);
  tarn_ramp_refused(&ramp, 5300, 5200, 4);
  assert_int_equal(ramp.allowed, 8);
}

static void one_connection_is_never_taken(void **state)
{
  struct tarn_ramp ramp;
  uint64_t now;

  (void)state;
  tarn_ramp_init(&ramp, 0);
  for (now = 1000; now < 20000; now += 1000)
    tarn_ramp_refused(&ramp, now, now - 1, 0);
  assert_int_equal(ramp.allowed, 1);
}

static void after_refusals_what_worked_is_found_again(void **state)
{
  struct net net = {.each = 2000, .all = 1e9, .most = 8, .wait_ms = 20};

  (void)state;
  start(&net, 0);
  run(&net, 6000);
  assert_int_equal(net.ramp.allowed, 8);
  run(&net, 20000);
  assert_int_equal(net.ramp.allowed, 8);
  /* ... and more, once the server has more. */
  net.most = 0;
  run(&net, 40000);
  assert_int_equal(net.ramp.allowed, 64);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fixed_number_stays),
      cmocka_unit_test(slow_connections_become_many_soon),
      cmocka_unit_test(a_link_that_is_full_gets_no_more_than_six),
      cmocka_unit_test(any_limits_end_near_the_best_number),
      cmocka_unit_test(nothing_is_added_while_the_consumer_is_the_limit),
      cmocka_unit_test(nothing_is_added_while_the_loop_is_the_limit),
      cmocka_unit_test(a_refusal_halves_once_for_all_that_were_asked_before),
      cmocka_unit_test(one_connection_is_never_taken),
      cmocka_unit_test(after_refusals_what_worked_is_found_again),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
