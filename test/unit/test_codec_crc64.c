#include "codec/crc64.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void the_check_value_is_the_catalogues(void **state)
{
  (void)state;
  if (!tarn_crc64_library())
    skip();
  assert_int_equal(tarn_crc64(0, "123456789", 9), 0x995dc9bbdf1939fau);
  assert_int_equal(tarn_crc64(0, "", 0), 0);
}

static void pieces_give_the_value_of_the_whole(void **state)
{
  uint64_t crc = 0;
  size_t i;

  (void)state;
  if (!tarn_crc64_library())
    skip();
  for (i = 0; i < 9; i++)
    crc = tarn_crc64(crc, &"123456789"[i], 1);
  assert_int_equal(crc, 0x995dc9bbdf1939fau);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_check_value_is_the_catalogues),
      cmocka_unit_test(pieces_give_the_value_of_the_whole),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
