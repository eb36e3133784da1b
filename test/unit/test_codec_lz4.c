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

/* The `i`th of 64 combinations of a frame's options. */
static LZ4F_preferences_t combination(unsigned i, size_t content)
{
  LZ4F_preferences_t prefs = {0};

  prefs.frameInfo.blockSizeID = (LZ4F_blockSizeID_t)(4 + i % 4);
  prefs.frameInfo.blockMode = i & 4 ? LZ4F_blockIndependent : LZ4F_blockLinked;
  prefs.frameInfo.contentChecksumFlag =
      i & 8 ? LZ4F_contentChecksumEnabled : LZ4F_noContentChecksum;
  prefs.frameInfo.blockChecksumFlag =
      i & 16 ? LZ4F_blockChecksumEnabled : LZ4F_noBlockChecksum;
  prefs.frameInfo.contentSize = i & 32 ? content : 0;
  return prefs;
}

/* With the block size asked for: LZ4F_compressFrame chooses a smaller one
   when the content is small. A block ends after each `piece` bytes at last. */
static void pack_in_pieces(struct bytes *packed, const struct bytes *plain,
                           LZ4F_preferences_t prefs, size_t piece)
{
  LZ4F_cctx *c;
  size_t at, cap = LZ4F_compressBound(piece, &prefs) + 64;
  size_t len;

  prefs.autoFlush = 1;
  assert_false(LZ4F_isError(LZ4F_createCompressionContext(&c, LZ4F_VERSION)));
  packed->len += LZ4F_compressBegin(c, bytes_room(packed, cap), cap, &prefs);
  for (at = 0; at < plain->len; at += piece) {
    len = plain->len - at < piece ? plain->len - at : piece;
    len = LZ4F_compressUpdate(c, bytes_room(packed, cap), cap, plain->ptr + at,
                              len, NULL);
    assert_false(LZ4F_isError(len));
    packed->len += len;
  }
  len = LZ4F_compressEnd(c, bytes_room(packed, cap), cap, NULL);
  assert_false(LZ4F_isError(len));
  packed->len += len;
  LZ4F_freeCompressionContext(c);
}

static void all_frame_options_are_read(void **state)
{
  struct codec_pair *s = *state;
  unsigned i;

  s->plain_b.len = 12000;
  for (i = 0; i < 64; i++) {
    LZ4F_preferences_t prefs = combination(i, s->plain_b.len);
    struct bytes packed = {0};

    pack_in_pieces(&packed, &s->plain_b, prefs, 3000);
    assert_int_equal(packed.ptr[5] >> 4, 4 + i % 4);
    codec_gives(&tarn_codec_lz4, &packed, &s->plain_b);
    bytes_free(&packed);
  }
}

static void full_blocks_of_every_size_are_read(void **state)
{
  unsigned i;

  (void)state;
  for (i = 0; i < 32; i++) {
    struct bytes plain = {0}, packed = {0};
    LZ4F_preferences_t prefs;

    bytes_fill(&plain, 10000, 8);
    bytes_zeros(&plain, (size_t)65536 << (2 * (i % 4)));
    bytes_fill(&plain, 10000, 8);
    prefs = combination(i, plain.len);
    pack(&packed, &plain, &prefs);
    assert_int_equal(packed.ptr[5] >> 4, 4 + i % 4);
    codec_gives_large(&tarn_codec_lz4, &packed, &plain);
    bytes_free(&packed);
    bytes_free(&plain);
  }
}

static void blocks_that_are_not_compressed_are_read(void **state)
{
  struct bytes plain = {0}, small = {0};
  unsigned i;

  (void)state;
  bytes_noise(&plain, 66000, 8);
  bytes_noise(&small, 300, 9);
  for (i = 0; i < 64; i += 4) {
    LZ4F_preferences_t prefs = combination(i, plain.len);
    struct bytes packed = {0};

    pack(&packed, &plain, &prefs);
    assert_true(packed.len > plain.len);
    codec_gives_large(&tarn_codec_lz4, &packed, &plain);
    packed.len = 0;
    prefs = combination(i, small.len);
    pack_in_pieces(&packed, &small, prefs, 100);
    assert_true(packed.len > small.len);
    codec_gives(&tarn_codec_lz4, &packed, &small);
    codec_misses_the_end(&tarn_codec_lz4, &packed);
    if (i & 8) /* a checksum of the content */
      codec_sees_damage(&tarn_codec_lz4, &packed, &small);
    bytes_free(&packed);
  }
  bytes_free(&small);
  bytes_free(&plain);
}

