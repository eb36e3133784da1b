#include "codec/formats.h"

#include <stdarg.h>
#include <setjmp.h>

#include <cmocka.h>
#include <zlib.h>

#include "codec_harness.h"

/* One member of `plain`; `head` may ask for the optional fields. */
static void pack(struct bytes *packed, const struct bytes *plain, int level,
                 gz_header *head)
{
  struct bytes none = {0};
  z_stream z = {0};

  assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 31, 9, 0), Z_OK);
  if (head)
    assert_int_equal(deflateSetHeader(&z, head), Z_OK);
  z.next_in = bytes_room(&none, 1);
  if (plain->len)
    z.next_in = plain->ptr;
  z.avail_in = (uInt)plain->len;
  z.avail_out = (uInt)(plain->len + plain->len / 8 + 400);
  z.next_out = bytes_room(packed, z.avail_out);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  packed->len += z.total_out;
  deflateEnd(&z);
  bytes_free(&none);
}

static void pack_one(struct bytes *packed, const struct bytes *plain)
{
  pack(packed, plain, 6, NULL);
}

static void every_member_is_read_and_padding_accepted(void **state)
{
  codec_test_reads_on(state);
}

static void a_member_cut_anywhere_is_truncated(void **state)
{
  codec_test_cuts(state);
}

static void no_flipped_bit_gives_wrong_bytes_with_success(void **state)
{
  codec_test_damage(state);
}

static void extra_name_comment_and_header_crc_are_read(void **state)
{
  struct codec_pair *s = *state;
  char name[] = "name of a file", comment[] = "a comment";
  uint8_t extra[] = {'t', 'a', 2, 0, 7, 7};
  gz_header head = {.text = 1,
                    .time = 12345,
                    .extra = extra,
                    .extra_len = sizeof extra,
                    .name = (Bytef *)name,
                    .comment = (Bytef *)comment,
                    .hcrc = 1};
  struct bytes packed = {0};

  pack(&packed, &s->plain_a, 6, &head);
  codec_gives(&tarn_codec_gzip, &packed, &s->plain_a);
  codec_misses_the_end(&tarn_codec_gzip, &packed);
  packed.ptr[17] ^= 1; /* within the extra field: only hcrc sees it */
  codec_refuses(&tarn_codec_gzip, &packed, TARN_EDATA, "member 1", NULL);
  bytes_free(&packed);
}

static void every_set_of_header_fields_is_read(void **state)
{
  struct codec_pair *s = *state;
  char name[] = "n", comment[] = "c";
  uint8_t extra[300] = {1};
  unsigned i;

  for (i = 0; i < 32; i++) {
    struct bytes packed = {0};
    gz_header head = {.text = i & 1,
                      .extra = i & 2 ? extra : NULL,
                      .extra_len = sizeof extra,
                      .name = i & 4 ? (Bytef *)name : NULL,
                      .comment = i & 8 ? (Bytef *)comment : NULL,
                      .hcrc = i >> 4 & 1};

    pack(&packed, &s->plain_a, 6, &head);
    codec_gives(&tarn_codec_gzip, &packed, &s->plain_a);
    codec_misses_the_end(&tarn_codec_gzip, &packed);
    bytes_free(&packed);
  }
}

static void members_of_every_level_are_read(void **state)
{
  struct codec_pair *s = *state;
  struct bytes packed = {0}, plain = {0}, noise = {0};
  int i;

  bytes_noise(&noise, 3000, 4);
  for (i = 0; i < 10; i++) {
    pack(&packed, i % 2 ? &noise : &s->plain_b, i, NULL);
    bytes_put(&plain, i % 2 ? noise.ptr : s->plain_b.ptr,
              i % 2 ? noise.len : s->plain_b.len);
  }
  codec_gives(&tarn_codec_gzip, &packed, &plain);
  bytes_free(&packed);
  bytes_free(&plain);
  bytes_free(&noise);
}

