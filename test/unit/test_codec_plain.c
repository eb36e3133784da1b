#include "codec/formats.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "codec_harness.h"

static void plain_bytes_pass_unchanged_however_they_are_cut(void **state)
{
  struct bytes plain = {0};

  (void)state;
  codec_gives(&tarn_codec_plain, &plain, &plain); /* nothing is right too */
  bytes_fill(&plain, 20000, 1);
  bytes_zeros(&plain, 700);
  codec_gives(&tarn_codec_plain, &plain, &plain);
  bytes_free(&plain);
}

static void a_full_output_leaves_the_input_where_it_is(void **state)
{
  uint8_t room[3];
  struct tarn_in in = {(const uint8_t *)"abcdefgh", 8, 2};
  struct tarn_out out = {room, sizeof room, 1};
  struct tarn_decoder *dec;

  (void)state;
  assert_int_equal(tarn_decoder_new(&dec, &tarn_codec_plain, NULL, NULL), 0);
  assert_int_equal(tarn_decoder_step(dec, &in, &out, NULL), 0);
  assert_int_equal(in.pos, 4);
  assert_int_equal(out.pos, 3);
  assert_memory_equal(room + 1, "cd", 2);
  assert_int_equal(tarn_decoder_in(dec), 2);
  assert_int_equal(tarn_decoder_out(dec), 2);
  tarn_decoder_free(dec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_bytes_pass_unchanged_however_they_are_cut),
      cmocka_unit_test(a_full_output_leaves_the_input_where_it_is),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
