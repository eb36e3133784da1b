#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "archive/tar_header.h"

static bool number(const char *field, size_t width, int64_t *out)
{
  return tarn_tar_number((const uint8_t *)field, width, out);
}

static void octal_is_read_with_blanks_zeros_and_either_end(void **s)
{
  static const struct {
    const char *field;
    int64_t value;
  } cases[] = {{"0000644", 0644},
               {"  644 \0", 0644},
               {"00000644", 0644},
               {"644\0    ", 0644},
               {"       ", 0},
               {"\0\0\0\0\0\0\0", 0},
               {"\0"
                "000012",
                012},
               {"77777777", 077777777},
               {"644\0ju", 0644}};
  size_t i;
  int64_t v;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_true(number(cases[i].field, 8, &v));
    assert_int_equal(v, cases[i].value);
  }
}

static void anything_but_octal_is_damage(void **s)
{
  static const char *const cases[] = {"garbage",    "0000648",   "644x\0\0\0",
                                      "-000001",    "644 1\0\0", "0x1\0\0\0\0",
                                      "\t644\0\0\0"};
  size_t i;
  int64_t v;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_false(number(cases[i], 8, &v));
}

static void base_256_is_signed_and_bounded(void **s)
{
  int64_t v;

  (void)s;
  assert_true(number("\x80\0\0\0\0\0\1\0", 8, &v));
  assert_int_equal(v, 256);
  assert_true(number("\xff\xff\xff\xff\xff\xff\xff\xfe", 8, &v));
  assert_int_equal(v, -2);
  assert_true(number("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12, &v));
  assert_true(v == INT64_MAX);
  assert_false(number("\x80\0\0\0\x80\0\0\0\0\0\0\0", 12, &v));
  assert_false(number("\x80\0\0\1\0\0\0\0\0\0\0\0", 12, &v));
  assert_true(number("\xff\xff\xff\xff\x80\0\0\0\0\0\0\0", 12, &v));
  assert_true(v == INT64_MIN);
  assert_false(number("\xff\xff\xff\xff\x7f\0\0\0\0\0\0\0", 12, &v));
  assert_true(number("\x81\0\0\0\0\0\0\0", 8, &v));
  assert_true(v == INT64_C(1) << 56);
}

/* A ustar header for "f" of 5 bytes; `sum` goes into its field. */
static void make_block(uint8_t *block, const char *name)
{
  memset(block, 0, 512);
  memcpy(block, name, strlen(name));
  memcpy(block + 100, "0000644", 7);
  memcpy(block + 124, "00000000005", 11);
  block[156] = '0';
  memcpy(block + 257, "ustar\00000", 8);
}

static void put_sum(uint8_t *block, bool is_signed)
{
  char text[8];
  int sum = 0, i;

  memset(block + 148, ' ', 8);
  for (i = 0; i < 512; i++)
    sum += is_signed ? (int8_t)block[i] : block[i];
  (void)snprintf(text, sizeof text, "%06o", (unsigned)sum & 0777777);
  memcpy(block + 148, text, 7);
}

static void both_kinds_of_checksum_are_right(void **s)
{
  uint8_t block[512];

  (void)s;
  make_block(block, "\303\244\377 name");
  put_sum(block, false);
  assert_int_equal(tarn_tar_block_judge(block), TARN_TAR_BLOCK_HEADER);
  put_sum(block, true);
  assert_int_equal(tarn_tar_block_judge(block), TARN_TAR_BLOCK_HEADER);
}

static void one_changed_byte_anywhere_is_seen(void **s)
{
  uint8_t block[512];
  size_t i;

  (void)s;
  make_block(block, "f");
  put_sum(block, false);
  for (i = 0; i < 512; i++) {
    /* The blank that ends the sum may be anything. */
    if (i == 155)
      continue;
    block[i]++;
    assert_int_equal(tarn_tar_block_judge(block), TARN_TAR_BLOCK_DAMAGED);
    block[i]--;
  }
  assert_int_equal(tarn_tar_block_judge(block), TARN_TAR_BLOCK_HEADER);
}

static void zeros_are_told_from_headers(void **s)
{
  uint8_t block[512] = {0};
  size_t i;

  (void)s;
  assert_int_equal(tarn_tar_block_judge(block), TARN_TAR_BLOCK_ZERO);
  for (i = 0; i < 512; i++) {
    block[i] = 1;
    assert_int_not_equal(tarn_tar_block_judge(block), TARN_TAR_BLOCK_ZERO);
    block[i] = 0;
  }
}

static void names_fill_their_fields_to_the_last_byte(void **s)
{
  struct tarn_tar_header h;
  uint8_t block[512];

  (void)s;
  make_block(block, "f");
  memset(block, 'n', 100);
  memset(block + 157, 'l', 100);
  memset(block + 265, 'u', 64);
  memset(block + 345, 'p', 155);
  assert_null(tarn_tar_header_parse(block, &h));
  assert_int_equal(h.path_len, 256);
  assert_int_equal(strlen(h.path), 256);
  assert_int_equal(h.path[155], '/');
  assert_int_equal(h.link_len, 100);
  assert_int_equal(strlen(h.uname), 32);
  assert_int_equal(strlen(h.gname), 32);
}

static void the_magic_decides_about_prefix_and_names(void **s)
{
  struct tarn_tar_header h;
  uint8_t block[512];

  (void)s;
  make_block(block, "f");
  memcpy(block + 345, "p", 1);
  memcpy(block + 265, "u", 1);
  assert_null(tarn_tar_header_parse(block, &h));
  assert_int_equal(h.format, TARN_TAR_USTAR);
  assert_string_equal(h.path, "p/f");
  assert_string_equal(h.uname, "u");
  memcpy(block + 257, "ustar  ", 8);
  assert_null(tarn_tar_header_parse(block, &h));
  assert_int_equal(h.format, TARN_TAR_GNU);
  assert_string_equal(h.path, "f");
  assert_string_equal(h.uname, "u");
  memset(block + 257, 0, 8);
  assert_null(tarn_tar_header_parse(block, &h));
  assert_int_equal(h.format, TARN_TAR_V7);
  assert_string_equal(h.path, "f");
  assert_string_equal(h.uname, "");
}

static void a_size_that_cannot_be_padded_is_damage(void **s)
{
  struct tarn_tar_header h;
  uint8_t block[512];

  (void)s;
  make_block(block, "f");
  memcpy(block + 124, "\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xfe\x00", 12);
  assert_null(tarn_tar_header_parse(block, &h));
  assert_true(h.size == TARN_TAR_MAX_SIZE);
  block[135] = 1;
  assert_string_equal(tarn_tar_header_parse(block, &h), "size");
  memset(block + 124, 0xff, 12);
  assert_string_equal(tarn_tar_header_parse(block, &h), "size");
}

static void the_file_type_in_an_old_mode_is_dropped(void **s)
{
  struct tarn_tar_header h;
  uint8_t block[512];

  (void)s;
  make_block(block, "f");
  memcpy(block + 100, "0104755", 7);
  assert_null(tarn_tar_header_parse(block, &h));
  assert_int_equal(h.mode, 04755);
}

static void a_negative_or_huge_id_stays_recognisable(void **s)
{
  struct tarn_tar_header h;
  uint8_t block[512];

  (void)s;
  make_block(block, "f");
  memset(block + 108, 0xff, 8);
  memcpy(block + 116, "\x80\0\0\1\0\0\0\0", 8);
  assert_null(tarn_tar_header_parse(block, &h));
  assert_true(h.uid == UINT64_MAX);
  assert_true(h.gid == UINT64_C(1) << 32);
}

static void device_numbers_matter_for_devices_only(void **s)
{
  struct tarn_tar_header h;
  uint8_t block[512];

  (void)s;
  make_block(block, "f");
  memcpy(block + 329, "garbage", 7);
  assert_null(tarn_tar_header_parse(block, &h));
  assert_int_equal(h.dev_major, 0);
  block[156] = '3';
  assert_string_equal(tarn_tar_header_parse(block, &h), "devmajor");
  memcpy(block + 329, "0000012", 8);
  assert_null(tarn_tar_header_parse(block, &h));
  assert_int_equal(h.dev_major, 012);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(octal_is_read_with_blanks_zeros_and_either_end),
      cmocka_unit_test(anything_but_octal_is_damage),
      cmocka_unit_test(base_256_is_signed_and_bounded),
      cmocka_unit_test(both_kinds_of_checksum_are_right),
      cmocka_unit_test(one_changed_byte_anywhere_is_seen),
      cmocka_unit_test(zeros_are_told_from_headers),
      cmocka_unit_test(names_fill_their_fields_to_the_last_byte),
      cmocka_unit_test(the_magic_decides_about_prefix_and_names),
      cmocka_unit_test(a_size_that_cannot_be_padded_is_damage),
      cmocka_unit_test(the_file_type_in_an_old_mode_is_dropped),
      cmocka_unit_test(a_negative_or_huge_id_stays_recognisable),
      cmocka_unit_test(device_numbers_matter_for_devices_only),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