static void a_wrong_crc_is_refused_with_its_offset(void **state)
{
  struct codec_pair *s = *state;
  struct tarn_err err;

  s->a.ptr[s->a.len - 8] ^= 1;
  codec_refuses(&tarn_codec_gzip, &s->a, TARN_EDATA, "incorrect data check",
                &err);
  assert_true(err.at >= s->a.len - 8);
}

static void a_wrong_size_is_refused(void **state)
{
  struct codec_pair *s = *state;

  s->a.ptr[s->a.len - 1] ^= 1;
  codec_refuses(&tarn_codec_gzip, &s->a, TARN_EDATA, "incorrect length check",
                NULL);
  s->a.ptr[s->a.len - 1] ^= 1;
  bytes_put(&s->a, s->b.ptr, s->b.len); /* and in a later member */
  s->a.ptr[s->a.len - 4]++;
  codec_refuses(&tarn_codec_gzip, &s->a, TARN_EDATA,
                "member 2: incorrect length check", NULL);
}

static void a_reserved_flag_or_an_unknown_method_is_refused(void **state)
{
  struct codec_pair *s = *state;

  s->a.ptr[3] |= 0x80;
  codec_refuses(&tarn_codec_gzip, &s->a, TARN_EDATA, "member 1", NULL);
  s->a.ptr[3] = 0;
  s->a.ptr[2] = 7;
  codec_refuses(&tarn_codec_gzip, &s->a, TARN_EDATA, "starts at byte 0", NULL);
}

static void an_empty_member_and_many_small_ones_are_fine(void **state)
{
  struct bytes none = {0}, packed = {0}, plain = {0};
  int i;

  (void)state;
  pack(&packed, &none, 6, NULL);
  codec_gives(&tarn_codec_gzip, &packed, &none);
  for (i = 0; i < 50; i++) {
    struct bytes part = {0};

    bytes_fill(&part, (size_t)i * 7, (unsigned)i);
    pack(&packed, &part, i % 10, NULL);
    bytes_put(&plain, part.ptr, part.len);
    bytes_free(&part);
  }
  codec_gives(&tarn_codec_gzip, &packed, &plain);
  bytes_free(&packed);
  bytes_free(&plain);
}

static void
memory_counts_the_window_and_does_not_grow_with_members(void **state)
{
  struct codec_pair *s = *state;
  struct tarn_decoder *dec;
  uint8_t room[1000];
  size_t before;
  int i;

  assert_int_equal(tarn_decoder_new(&dec, &tarn_codec_gzip, NULL, NULL), 0);
  before = 0;
  for (i = 0; i < 5; i++) {
    struct tarn_in in = {s->a.ptr, s->a.len, 0};
    struct tarn_out out = {room, sizeof room, 0};

    assert_int_equal(tarn_decoder_step(dec, &in, &out, NULL), 0);
    assert_int_equal(in.pos, in.size);
    if (before)
      assert_int_equal(tarn_decoder_memory(dec), before);
    before = tarn_decoder_memory(dec);
  }
  assert_in_range(before, 1000, 64 << 10);
  tarn_decoder_free(dec);
}

int main(void)
{
  struct CMUnitTest tests[] = {
      cmocka_unit_test(every_member_is_read_and_padding_accepted),
      cmocka_unit_test(a_member_cut_anywhere_is_truncated),
      cmocka_unit_test(no_flipped_bit_gives_wrong_bytes_with_success),
      cmocka_unit_test(extra_name_comment_and_header_crc_are_read),
      cmocka_unit_test(every_set_of_header_fields_is_read),
      cmocka_unit_test(members_of_every_level_are_read),
      cmocka_unit_test(a_wrong_crc_is_refused_with_its_offset),
      cmocka_unit_test(a_wrong_size_is_refused),
      cmocka_unit_test(a_reserved_flag_or_an_unknown_method_is_refused),
      cmocka_unit_test(an_empty_member_and_many_small_ones_are_fine),
      cmocka_unit_test(memory_counts_the_window_and_does_not_grow_with_members),
  };

  return codec_run(&tarn_codec_gzip, pack_one, tests,
                   sizeof tests / sizeof tests[0]);
}
