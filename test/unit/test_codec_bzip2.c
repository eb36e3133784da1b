#include "codec/formats.h"

#include <stdarg.h>
#include <setjmp.h>

#include <cmocka.h>
#include <bzlib.h>

#include "codec_harness.h"

static void pack(struct bytes *packed, const struct bytes *plain, int level)
{
  unsigned len = (unsigned)(plain->len + plain->len / 50 + 700);
  char nothing[1] = "";
  uint8_t *room = bytes_room(packed, len);

  assert_int_equal(
      BZ2_bzBuffToBuffCompress((char *)room, &len,
                               plain->len ? (char *)plain->ptr : nothing,
                               (unsigned)plain->len, level, 0, 0),
      BZ_OK);
  packed->len += len;
}

static void pack_one(struct bytes *packed, const struct bytes *plain)
{
  pack(packed, plain, 1);
}

static void every_stream_is_read_and_padding_accepted(void **state)
{
  codec_test_reads_on(state);
}

static void a_stream_cut_anywhere_is_truncated(void **state)
{
  codec_test_cuts(state);
}

static void no_flipped_bit_gives_wrong_bytes_with_success(void **state)
{
  codec_test_damage(state);
}

static void a_stream_of_several_blocks_and_an_empty_one_are_read(void **state)
{
  struct bytes plain = {0}, packed = {0}, none = {0};

  (void)state;
  pack(&packed, &none, 9);
  codec_gives(&tarn_codec_bzip2, &packed, &none);
  codec_misses_the_end(&tarn_codec_bzip2, &packed);
  bytes_fill(&plain, 250000, 3);
  pack(&packed, &plain, 1);
  codec_gives(&tarn_codec_bzip2, &packed, &plain);
  bytes_free(&plain);
  bytes_free(&packed);
}

static void streams_of_every_block_size_are_one(void **state)
{
  struct bytes plain = {0}, packed = {0}, noise = {0};
  int level;

  (void)state;
  bytes_noise(&noise, 3000, 4);
  for (level = 1; level <= 9; level++) {
    pack(&packed, &noise, level);
    bytes_put(&plain, noise.ptr, noise.len);
  }
  bytes_zeros(&packed, 3);
  codec_gives(&tarn_codec_bzip2, &packed, &plain);
  bytes_free(&noise);
  bytes_free(&plain);
  bytes_free(&packed);
}

static void a_block_size_that_is_none_is_refused(void **state)
{
  struct codec_pair *s = *state;

  s->a.ptr[3] = '0';
  codec_refuses(&tarn_codec_bzip2, &s->a, TARN_EDATA, "starts at byte 0", NULL);
}

static void the_combined_checksum_is_verified(void **state)
{
  struct codec_pair *s = *state;

  s->a.ptr[s->a.len - 3] ^= 0x10;
  codec_refuses(&tarn_codec_bzip2, &s->a, TARN_EDATA, "stream 1", NULL);
}

static void memory_is_kept_from_stream_to_stream(void **state)
{
  struct codec_pair *s = *state;
  struct tarn_decoder *dec;
  uint8_t room[1000];
  size_t after_first = 0;
  int i;

  assert_int_equal(tarn_decoder_new(&dec, &tarn_codec_bzip2, NULL, NULL), 0);
  for (i = 0; i < 4; i++) {
    struct tarn_in in = {s->a.ptr, s->a.len, 0};
    struct tarn_out out = {room, sizeof room, 0};

    assert_int_equal(tarn_decoder_step(dec, &in, &out, NULL), 0);
    if (i == 0)
      after_first = tarn_decoder_memory(dec);
    assert_int_equal(tarn_decoder_memory(dec), after_first);
  }
  assert_in_range(after_first, 400000, 600000);
  tarn_decoder_free(dec);
}

int main(void)
{
  struct CMUnitTest tests[] = {
      cmocka_unit_test(every_stream_is_read_and_padding_accepted),
      cmocka_unit_test(a_stream_cut_anywhere_is_truncated),
      cmocka_unit_test(no_flipped_bit_gives_wrong_bytes_with_success),
      cmocka_unit_test(streams_of_every_block_size_are_one),
      cmocka_unit_test(a_block_size_that_is_none_is_refused),
      cmocka_unit_test(the_combined_checksum_is_verified),
      cmocka_unit_test(memory_is_kept_from_stream_to_stream),
      cmocka_unit_test(a_stream_of_several_blocks_and_an_empty_one_are_read),
  };

  return codec_run(&tarn_codec_bzip2, pack_one, tests,
                   sizeof tests / sizeof tests[0]);
}