static void a_frame_of_any_options_cut_anywhere_is_truncated(void **state)
{
  struct codec_pair *s = *state;
  unsigned i;

  for (i = 0; i < 64; i += 4) {
    struct bytes packed = {0};

    pack_in_pieces(&packed, &s->plain_a, combination(i, s->plain_a.len), 400);
    codec_misses_the_end(&tarn_codec_lz4, &packed);
    bytes_free(&packed);
  }
}

static void every_flipped_bit_is_seen_where_the_content_is_checked(void **state)
{
  struct codec_pair *s = *state;
  unsigned i;

  for (i = 8; i < 64; i += 4) {
    struct bytes packed = {0};

    if (!(i & 8))
      continue;
    pack_in_pieces(&packed, &s->plain_a, combination(i, s->plain_a.len), 400);
    codec_sees_damage(&tarn_codec_lz4, &packed, &s->plain_a);
    bytes_free(&packed);
  }
}

static void frames_of_all_kinds_in_any_order_are_one_stream(void **state)
{
  static const uint8_t skippable[] = {0x53, 0x2a, 0x4d, 0x18, 3,   0,
                                      0,    0,    0x04, 0x22, 0x4d};
  struct codec_pair *s = *state;
  struct bytes parts[10] = {{0}}, plains[10] = {{0}};
  unsigned i;

  for (i = 0; i < 8; i++) {
    bytes_put(&plains[i], s->plain_b.ptr, i * 700);
    pack_in_pieces(&parts[i], &plains[i], combination(i * 9, i * 700), 999);
  }
  bytes_put(&parts[8], skippable, sizeof skippable);
  /* A legacy frame of one block of literals; it ends with the next magic. */
  bytes_put(&parts[9], "\x02\x21\x4c\x18\x06\0\0\0\x50hello", 14);
  bytes_put(&plains[9], "hello", 5);
  for (i = 0; i < 12; i++)
    codec_gives_any_row(&tarn_codec_lz4, parts, plains, 10, i);
  for (i = 0; i < 10; i++) {
    bytes_free(&parts[i]);
    bytes_free(&plains[i]);
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

static void set_descriptor(struct bytes *packed, size_t at, uint8_t value)
{
  packed->ptr[4 + at] = value;
  packed->ptr[6] = (uint8_t)(xxh32_short(packed->ptr + 4, 2) >> 8);
}

static void
reserved_bits_and_unknown_sizes_and_versions_are_refused(void **state)
{
  static const struct {
    uint8_t at, value;
    const char *text;
  } cases[] = {{0, 0x62, "reserved flag"}, {0, 0xa0, "version"},
               {1, 0x41, "reserved flag"}, {1, 0xc0, "reserved flag"},
               {1, 0x30, "block size"},    {1, 0x00, "block size"},
               {0, 0x20, "version"}};
  struct codec_pair *s = *state;
  size_t i;

  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct bytes packed = {0};

    pack(&packed, &s->plain_a, NULL);
    set_descriptor(&packed, cases[i].at, cases[i].value);
    codec_refuses(&tarn_codec_lz4, &packed, TARN_EDATA, cases[i].text, NULL);
    bytes_free(&packed);
  }
}

static void a_wrong_header_checksum_is_named(void **state)
{
  struct codec_pair *s = *state;

  s->b.ptr[14] ^= 1;
  codec_refuses(&tarn_codec_lz4, &s->b, TARN_EDATA, "header checksum", NULL);
}

static void a_block_longer_than_the_frame_allows_is_refused(void **state)
{
  struct bytes packed = {0}, noise = {0};
  LZ4F_preferences_t prefs = {0};

  (void)state;
  bytes_noise(&noise, 70000, 1);
  prefs.frameInfo.blockSizeID = LZ4F_max64KB;
  pack(&packed, &noise, &prefs);
  packed.ptr[9]++; /* 64 KiB, in the third byte of the block's size */
  codec_refuses(&tarn_codec_lz4, &packed, TARN_EDATA, "block size", NULL);
  bytes_free(&packed);
  bytes_free(&noise);
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
      cmocka_unit_test(full_blocks_of_every_size_are_read),
      cmocka_unit_test(blocks_that_are_not_compressed_are_read),
      cmocka_unit_test(a_frame_of_any_options_cut_anywhere_is_truncated),
      cmocka_unit_test(every_flipped_bit_is_seen_where_the_content_is_checked),
      cmocka_unit_test(frames_of_all_kinds_in_any_order_are_one_stream),
      cmocka_unit_test(
          reserved_bits_and_unknown_sizes_and_versions_are_refused),
      cmocka_unit_test(a_wrong_header_checksum_is_named),
      cmocka_unit_test(a_block_longer_than_the_frame_allows_is_refused),
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
