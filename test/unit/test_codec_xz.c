#include "codec/formats.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>
#include <lzma.h>

#include "codec_harness.h"

static void pack(struct bytes *packed, const struct bytes *plain,
                 lzma_check check)
{
  size_t cap = lzma_stream_buffer_bound(plain->len);
  size_t at = packed->len;

  bytes_room(packed, cap);
  assert_int_equal(lzma_easy_buffer_encode(0, check, NULL, plain->ptr,
                                           plain->len, packed->ptr, &at,
                                           packed->len + cap),
                   LZMA_OK);
  packed->len = at;
}

static void pack_one(struct bytes *packed, const struct bytes *plain)
{
  pack(packed, plain, LZMA_CHECK_CRC64);
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

static void every_check_is_understood(void **state)
{
  static const lzma_check checks[] = {LZMA_CHECK_NONE, LZMA_CHECK_CRC32,
                                      LZMA_CHECK_CRC64, LZMA_CHECK_SHA256};
  struct codec_pair *s = *state;
  size_t i;

  for (i = 0; i < sizeof checks / sizeof checks[0]; i++) {
    struct bytes packed = {0};

    pack(&packed, &s->plain_b, checks[i]);
    codec_gives(&tarn_codec_xz, &packed, &s->plain_b);
    bytes_free(&packed);
    pack(&packed, &s->plain_a, checks[i]);
    codec_misses_the_end(&tarn_codec_xz, &packed);
    if (checks[i] != LZMA_CHECK_NONE)
      codec_sees_damage(&tarn_codec_xz, &packed, &s->plain_a);
    bytes_free(&packed);
  }
}

/* A block for each `size` bytes, through `filters`. */
static void pack_blocks(struct bytes *packed, const struct bytes *plain,
                        const lzma_filter *filters, size_t size)
{
  lzma_stream z = LZMA_STREAM_INIT;
  size_t cap = 2 * plain->len + 4000, at = 0;

  assert_int_equal(lzma_stream_encoder(&z, filters, LZMA_CHECK_CRC32), LZMA_OK);
  z.next_out = bytes_room(packed, cap);
  z.avail_out = cap;
  while (at < plain->len) {
    z.next_in = plain->ptr + at;
    z.avail_in = plain->len - at < size ? plain->len - at : size;
    at += z.avail_in;
    assert_int_equal(lzma_code(&z, LZMA_FULL_FLUSH), LZMA_STREAM_END);
  }
  assert_int_equal(lzma_code(&z, LZMA_FINISH), LZMA_STREAM_END);
  packed->len += cap - z.avail_out;
  lzma_end(&z);
}

static void streams_of_many_blocks_and_filters_are_read(void **state)
{
  struct codec_pair *s = *state;
  lzma_options_lzma lzma;
  lzma_options_delta delta = {.type = LZMA_DELTA_TYPE_BYTE, .dist = 3};
  lzma_filter filters[] = {{LZMA_FILTER_X86, NULL},
                           {LZMA_FILTER_DELTA, &delta},
                           {LZMA_FILTER_LZMA2, &lzma},
                           {LZMA_VLI_UNKNOWN, NULL}};
  size_t i;

  assert_false(lzma_lzma_preset(&lzma, 0));
  for (i = 0; i < 3; i++) {
    struct bytes packed = {0};

    pack_blocks(&packed, &s->plain_b, filters + i, 9000);
    codec_gives(&tarn_codec_xz, &packed, &s->plain_b);
    packed.len = 0;
    pack_blocks(&packed, &s->plain_a, filters + i, 300);
    codec_misses_the_end(&tarn_codec_xz, &packed);
    codec_sees_damage(&tarn_codec_xz, &packed, &s->plain_a);
    bytes_free(&packed);
  }
}

static void the_older_lzma_format_is_refused(void **state)
{
  struct codec_pair *s = *state;
  lzma_options_lzma lzma;
  lzma_stream z = LZMA_STREAM_INIT;
  struct bytes packed = {0};

  assert_false(lzma_lzma_preset(&lzma, 0));
  assert_int_equal(lzma_alone_encoder(&z, &lzma), LZMA_OK);
  z.next_in = s->plain_a.ptr;
  z.avail_in = s->plain_a.len;
  z.avail_out = 4000;
  z.next_out = bytes_room(&packed, z.avail_out);
  assert_int_equal(lzma_code(&z, LZMA_FINISH), LZMA_STREAM_END);
  packed.len = (size_t)z.total_out;
  lzma_end(&z);
  codec_refuses(&tarn_codec_xz, &packed, TARN_EDATA, "no stream starts", NULL);
  assert_string_equal(tarn_codec_guess(packed.ptr, packed.len),
                      "lzma data of the old format");
  bytes_free(&packed);
}

static void a_check_that_nobody_knows_is_not_skipped(void **state)
{
  struct codec_pair *s = *state;
  uint32_t crc;
  size_t i;

  /* Check ID 2 is as long as CRC32 and reserved. Flags stand at both ends. */
  bytes_free(&s->a);
  pack(&s->a, &s->plain_a, LZMA_CHECK_CRC32);
  s->a.ptr[7] = 2;
  s->a.ptr[s->a.len - 3] = 2;
  crc = lzma_crc32(s->a.ptr + 6, 2, 0);
  for (i = 0; i < 4; i++)
    s->a.ptr[8 + i] = (uint8_t)(crc >> 8 * i);
  codec_refuses(&tarn_codec_xz, &s->a, TARN_ENOTSUP, "check", NULL);
}

static void padding_between_streams_is_a_multiple_of_four(void **state)
{
  struct codec_pair *s = *state;
  struct bytes in = {0}, plain = {0};
  size_t n_zeros;

  for (n_zeros = 1; n_zeros <= 12; n_zeros++) {
    in.len = 0;
    plain.len = 0;
    bytes_put(&in, s->a.ptr, s->a.len);
    bytes_zeros(&in, n_zeros);
    bytes_put(&in, s->a.ptr, s->a.len);
    bytes_put(&plain, s->plain_a.ptr, s->plain_a.len);
    bytes_put(&plain, s->plain_a.ptr, s->plain_a.len);
    if (n_zeros % 4 == 0)
      codec_gives(&tarn_codec_xz, &in, &plain);
    else
      codec_refuses(&tarn_codec_xz, &in, TARN_EDATA, "neither", NULL);
  }
  bytes_free(&in);
  bytes_free(&plain);
}

/* The dictionary's size is one byte of the block header, under its CRC. */
static void set_dictionary(struct bytes *in, uint8_t code)
{
  size_t len = ((size_t)in->ptr[12] + 1) * 4, at = 14, i;
  uint32_t crc;

  for (i = in->ptr[13] >> 6; i; i &= i - 1) { /* sizes of the block */
    while (in->ptr[at] & 0x80)
      at++;
    at++;
  }
  assert_int_equal(in->ptr[at], 0x21);
  in->ptr[at + 2] = code;
  crc = lzma_crc32(in->ptr + 12, len - 4, 0);
  for (i = 0; i < 4; i++)
    in->ptr[12 + len - 4 + i] = (uint8_t)(crc >> 8 * i);
}

static void
a_dictionary_above_the_limit_is_refused_before_any_byte(void **state)
{
  struct tarn_decode_limits limits = {(uint64_t)256 << 20};
  struct codec_pair *s = *state;
  struct bytes have = {0};
  struct tarn_err err;

  set_dictionary(&s->a, 30); /* 128 MiB */
  assert_int_equal(
      codec_decode(&tarn_codec_xz, NULL, &s->a, CODEC_WHOLE, 1000, &have, &err),
      0);
  set_dictionary(&s->a, 32); /* 256 MiB */
  assert_int_equal(
      codec_decode(&tarn_codec_xz, NULL, &s->a, CODEC_WHOLE, 1000, &have, &err),
      TARN_ENOTSUP);
  assert_int_equal(have.len, 0);
  assert_non_null(strstr(err.text, "--memory"));
  assert_non_null(strstr(err.text, "134217728"));
  assert_int_equal(codec_decode(&tarn_codec_xz, &limits, &s->a, CODEC_WHOLE,
                                1000, &have, &err),
                   0);
  bytes_free(&have);
}

int main(void)
{
  struct CMUnitTest tests[] = {
      cmocka_unit_test(every_stream_is_read_and_padding_accepted),
      cmocka_unit_test(a_stream_cut_anywhere_is_truncated),
      cmocka_unit_test(no_flipped_bit_gives_wrong_bytes_with_success),
      cmocka_unit_test(every_check_is_understood),
      cmocka_unit_test(streams_of_many_blocks_and_filters_are_read),
      cmocka_unit_test(the_older_lzma_format_is_refused),
      cmocka_unit_test(a_check_that_nobody_knows_is_not_skipped),
      cmocka_unit_test(padding_between_streams_is_a_multiple_of_four),
      cmocka_unit_test(a_dictionary_above_the_limit_is_refused_before_any_byte),
  };

  return codec_run(&tarn_codec_xz, pack_one, tests,
                   sizeof tests / sizeof tests[0]);
}
