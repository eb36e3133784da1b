#include "codec/formats.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "codec_harness.h"

static void pack(struct bytes *packed, const struct bytes *plain, int checksum,
                 int size, int window_log)
{
  ZSTD_CCtx *c = ZSTD_createCCtx();
  ZSTD_inBuffer in = {plain->ptr, plain->len, 0};
  ZSTD_outBuffer out = {0};

  assert_non_null(c);
  out.size = ZSTD_compressBound(plain->len) + 64;
  out.dst = bytes_room(packed, out.size);
  ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, checksum);
  ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, size);
  if (window_log)
    ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log);
  if (size)
    ZSTD_CCtx_setPledgedSrcSize(c, plain->len);
  else /* a call before the last one hides the size */
    ZSTD_compressStream2(c, &out, &in, ZSTD_e_continue);
  assert_int_equal(ZSTD_compressStream2(c, &out, &in, ZSTD_e_end), 0);
  packed->len += out.pos;
  ZSTD_freeCCtx(c);
}

static void pack_one(struct bytes *packed, const struct bytes *plain)
{
  pack(packed, plain, 1, plain->len > 1000, 0);
}

static void every_frame_is_read_and_padding_accepted(void **state)
{
  codec_test_reads_on(state);
}

static void a_frame_cut_anywhere_is_truncated(void **state)
{
  codec_test_cuts(state);
}

static void no_flipped_bit_gives_wrong_bytes_with_success(void **state)
{
  codec_test_damage(state);
}

static void skippable_frames_may_stand_anywhere(void **state)
{
  codec_test_skippable(state);
}

static void frames_with_and_without_size_and_checksum_are_read(void **state)
{
  struct codec_pair *s = *state;
  int i;

  for (i = 0; i < 4; i++) {
    struct bytes packed = {0}, none = {0};

    pack(&packed, &none, i & 1, i >> 1, 0);
    codec_gives(&tarn_codec_zstd, &packed, &none);
    pack(&packed, &s->plain_b, i & 1, i >> 1, 0);
    codec_gives(&tarn_codec_zstd, &packed, &s->plain_b);
    bytes_free(&packed);
  }
}

static void frames_of_all_kinds_in_any_order_are_one_stream(void **state)
{
  static const uint8_t skippable[] = {0x53, 0x2a, 0x4d, 0x18, 3,   0,
                                      0,    0,    0x28, 0xb5, 0x2f};
  struct bytes parts[9] = {{0}}, plains[9] = {{0}};
  unsigned i;

  (void)state;
  for (i = 0; i < 8; i++) {
    if (i % 2)
      bytes_fill(&plains[i], i * 900, i);
    else
      bytes_noise(&plains[i], i * 90, i);
    pack(&parts[i], &plains[i], i & 1, i >> 1 & 1, i & 4 ? 20 : 0);
  }
  bytes_put(&parts[8], skippable, sizeof skippable);
  for (i = 0; i < 20; i++)
    codec_gives_any_row(&tarn_codec_zstd, parts, plains, 9, i);
  for (i = 0; i < 9; i++) {
    bytes_free(&parts[i]);
    bytes_free(&plains[i]);
  }
}

static void every_kind_of_frame_cut_anywhere_is_truncated(void **state)
{
  struct codec_pair *s = *state;
  struct bytes noise = {0}, zeros = {0};
  int i;

  bytes_noise(&noise, 300, 3);
  bytes_zeros(&zeros, 300000);
  for (i = 0; i < 4; i++) {
    const struct bytes *plains[] = {&s->plain_a, &noise, &zeros};
    size_t n;

    for (n = 0; n < 3; n++) {
      struct bytes packed = {0};

      pack(&packed, plains[n], i & 1, i >> 1, 0);
      codec_misses_the_end(&tarn_codec_zstd, &packed);
      if (i & 1 && n < 2)
        codec_sees_damage(&tarn_codec_zstd, &packed, plains[n]);
      bytes_free(&packed);
    }
  }
  bytes_free(&noise);
  bytes_free(&zeros);
}

static void a_reserved_bit_is_refused(void **state)
{
  struct codec_pair *s = *state;

  s->b.ptr[4] |= 0x08;
  codec_refuses(&tarn_codec_zstd, &s->b, TARN_EDATA, "frame 1", NULL);
}

static void a_later_frame_with_a_large_window_is_refused_too(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0};

  bytes_put(&packed, s->a.ptr, s->a.len);
  pack(&packed, &s->plain_b, 1, 0, 27);
  packed.ptr[s->a.len + 5] = 18 << 3;
  codec_refuses(&tarn_codec_zstd, &packed, TARN_ENOTSUP,
                "frame 2 needs a window", NULL);
  bytes_free(&packed);
}

static void a_wrong_content_checksum_is_named(void **state)
{
  struct codec_pair *s = *state;

  s->b.ptr[s->b.len - 1] ^= 1;
  codec_refuses(&tarn_codec_zstd, &s->b, TARN_EDATA, "content checksum differs",
                NULL);
}

static void a_wrong_content_size_is_refused_without_a_checksum(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0};

  pack(&packed, &s->plain_a, 0, 1, 0);
  assert_int_equal(packed.ptr[4] & 0xe0, 0x60); /* one segment, two bytes */
  packed.ptr[5]++;
  codec_refuses(&tarn_codec_zstd, &packed, TARN_EDATA, "frame 1", NULL);
  packed.ptr[5] -= 2;
  codec_refuses(&tarn_codec_zstd, &packed, TARN_EDATA, "frame 1", NULL);
  bytes_free(&packed);
}

