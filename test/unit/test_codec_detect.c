#include "codec/codec.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "codec/table.h"

static enum tarn_compression detect(const char *bytes, size_t len, bool at_end)
{
  uint64_t skip = 1;
  enum tarn_compression kind =
      tarn_codec_detect((const uint8_t *)bytes, len, at_end, &skip);

  assert_int_equal(skip, 0);
  return kind;
}

static const struct {
  const char *bytes;
  size_t len; /* needed to be sure */
  enum tarn_compression kind;
} magics[] = {
    {"\x1f\x8b\x08", 3, TARN_COMPRESSION_GZIP},
    {"\x04\x22\x4d\x18", 4, TARN_COMPRESSION_LZ4},
    {"\x02\x21\x4c\x18", 4, TARN_COMPRESSION_LZ4},
    {"\x28\xb5\x2f\xfd", 4, TARN_COMPRESSION_ZSTD},
    {"\xfd"
     "7zXZ\0",
     6, TARN_COMPRESSION_XZ},
    {"BZh91AY&SY", 10, TARN_COMPRESSION_BZIP2},
    {"BZh1\x17\x72\x45\x38\x50\x90", 10, TARN_COMPRESSION_BZIP2},
};

static void every_magic_is_known_as_soon_as_it_is_whole(void **state)
{
  char bytes[TARN_DETECT_MAX];
  size_t i, len;

  (void)state;
  for (i = 0; i < sizeof magics / sizeof magics[0]; i++) {
    memset(bytes, 0x33, sizeof bytes);
    memcpy(bytes, magics[i].bytes, magics[i].len);
    for (len = 0; len < sizeof bytes; len++) {
      assert_int_equal(detect(bytes, len, false), len < magics[i].len
                                                      ? TARN_COMPRESSION_AUTO
                                                      : magics[i].kind);
      assert_int_equal(detect(bytes, len, true), len < magics[i].len
                                                     ? TARN_COMPRESSION_NONE
                                                     : magics[i].kind);
    }
  }
}

static void one_byte_off_is_no_compression(void **state)
{
  char bytes[TARN_DETECT_MAX];
  size_t i, at;

  (void)state;
  for (i = 0; i < sizeof magics / sizeof magics[0]; i++)
    for (at = 0; at < magics[i].len; at++) {
      memset(bytes, 0x33, sizeof bytes);
      memcpy(bytes, magics[i].bytes, magics[i].len);
      bytes[at] = (char)(bytes[at] ^ 0x80);
      assert_int_equal(detect(bytes, sizeof bytes, false),
                       TARN_COMPRESSION_NONE);
    }
}

static void a_tar_member_named_like_bzip2_is_a_tar(void **state)
{
  (void)state;
  assert_int_equal(detect("BZh9/file.txt\0\0\0\0\0", 18, false),
                   TARN_COMPRESSION_NONE);
}

static void a_skippable_frame_says_how_long_it_is(void **state)
{
  static const uint8_t frame[9] = {0x5f, 0x2a, 0x4d, 0x18, 0xff,
                                   0xff, 0xff, 0xff, 1};
  uint64_t skip;
  size_t len;

  (void)state;
  for (len = 0; len < 8; len++) {
    assert_int_equal(tarn_codec_detect(frame, len, false, &skip),
                     TARN_COMPRESSION_AUTO);
    assert_int_equal(skip, 0);
    assert_int_equal(tarn_codec_detect(frame, len, true, &skip),
                     TARN_COMPRESSION_NONE);
    assert_int_equal(skip, 0);
  }
  (void)tarn_codec_detect(frame, 8, false, &skip);
  assert_int_equal(skip, UINT64_C(8) + 0xffffffff);
  (void)tarn_codec_detect(frame, 9, true, &skip);
  assert_int_equal(skip, UINT64_C(8) + 0xffffffff);
}

static enum tarn_compression by_name(const char *name)
{
  return tarn_codec_by_name(name, strlen(name));
}

