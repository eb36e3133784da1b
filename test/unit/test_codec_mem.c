#include "codec/mem.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void what_is_held_is_counted(void **state)
{
  struct tarn_mem mem = {0};
  void *a, *b;

  (void)state;
  a = tarn_mem_get(&mem, 10, 100);
  b = tarn_mem_get(&mem, 1, 0);
  assert_non_null(a);
  assert_non_null(b);
  memset(a, 1, 1000);
  assert_int_equal(mem.held, 1000);
  tarn_mem_put(&mem, a);
  assert_int_equal(mem.held, 0);
  tarn_mem_put(&mem, b);
  tarn_mem_put(&mem, NULL);
  tarn_mem_close(&mem);
}

static void a_size_that_overflows_is_refused(void **state)
{
  struct tarn_mem mem = {0};

  (void)state;
  assert_null(tarn_mem_get(&mem, SIZE_MAX / 2, 3));
  assert_null(tarn_mem_get(&mem, SIZE_MAX, 1));
  assert_int_equal(mem.held, 0);
  tarn_mem_close(&mem);
}

static void kept_blocks_come_back_and_are_few(void **state)
{
  struct tarn_mem mem = {.keep = true};
  void *blocks[10];
  size_t i;

  (void)state;
  for (i = 0; i < 10; i++) {
    blocks[i] = tarn_mem_get(&mem, i + 1, 1000);
    assert_non_null(blocks[i]);
  }
  for (i = 0; i < 10; i++)
    tarn_mem_put(&mem, blocks[i]);
  assert_int_equal(mem.n_kept, TARN_MEM_KEPT);
  assert_int_equal(mem.held, 7000 + 8000 + 9000 + 10000);
  assert_ptr_equal(tarn_mem_get(&mem, 1, 8000), blocks[7]);
  assert_int_equal(mem.n_kept, TARN_MEM_KEPT - 1);
  assert_int_equal(mem.held, 7000 + 8000 + 9000 + 10000);
  tarn_mem_put(&mem, blocks[7]);
  tarn_mem_close(&mem);
  assert_int_equal(mem.held, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_held_is_counted),
      cmocka_unit_test(a_size_that_overflows_is_refused),
      cmocka_unit_test(kept_blocks_come_back_and_are_few),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