static void
a_wrong_size_of_a_frame_that_ends_in_an_empty_block_is_refused(void **state)
{
  /* A window of 1 KiB, a content of 2 bytes, a raw block of them, one of 0. */
  static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x80, 0x00,
                                  2,    0,    0,    0,    0x10, 0,
                                  0,    'a',  'b',  0x01, 0,    0};
  struct bytes packed = {0}, plain = {0};

  (void)state;
  bytes_put(&plain, "ab", 2);
  bytes_put(&packed, frame, sizeof frame);
  codec_gives(&tarn_codec_zstd, &packed, &plain);
  packed.ptr[6] = 3;
  codec_refuses(&tarn_codec_zstd, &packed, TARN_EDATA, "frame 1", NULL);
  packed.ptr[6] = 1;
  codec_refuses(&tarn_codec_zstd, &packed, TARN_EDATA, "frame 1", NULL);
  bytes_free(&packed);
  bytes_free(&plain);
}

static int with_window(const struct bytes *packed, uint64_t max_window,
                       struct bytes *have, struct tarn_err *err)
{
  struct tarn_decode_limits limits = {max_window};

  return codec_decode(&tarn_codec_zstd, &limits, packed, CODEC_RANDOM, 70000,
                      have, err);
}

static void windows_to_128_mib_are_always_allowed(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0}, have = {0};
  struct tarn_err err;

  pack(&packed, &s->plain_b, 1, 0, 27);
  assert_int_equal(packed.ptr[5], 17 << 3);
  assert_int_equal(with_window(&packed, 0, &have, &err), 0);
  assert_int_equal(with_window(&packed, 1 << 20, &have, &err), 0);
  assert_int_equal(have.len, s->plain_b.len);
  bytes_free(&packed);
  bytes_free(&have);
}

static void a_larger_window_needs_the_limit_and_names_the_option(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0}, have = {0};
  struct tarn_err err;

  /* 128 MiB and an eighth: not a power of two. */
  pack(&packed, &s->plain_b, 1, 0, 27);
  packed.ptr[5] = 17 << 3 | 1;
  assert_int_equal(with_window(&packed, 0, &have, &err), TARN_ENOTSUP);
  assert_int_equal(have.len, 0);
  assert_non_null(strstr(err.text, "150994944"));
  assert_non_null(strstr(err.text, "134217728"));
  assert_non_null(strstr(err.text, "--memory"));
  assert_int_equal(with_window(&packed, 150994943, &have, &err), TARN_ENOTSUP);
  assert_int_equal(with_window(&packed, 150994944, &have, &err), 0);
  assert_int_equal(have.len, s->plain_b.len);
  bytes_free(&packed);
  bytes_free(&have);
}

static void a_window_no_build_can_hold_is_refused(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0}, have = {0};
  struct tarn_err err;

  pack(&packed, &s->plain_b, 1, 0, 27);
  packed.ptr[5] = 0xff;
  assert_int_equal(with_window(&packed, UINT64_MAX, &have, &err), TARN_ENOTSUP);
  assert_int_equal(have.len, 0);
  bytes_free(&packed);
  bytes_free(&have);
}

static void a_frame_that_needs_a_dictionary_says_so(void **state)
{
  static const uint8_t head[] = {0x28, 0xb5, 0x2f, 0xfd, 0x01,
                                 0x20, 0x07, 0x01, 0x00, 0x00};
  struct bytes packed = {0};

  (void)state;
  bytes_put(&packed, head, sizeof head);
  codec_refuses(&tarn_codec_zstd, &packed, TARN_ENOTSUP, "dictionary", NULL);
  bytes_free(&packed);
}

static void memory_counts_the_window(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0};
  struct tarn_decoder *dec;
  uint8_t room[100];
  struct tarn_out out = {room, sizeof room, 0};
  struct tarn_in in = {0};

  pack(&packed, &s->plain_b, 1, 0, 23);
  in.ptr = packed.ptr;
  in.size = packed.len;
  assert_int_equal(tarn_decoder_new(&dec, &tarn_codec_zstd, NULL, NULL), 0);
  assert_true(tarn_decoder_memory(dec) < 1 << 20);
  assert_int_equal(tarn_decoder_step(dec, &in, &out, NULL), 0);
  assert_true(tarn_decoder_memory(dec) > 8 << 20);
  tarn_decoder_free(dec);
  bytes_free(&packed);
}

int main(void)
{
  struct CMUnitTest tests[] = {
      cmocka_unit_test(every_frame_is_read_and_padding_accepted),
      cmocka_unit_test(a_frame_cut_anywhere_is_truncated),
      cmocka_unit_test(no_flipped_bit_gives_wrong_bytes_with_success),
      cmocka_unit_test(skippable_frames_may_stand_anywhere),
      cmocka_unit_test(frames_with_and_without_size_and_checksum_are_read),
      cmocka_unit_test(frames_of_all_kinds_in_any_order_are_one_stream),
      cmocka_unit_test(every_kind_of_frame_cut_anywhere_is_truncated),
      cmocka_unit_test(a_reserved_bit_is_refused),
      cmocka_unit_test(a_later_frame_with_a_large_window_is_refused_too),
      cmocka_unit_test(a_wrong_content_checksum_is_named),
      cmocka_unit_test(a_wrong_content_size_is_refused_without_a_checksum),
      cmocka_unit_test(
          a_wrong_size_of_a_frame_that_ends_in_an_empty_block_is_refused),
      cmocka_unit_test(windows_to_128_mib_are_always_allowed),
      cmocka_unit_test(a_larger_window_needs_the_limit_and_names_the_option),
      cmocka_unit_test(a_window_no_build_can_hold_is_refused),
      cmocka_unit_test(memory_counts_the_window),
      cmocka_unit_test(a_frame_that_needs_a_dictionary_says_so),
  };

  return codec_run(&tarn_codec_zstd, pack_one, tests,
                   sizeof tests / sizeof tests[0]);
}