static void names_are_judged_by_their_ending_in_any_case(void **state)
{
  (void)state;
  assert_int_equal(by_name("a.tar.gz"), TARN_COMPRESSION_GZIP);
  assert_int_equal(by_name("a.TGZ"), TARN_COMPRESSION_GZIP);
  assert_int_equal(by_name("a.gz"), TARN_COMPRESSION_GZIP);
  assert_int_equal(by_name("a.tar.lz4"), TARN_COMPRESSION_LZ4);
  assert_int_equal(by_name("a.tlz4"), TARN_COMPRESSION_LZ4);
  assert_int_equal(by_name("a.tar.Zst"), TARN_COMPRESSION_ZSTD);
  assert_int_equal(by_name("a.tzst"), TARN_COMPRESSION_ZSTD);
  assert_int_equal(by_name("a.txz"), TARN_COMPRESSION_XZ);
  assert_int_equal(by_name("a.xz"), TARN_COMPRESSION_XZ);
  assert_int_equal(by_name("a.tbz"), TARN_COMPRESSION_BZIP2);
  assert_int_equal(by_name("a.tbz2"), TARN_COMPRESSION_BZIP2);
  assert_int_equal(by_name("a.bz2"), TARN_COMPRESSION_BZIP2);
  assert_int_equal(by_name("a.tar"), TARN_COMPRESSION_NONE);
  assert_int_equal(by_name("a"), TARN_COMPRESSION_AUTO);
  assert_int_equal(by_name(""), TARN_COMPRESSION_AUTO);
  assert_int_equal(by_name("gz"), TARN_COMPRESSION_AUTO);
  assert_int_equal(by_name("a.gz.part"), TARN_COMPRESSION_AUTO);
  assert_int_equal(tarn_codec_by_name("a.gz.part", 4), TARN_COMPRESSION_GZIP);
}

static const char *guess(const char *bytes)
{
  return tarn_codec_guess((const uint8_t *)bytes, strlen(bytes));
}

static void well_known_bytes_are_named(void **state)
{
  (void)state;
  assert_string_equal(guess("PK\3\4rest"), "a zip archive");
  assert_string_equal(guess("7z\xbc\xaf\x27\x1c"), "a 7-zip archive");
  assert_string_equal(guess("<!DOCTYPE html>"), "an HTML page");
  assert_string_equal(guess("\xef\xbb\xbf\r\n <HTML>"), "an HTML page");
  assert_string_equal(guess("\n{\"error\": 1}"), "a JSON document");
  assert_string_equal(guess("<?xml version='1.0'?><Error>"), "an XML document");
  assert_null(guess("nothing special"));
  assert_null(guess("   "));
  assert_null(guess("P"));
  assert_null(tarn_codec_guess(NULL, 0));
}

static void the_table_names_every_compression(void **state)
{
  static const char *const names[] = {"none", "gzip", "lz4",
                                      "zstd", "xz",   "bzip2"};
  const struct tarn_codec_library *libraries;
  size_t n, i;

  (void)state;
  libraries = tarn_codec_libraries(&n);
  assert_int_equal(n, 6);
  for (i = 0; i < n; i++) {
    const struct tarn_codec *codec =
        tarn_codec_by_kind((enum tarn_compression)(i + 1));

    assert_non_null(codec);
    assert_string_equal(codec->name, names[i]);
    assert_string_equal(libraries[i].codec, names[i]);
    assert_int_equal(codec->open != NULL, libraries[i].version != NULL);
    if (libraries[i].version)
      assert_true(strlen(libraries[i].version()) > 0);
  }
  assert_null(tarn_codec_by_kind(TARN_COMPRESSION_AUTO));
  assert_null(tarn_codec_by_kind((enum tarn_compression)99));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_magic_is_known_as_soon_as_it_is_whole),
      cmocka_unit_test(one_byte_off_is_no_compression),
      cmocka_unit_test(a_tar_member_named_like_bzip2_is_a_tar),
      cmocka_unit_test(a_skippable_frame_says_how_long_it_is),
      cmocka_unit_test(names_are_judged_by_their_ending_in_any_case),
      cmocka_unit_test(well_known_bytes_are_named),
      cmocka_unit_test(the_table_names_every_compression),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
