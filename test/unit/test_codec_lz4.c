#include "codec/formats.h"

#include <stdarg.h>
#include <setjmp.h>

#include <cmocka.h>
#include <lz4frame.h>

#include "codec_harness.h"

static void pack(struct bytes *packed, const struct bytes *plain,
                 const LZ4F_preferences_t *prefs)
{
  size_t cap = LZ4F_compressFrameBound(plain->len, prefs);
  size_t len = LZ4F_compressFrame(bytes_room(packed, cap), cap, plain->ptr,
                                  plain->len, prefs);

  assert_false(LZ4F_isError(len));
  packed->len += len;
}

static void pack_one(struct bytes *packed, const struct bytes *plain)
{
  LZ4F_preferences_t prefs = {0};

  prefs.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
  prefs.frameInfo.contentSize = plain->len;
  pack(packed, plain, &prefs);
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

static void all_frame_options_are_read(void **state)
{
  struct codec_pair *s = *state;
  unsigned i;

  for (i = 0; i < 64; i++) {
    LZ4F_preferences_t prefs = {0};
    struct bytes packed = {0};

    prefs.frameInfo.blockSizeID = (LZ4F_blockSizeID_t)(4 + i % 4);
    prefs.frameInfo.blockMode =
        i & 4 ? LZ4F_blockIndependent : LZ4F_blockLinked;
    prefs.frameInfo.contentChecksumFlag =
        i & 8 ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum;
    prefs.frameInfo.blockChecksumFlag =
        i & 16 ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
    prefs.frameInfo.contentSize = i & 32 ? s->plain_b.len : 0;
    pack(&packed, &s->plain_b, &prefs);
    codec_gives(&tarn_codec_lz4, &packed, &s->plain_b);
    packed.len--;
    codec_refuses(&tarn_codec_lz4, &packed, TARN_ETRUNCATED, "cut short", NULL);
    bytes_free(&packed);
  }
}

static void linked_blocks_reach_back_over_many_blocks(void **state)
{
  struct bytes plain = {0}, packed = {0};
  LZ4F_preferences_t prefs = {0};

  (void)state;
  prefs.frameInfo.blockSizeID = LZ4F_max64KB;
  bytes_fill(&plain, 400000, 5);
  pack(&packed, &plain, &prefs);
  codec_gives(&tarn_codec_lz4, &packed, &plain);
  bytes_free(&plain);
  bytes_free(&packed);
}

static void checksums_are_verified_and_named(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0};
  LZ4F_preferences_t prefs = {0};

  s->a.ptr[s->a.len - 1] ^= 1;
  codec_refuses(&tarn_codec_lz4, &s->a, TARN_EDATA, "content checksum differs",
                NULL);
  prefs.frameInfo.blockChecksumFlag = LZ4F_blockChecksumEnabled;
  pack(&packed, &s->plain_a, &prefs);
  packed.ptr[packed.len - 5] ^= 1; /* before the end mark */
  codec_refuses(&tarn_codec_lz4, &packed, TARN_EDATA, "block checksum differs",
                NULL);
  bytes_free(&packed);
}

static uint32_t rotate(uint32_t x, unsigned n)
{
  return x << n | x >> (32 - n);
}

/* XXH32 of less than 16 bytes, seed 0, as the xxHash specification has it. */
static uint32_t xxh32_short(const uint8_t *ptr, size_t len)
{
  uint32_t h = 374761393u + (uint32_t)len;

  for (; len >= 4; ptr += 4, len -= 4) {
    uint32_t k = ptr[0] | (uint32_t)ptr[1] << 8 | (uint32_t)ptr[2] << 16 |
                 (uint32_t)ptr[3] << 24;

    h = rotate(h + k * 3266489917u, 17) * 668265263u;
  }
  for (; len; ptr++, len--)
    h = rotate(h + *ptr * 374761393u, 11) * 2654435761u;
  h = (h ^ h >> 15) * 2246822519u;
  h = (h ^ h >> 13) * 3266489917u;
  return h ^ h >> 16;
}

/* Writes another content size of one byte, and the header's checksum. */
static void set_size(struct bytes *packed, uint16_t size)
{
  packed->ptr[6] = (uint8_t)size;
  packed->ptr[7] = (uint8_t)(size >> 8);
  packed->ptr[14] = (uint8_t)(xxh32_short(packed->ptr + 4, 10) >> 8);
}

static void a_wrong_content_size_is_refused(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0};
  LZ4F_preferences_t prefs = {0};

  prefs.frameInfo.contentSize = s->plain_a.len;
  pack(&packed, &s->plain_a, &prefs);
  set_size(&packed, (uint16_t)s->plain_a.len);
  codec_gives(&tarn_codec_lz4, &packed, &s->plain_a);
  set_size(&packed, (uint16_t)(s->plain_a.len + 1));
  codec_refuses(&tarn_codec_lz4, &packed, TARN_EDATA, "content size", NULL);
  set_size(&packed, (uint16_t)(s->plain_a.len - 1));
  codec_refuses(&tarn_codec_lz4, &packed, TARN_EDATA, "content size", NULL);
  set_size(&packed, 0);
  codec_refuses(&tarn_codec_lz4, &packed, TARN_EDATA, "content size", NULL);
  bytes_free(&packed);
}

static void a_frame_that_needs_a_dictionary_says_so(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0};
  LZ4F_preferences_t prefs = {0};

  prefs.frameInfo.dictID = 77;
  pack(&packed, &s->plain_a, &prefs);
  codec_refuses(&tarn_codec_lz4, &packed, TARN_ENOTSUP, "dictionary", NULL);
  bytes_free(&packed);
}

static void an_empty_frame_is_fine(void **state)
{
  struct bytes packed = {0}, none = {0};

  (void)state;
  pack_one(&packed, &none);
  codec_gives(&tarn_codec_lz4, &packed, &none);
  codec_misses_the_end(&tarn_codec_lz4, &packed);
  bytes_free(&packed);
}

static void memory_counts_the_blocks(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0};
  struct tarn_decoder *dec;
  uint8_t room[100];
  struct tarn_out out = {room, sizeof room, 0};
  struct tarn_in in = {0};
  LZ4F_preferences_t prefs = {0};

  prefs.frameInfo.blockSizeID = LZ4F_max4MB;
  pack(&packed, &s->plain_b, &prefs);
  packed.ptr[5] = 0x70;
  in.ptr = packed.ptr;
  in.size = packed.len;
  assert_int_equal(tarn_decoder_new(&dec, &tarn_codec_lz4, NULL, NULL), 0);
  assert_true(tarn_decoder_memory(dec) < 1 << 20);
  (void)tarn_decoder_step(dec, &in, &out, NULL);
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
      cmocka_unit_test(all_frame_options_are_read),
      cmocka_unit_test(checksums_are_verified_and_named),
      cmocka_unit_test(a_wrong_content_size_is_refused),
      cmocka_unit_test(a_frame_that_needs_a_dictionary_says_so),
      cmocka_unit_test(memory_counts_the_blocks),
      cmocka_unit_test(linked_blocks_reach_back_over_many_blocks),
      cmocka_unit_test(an_empty_frame_is_fine),
  };

  return codec_run(&tarn_codec_lz4, pack_one, tests,
                   sizeof tests / sizeof tests[0]);
}
