#include "codec/formats.h"

#include <stdarg.h>
#include <setjmp.h>

#include <cmocka.h>
#include <lz4.h>
#include <lz4frame.h>

#include "codec_harness.h"

static void put_le32(struct bytes *b, uint32_t value)
{
  uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8),
                      (uint8_t)(value >> 16), (uint8_t)(value >> 24)};

  bytes_put(b, bytes, sizeof bytes);
}

static void put_block(struct bytes *packed, const uint8_t *ptr, size_t len)
{
  struct bytes block = {0};
  int cap = LZ4_compressBound((int)len);

  block.len = (size_t)LZ4_compress_default(
      (const char *)ptr, (char *)bytes_room(&block, (size_t)cap), (int)len,
      cap);
  put_le32(packed, (uint32_t)block.len);
  bytes_put(packed, block.ptr, block.len);
  bytes_free(&block);
}

/* A legacy frame in blocks of `size` bytes. */
static void pack(struct bytes *packed, const struct bytes *plain, size_t size)
{
  size_t at;

  put_le32(packed, 0x184c2102u);
  for (at = 0; at < plain->len; at += size)
    put_block(packed, plain->ptr + at,
              plain->len - at < size ? plain->len - at : size);
}

static void pack_one(struct bytes *packed, const struct bytes *plain)
{
  pack(packed, plain, 30000);
}

static void legacy_frames_end_with_the_input_or_another_magic(void **state)
{
  static const uint8_t skippable[] = {0x5a, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7};
  struct codec_pair *s = *state;
  struct bytes in = {0}, plain = {0};
  size_t cap = LZ4F_compressFrameBound(s->plain_a.len, NULL);

  codec_gives(&tarn_codec_lz4, &s->b, &s->plain_b);
  bytes_put(&in, s->a.ptr, s->a.len);
  bytes_put(&in, s->b.ptr, s->b.len);
  bytes_put(&plain, s->plain_a.ptr, s->plain_a.len);
  bytes_put(&plain, s->plain_b.ptr, s->plain_b.len);
  codec_gives(&tarn_codec_lz4, &in, &plain);

  bytes_put(&in, skippable, sizeof skippable);
  bytes_put(&in, s->a.ptr, s->a.len);
  bytes_put(&plain, s->plain_a.ptr, s->plain_a.len);
  codec_gives(&tarn_codec_lz4, &in, &plain);

  bytes_room(&in, cap);
  in.len += LZ4F_compressFrame(in.ptr + in.len, cap, s->plain_a.ptr,
                               s->plain_a.len, NULL);
  bytes_put(&plain, s->plain_a.ptr, s->plain_a.len);
  codec_gives(&tarn_codec_lz4, &in, &plain);
  bytes_put(&in, s->a.ptr, s->a.len);
  bytes_put(&plain, s->plain_a.ptr, s->plain_a.len);
  codec_gives(&tarn_codec_lz4, &in, &plain);
  bytes_free(&in);
  bytes_free(&plain);
}

static void zero_bytes_behind_a_legacy_frame_are_padding(void **state)
{
  struct codec_pair *s = *state;
  size_t n_zeros;

  for (n_zeros = 1; n_zeros < 12; n_zeros++) {
    bytes_zeros(&s->a, 1);
    codec_gives(&tarn_codec_lz4, &s->a, &s->plain_a);
  }
  bytes_put(&s->a, "x", 1);
  codec_refuses(&tarn_codec_lz4, &s->a, TARN_EDATA, "neither", NULL);
}

static void bytes_behind_that_are_no_magic_are_damage(void **state)
{
  struct codec_pair *s = *state;
  struct tarn_err err;

  bytes_put(&s->a, "\x04\x22\x4d\x17", 4);
  codec_refuses(&tarn_codec_lz4, &s->a, TARN_EDATA, "neither", &err);
  assert_int_equal(err.at, s->a.len - 1);
}

static void a_legacy_frame_cut_within_a_block_is_truncated(void **state)
{
  struct codec_pair *s = *state;
  struct bytes part = s->a, have = {0};
  struct tarn_err err;

  for (part.len = 0; part.len < s->a.len; part.len++) {
    int rc = codec_decode(&tarn_codec_lz4, NULL, &part, CODEC_BYTES, 100, &have,
                          &err);

    /* Behind the magic number the frame may end, empty. */
    assert_int_equal(rc, part.len == 4 ? 0 : TARN_ETRUNCATED);
    if (rc)
      assert_int_equal(err.at, part.len);
  }
  bytes_free(&have);
}

static void a_block_that_cannot_be_decoded_is_damage(void **state)
{
  struct bytes in = {0};

  (void)state;
  put_le32(&in, 0x184c2102u);
  put_le32(&in, 5);
  bytes_put(&in, "\x0f\xff\xff\xff\xff", 5);
  codec_refuses(&tarn_codec_lz4, &in, TARN_EDATA, "cannot be decoded", NULL);
  bytes_free(&in);
}

static void a_block_of_more_than_eight_mebibytes_is_damage(void **state)
{
  struct bytes plain = {0}, packed = {0}, have = {0};
  struct tarn_err err;

  (void)state;
  bytes_zeros(&plain, (8 << 20) + 1);
  pack(&packed, &plain, plain.len);
  assert_int_equal(codec_decode(&tarn_codec_lz4, NULL, &packed, CODEC_WHOLE,
                                20 << 20, &have, &err),
                   TARN_EDATA);
  assert_int_equal(codec_decode(&tarn_codec_lz4, NULL, &packed, CODEC_RANDOM,
                                1000, &have, &err),
                   TARN_EDATA);
  bytes_free(&plain);
  bytes_free(&packed);
  bytes_free(&have);
}

static void blocks_of_eight_mebibytes_are_decoded(void **state)
{
  struct bytes plain = {0}, packed = {0}, have = {0};
  struct tarn_err err;

  (void)state;
  bytes_zeros(&plain, (8 << 20) + 5000);
  plain.ptr[8 << 20] = 1;
  pack(&packed, &plain, 8 << 20);
  assert_int_equal(codec_decode(&tarn_codec_lz4, NULL, &packed, CODEC_RANDOM,
                                100000, &have, &err),
                   0);
  assert_int_equal(have.len, plain.len);
  assert_memory_equal(have.ptr, plain.ptr, plain.len);
  assert_int_equal(codec_decode(&tarn_codec_lz4, NULL, &packed, CODEC_WHOLE,
                                20 << 20, &have, &err),
                   0);
  assert_int_equal(have.len, plain.len);
  assert_memory_equal(have.ptr, plain.ptr, plain.len);
  bytes_free(&plain);
  bytes_free(&packed);
  bytes_free(&have);
}

int main(void)
{
  struct CMUnitTest tests[] = {
      cmocka_unit_test(legacy_frames_end_with_the_input_or_another_magic),
      cmocka_unit_test(zero_bytes_behind_a_legacy_frame_are_padding),
      cmocka_unit_test(bytes_behind_that_are_no_magic_are_damage),
      cmocka_unit_test(a_legacy_frame_cut_within_a_block_is_truncated),
      cmocka_unit_test(a_block_that_cannot_be_decoded_is_damage),
      cmocka_unit_test(a_block_of_more_than_eight_mebibytes_is_damage),
      cmocka_unit_test(blocks_of_eight_mebibytes_are_decoded),
  };

  return codec_run(&tarn_codec_lz4, pack_one, tests,
                   sizeof tests / sizeof tests[0]);
}
