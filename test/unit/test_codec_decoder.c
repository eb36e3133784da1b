#include "codec/codec.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "codec_harness.h"

/* The linker sends malloc and calloc of this program and the layer here. */
void *__real_malloc(size_t len);
void *__real_calloc(size_t n, size_t len);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t n, size_t len);

/* Allocations until one fails; negative: none fails. */
static int allocations_left = -1;

static bool fails_now(void)
{
  return allocations_left >= 0 && allocations_left-- == 0;
}

void *__wrap_malloc(size_t len)
{
  return fails_now() ? NULL : __real_malloc(len);
}

void *__wrap_calloc(size_t n, size_t len)
{
  return fails_now() ? NULL : __real_calloc(n, len);
}

/* "hello hello hello hello" and a line feed, by the programs of each format. */
static const uint8_t gzip_hello[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03,
    0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0xb9,
    0x00, 0x00, 0x88, 0x59, 0x0b, 0x18, 0x00, 0x00, 0x00};
static const uint8_t lz4_hello[] = {
    0x04, 0x22, 0x4d, 0x18, 0x64, 0x40, 0xa7, 0x0f, 0x00, 0x00, 0x00, 0x69,
    0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x06, 0x00, 0x50, 0x65, 0x6c, 0x6c,
    0x6f, 0x0a, 0x00, 0x00, 0x00, 0x00, 0xe2, 0xff, 0x03, 0x42};
static const uint8_t legacy_hello[] = {
    0x02, 0x21, 0x4c, 0x18, 0x0f, 0x00, 0x00, 0x00, 0x69, 0x68, 0x65, 0x6c,
    0x6c, 0x6f, 0x20, 0x06, 0x00, 0x50, 0x65, 0x6c, 0x6c, 0x6f, 0x0a};
static const uint8_t zstd_hello[] = {0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x6d,
                                     0x00, 0x00, 0x38, 0x68, 0x65, 0x6c, 0x6c,
                                     0x6f, 0x20, 0x0a, 0x01, 0x00, 0x99, 0x4b,
                                     0x11, 0xa8, 0x7c, 0x2e, 0xa8};
static const uint8_t xz_hello[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36,
    0x02, 0x00, 0x21, 0x01, 0x0c, 0x00, 0x00, 0x00, 0x8f, 0x98, 0x41, 0x9c,
    0xe0, 0x00, 0x17, 0x00, 0x0d, 0x5d, 0x00, 0x34, 0x19, 0x49, 0xdb, 0x85,
    0x5c, 0x67, 0xde, 0x76, 0x15, 0x7d, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x88, 0x59, 0x0b, 0x00, 0x01, 0x25, 0x18, 0x9a, 0xfd, 0x19, 0xdb,
    0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a};
static const uint8_t bzip2_hello[] = {
    0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x6f, 0x4f,
    0x10, 0xf3, 0x00, 0x00, 0x05, 0xd1, 0x00, 0x00, 0x10, 0x40, 0x00, 0x02,
    0x44, 0xa0, 0x00, 0x30, 0xc0, 0x02, 0xa8, 0x34, 0x71, 0x0d, 0xad, 0x87,
    0x0f, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0x6f, 0x4f, 0x10, 0xf3};

static const struct {
  enum tarn_compression kind;
  const uint8_t *ptr;
  size_t len;
} hellos[] = {
    {TARN_COMPRESSION_GZIP, gzip_hello, sizeof gzip_hello},
    {TARN_COMPRESSION_LZ4, lz4_hello, sizeof lz4_hello},
    {TARN_COMPRESSION_LZ4, legacy_hello, sizeof legacy_hello},
    {TARN_COMPRESSION_ZSTD, zstd_hello, sizeof zstd_hello},
    {TARN_COMPRESSION_XZ, xz_hello, sizeof xz_hello},
    {TARN_COMPRESSION_BZIP2, bzip2_hello, sizeof bzip2_hello},
};

static const char hello[] = "hello hello hello hello\n";

/* Decodes without help of the harness, which would allocate. */
static int decode(const struct tarn_codec *codec, const uint8_t *ptr,
                  size_t len, uint8_t *room, size_t cap, size_t *n,
                  struct tarn_err *err)
{
  struct tarn_decoder *dec;
  struct tarn_in in = {ptr, len, 0};
  struct tarn_out out = {room, cap, 0};
  int rc = tarn_decoder_new(&dec, codec, NULL, err);

  if (rc < 0) {
    assert_null(dec);
    return rc;
  }
  rc = tarn_decoder_step(dec, &in, &out, err);
  if (rc == 0)
    rc = tarn_decoder_finish(dec, err);
  *n = out.pos;
  tarn_decoder_free(dec);
  return rc;
}

static void what_the_usual_programs_write_is_read(void **state)
{
  size_t i;

  (void)state;
  for (i = 0; i < sizeof hellos / sizeof hellos[0]; i++) {
    const struct tarn_codec *codec = tarn_codec_by_kind(hellos[i].kind);
    struct bytes in = {0}, plain = {0};

    if (!codec->open)
      continue;
    bytes_put(&in, hellos[i].ptr, hellos[i].len);
    bytes_put(&plain, hello, sizeof hello - 1);
    codec_gives(codec, &in, &plain);
    bytes_free(&in);
    bytes_free(&plain);
  }
}

