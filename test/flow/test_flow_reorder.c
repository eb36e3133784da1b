#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "flow_harness.h"
#include "stage/reorder.h"

enum { LEN = 200000, MOST_PIECES = 4000 };

struct fixture {
  struct flow_harness h;
  struct flow_collector c;
  struct tarn_reorder *r;
  struct bytes data;
};

static void set_up(struct fixture *f)
{
  memset(f, 0, sizeof *f);
  flow_open(&f->h, 2u << 20);
  flow_collector_init(&f->c, &f->h, false);
  f->r = tarn_reorder_new(&f->h.flow);
  assert_non_null(f->r);
  tarn_reorder_to(f->r, &f->c.stage);
  bytes_fill(&f->data, LEN, 5);
}

static void tear_down(struct fixture *f)
{
  tarn_reorder_drop(f->r);
  flow_close(&f->h, false);
  tarn_reorder_free(f->r);
  bytes_free(&f->c.got);
  bytes_free(&f->data);
}

static void put(struct fixture *f, size_t at, size_t len)
{
  tarn_reorder_put(f->r, at, flow_slice(&f->h, f->data.ptr + at, len));
}

static void expect_all(struct fixture *f)
{
  assert_true(f->c.ended);
  assert_int_equal(f->c.got.len, LEN);
  assert_memory_equal(f->c.got.ptr, f->data.ptr, LEN);
  assert_int_equal(tarn_reorder_at(f->r), LEN);
  assert_int_equal(f->h.flow.raw_bytes, LEN);
  assert_int_equal(f->h.flow.in.used, 0);
}

/* Cuts LEN into pieces; how many. */
static size_t cut(size_t *ats, size_t most, unsigned *seed)
{
  size_t n = 0, at = 0;

  while (at < LEN) {
    assert_true(n < MOST_PIECES);
    ats[n++] = at;
    at += 1 + flow_random(seed) % most;
  }
  return n;
}

static void shuffle(size_t *ats, size_t n, unsigned *seed)
{
  size_t i, k, t;

  for (i = n - 1; i > 0; i--) {
    k = flow_random(seed) % (i + 1);
    t = ats[i];
    ats[i] = ats[k];
    ats[k] = t;
  }
}

static void spans_in_any_order_come_out_as_the_file(void **s)
{
  static size_t ats[MOST_PIECES + 1], lens[MOST_PIECES], order[MOST_PIECES];
  struct fixture f;
  unsigned seed, round;
  size_t n, i;

  (void)s;
  for (round = 1; round <= 30; round++) {
    seed = round;
    set_up(&f);
    n = cut(ats, 1 + 500 * round, &seed);
    for (i = 0; i < n; i++) {
      lens[i] = (i + 1 < n ? ats[i + 1] : LEN) - ats[i];
      order[i] = i;
    }
    shuffle(order, n, &seed);
    if (round % 2)
      tarn_reorder_end(f.r, LEN, true);
    for (i = 0; i < n; i++) {
      assert_false(f.c.ended);
      put(&f, ats[order[i]], lens[order[i]]);
    }
    tarn_reorder_end(f.r, LEN, true);
    expect_all(&f);
    assert_true(f.c.proven);
    tear_down(&f);
  }
}

static void bytes_that_come_twice_or_overlap_are_dropped(void **s)
{
  struct fixture f;
  unsigned seed = 9;
  size_t at = 0;

  (void)s;
  set_up(&f);
  put(&f, 5000, 1000); /* waits, and its neighbours overlap it */
  put(&f, 4500, 1000);
  put(&f, 5000, 1000);
  while (at < LEN) {
    size_t len = 1 + flow_random(&seed) % 9000;
    size_t back = flow_random(&seed) % 3000;

    len = len < LEN - at ? len : LEN - at;
    back = back < at ? back : at;
    put(&f, at - back, len + back);
    at += len;
  }
  put(&f, LEN - 10, 10);
  put(&f, 0, 1);
  tarn_reorder_end(f.r, LEN, false);
  expect_all(&f);
  assert_false(f.c.proven);
  tear_down(&f);
}

static void contiguous_bytes_pass_at_once_and_give_memory_back(void **s)
{
  struct fixture f;

  (void)s;
  set_up(&f);
  put(&f, 0, 100);
  assert_int_equal(f.c.got.len, 100);
  assert_int_equal(f.h.flow.in.used, 0);
  put(&f, 200, 100);
  assert_int_equal(f.c.got.len, 100);
  assert_true(f.h.flow.in.used > 0);
  put(&f, 100, 100);
  assert_int_equal(f.c.got.len, 300);
  assert_int_equal(f.h.flow.in.used, 0);
  tear_down(&f);
}

static void the_end_waits_for_the_last_byte_and_comes_once(void **s)
{
  struct fixture f;
  size_t at;

  (void)s;
  set_up(&f);
  tarn_reorder_end(f.r, LEN, true);
  for (at = LEN - 10000; at > 0; at -= 10000) {
    put(&f, at, 10000);
    assert_false(f.c.ended);
  }
  put(&f, 0, 10000);
  expect_all(&f);
  tear_down(&f);
}

static void an_object_without_bytes_ends_at_once(void **s)
{
  struct fixture f;

  (void)s;
  set_up(&f);
  tarn_reorder_end(f.r, 0, true);
  assert_true(f.c.ended);
  assert_int_equal(f.c.got.len, 0);
  tear_down(&f);
}

static void what_waits_when_the_job_ends_gives_its_memory_back(void **s)
{
  struct fixture f;
  size_t at;

  (void)s;
  set_up(&f);
  for (at = 10000; at < LEN; at += 20000)
    put(&f, at, 5000);
  assert_true(f.h.flow.in.used > 0);
  tarn_reorder_drop(f.r);
  assert_int_equal(f.h.flow.in.used, 0);
  assert_int_equal(f.c.got.len, 0);
  tear_down(&f);
}

static void nothing_passes_once_the_job_is_over(void **s)
{
  struct fixture f;

  (void)s;
  set_up(&f);
  put(&f, 100, 100);
  put(&f, 0, 50);
  f.h.flow.over = true;
  tarn_reorder_end(f.r, 200, true);
  put(&f, 60, 100);
  assert_int_equal(f.c.got.len, 50);
  assert_false(f.c.ended);
  tear_down(&f);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spans_in_any_order_come_out_as_the_file),
      cmocka_unit_test(bytes_that_come_twice_or_overlap_are_dropped),
      cmocka_unit_test(contiguous_bytes_pass_at_once_and_give_memory_back),
      cmocka_unit_test(the_end_waits_for_the_last_byte_and_comes_once),
      cmocka_unit_test(an_object_without_bytes_ends_at_once),
      cmocka_unit_test(what_waits_when_the_job_ends_gives_its_memory_back),
      cmocka_unit_test(nothing_passes_once_the_job_is_over),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