static void every_allocation_that_fails_is_an_error(void **state)
{
  size_t i, n = 0;
  int fail, rc;

  (void)state;
  for (i = 0; i < sizeof hellos / sizeof hellos[0]; i++) {
    const struct tarn_codec *codec = tarn_codec_by_kind(hellos[i].kind);
    struct tarn_err err = {0};
    uint8_t room[100];

    if (!codec->open)
      continue;
    for (fail = 0, rc = TARN_ENOMEM; rc == TARN_ENOMEM; fail++) {
      allocations_left = fail;
      rc = decode(codec, hellos[i].ptr, hellos[i].len, room, sizeof room, &n,
                  &err);
      allocations_left = -1;
      if (rc == TARN_ENOMEM)
        assert_non_null(strstr(err.text, codec->name));
    }
    assert_int_equal(rc, 0);
    assert_int_equal(n, sizeof hello - 1);
    assert_true(fail > 2); /* the decoder, the codec's state, then none */
  }
}

static void the_first_error_is_told_for_ever(void **state)
{
  const struct tarn_codec *codec = tarn_codec_by_kind(TARN_COMPRESSION_GZIP);
  struct bytes in = {0};
  struct tarn_err first = {0}, next = {0};
  struct tarn_decoder *dec;
  uint8_t room[100];
  struct tarn_out out = {room, sizeof room, 0};
  struct tarn_in piece;

  (void)state;
  bytes_put(&in, gzip_hello, sizeof gzip_hello);
  in.ptr[in.len - 8] ^= 1;
  piece = (struct tarn_in){in.ptr, in.len, 0};
  assert_int_equal(tarn_decoder_new(&dec, codec, NULL, NULL), 0);
  assert_int_equal(tarn_decoder_step(dec, &piece, &out, &first), TARN_EDATA);
  assert_int_equal(first.code, TARN_EDATA);
  piece = (struct tarn_in){gzip_hello, sizeof gzip_hello, 0};
  out.pos = 0;
  assert_int_equal(tarn_decoder_step(dec, &piece, &out, &next), TARN_EDATA);
  assert_int_equal(piece.pos, 0);
  assert_int_equal(out.pos, 0);
  assert_string_equal(first.text, next.text);
  assert_int_equal(first.at, next.at);
  memset(&next, 0, sizeof next);
  assert_int_equal(tarn_decoder_finish(dec, &next), TARN_EDATA);
  assert_string_equal(first.text, next.text);
  assert_int_equal(tarn_decoder_step(dec, &piece, &out, NULL), TARN_EDATA);
  tarn_decoder_free(dec);
  bytes_free(&in);
}

static void steps_with_empty_windows_change_nothing(void **state)
{
  size_t i, k;

  (void)state;
  for (i = 0; i < sizeof hellos / sizeof hellos[0]; i++) {
    const struct tarn_codec *codec = tarn_codec_by_kind(hellos[i].kind);
    struct tarn_decoder *dec;
    uint8_t room[100];
    struct tarn_out out = {room, sizeof room, 0};
    struct tarn_in in = {hellos[i].ptr, 0, 0};

    if (!codec->open)
      continue;
    assert_int_equal(tarn_decoder_new(&dec, codec, NULL, NULL), 0);
    for (in.size = 0; in.size <= hellos[i].len; in.size++)
      for (k = 0; k < 40; k++) {
        struct tarn_in nothing = {NULL, 0, 0};
        struct tarn_out nowhere = {NULL, 0, 0};

        assert_int_equal(tarn_decoder_step(dec, &nothing, &out, NULL), 0);
        assert_int_equal(tarn_decoder_step(dec, &in, &nowhere, NULL), 0);
        assert_int_equal(tarn_decoder_step(dec, &in, &out, NULL), 0);
        assert_int_equal(in.pos, in.size);
      }
    assert_int_equal(tarn_decoder_finish(dec, NULL), 0);
    assert_int_equal(out.pos, sizeof hello - 1);
    assert_memory_equal(room, hello, sizeof hello - 1);
    tarn_decoder_free(dec);
  }
}

static void a_codec_that_is_not_built_in_is_refused_by_name(void **state)
{
  static const struct tarn_codec missing = {.name = "brotli"};
  struct tarn_decoder *dec;
  struct tarn_err err;

  (void)state;
  assert_int_equal(tarn_decoder_new(&dec, &missing, NULL, &err), TARN_ENOTSUP);
  assert_null(dec);
  assert_non_null(strstr(err.text, "brotli"));
  tarn_decoder_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_usual_programs_write_is_read),
      cmocka_unit_test(every_allocation_that_fails_is_an_error),
      cmocka_unit_test(the_first_error_is_told_for_ever),
      cmocka_unit_test(steps_with_empty_windows_change_nothing),
      cmocka_unit_test(a_codec_that_is_not_built_in_is_refused_by_name),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
