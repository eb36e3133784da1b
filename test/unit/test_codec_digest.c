#include "codec/digest.h"

#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

/* FIPS 180-4's "abc". */
#define ABC_256                                                                \
  "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define ABC_512                                                                \
  "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"    \
  "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"

static void digests_of_abc_are_the_standards(void **state)
{
  static const char *const texts[] = {ABC_256, ABC_512};
  struct tarn_digest_value want, have;
  struct tarn_digest *d;
  struct tarn_err err;
  char text[160];
  size_t i;

  (void)state;
  if (!tarn_digest_library())
    skip();
  for (i = 0; i < 2; i++) {
    assert_int_equal(tarn_digest_parse(texts[i], &want, &err), 0);
    assert_int_equal(tarn_digest_new(&d, want.kind, &err), 0);
    assert_int_equal(tarn_digest_put(d, "a", 1), 0);
    assert_int_equal(tarn_digest_put(d, NULL, 0), 0);
    assert_int_equal(tarn_digest_put(d, "bc", 2), 0);
    assert_int_equal(tarn_digest_peek(d, &have), 0);
    assert_true(tarn_digest_equal(&want, &have));
    tarn_digest_format(&have, text, sizeof text);
    assert_string_equal(text, texts[i]);
    tarn_digest_free(d);
  }
}

static void peeking_does_not_end_a_digest(void **state)
{
  static const enum tarn_digest_kind kinds[] = {
      TARN_DIGEST_SHA256, TARN_DIGEST_SHA512, TARN_DIGEST_PRINT};
  struct tarn_digest_value before, after, whole;
  struct tarn_digest *a, *b;
  size_t i;

  (void)state;
  if (!tarn_digest_library())
    skip();
  for (i = 0; i < 3; i++) {
    assert_int_equal(tarn_digest_new(&a, kinds[i], NULL), 0);
    assert_int_equal(tarn_digest_new(&b, kinds[i], NULL), 0);
    assert_int_equal(tarn_digest_put(a, "hello ", 6), 0);
    assert_int_equal(tarn_digest_peek(a, &before), 0);
    assert_int_equal(tarn_digest_put(a, "world", 5), 0);
    assert_int_equal(tarn_digest_peek(a, &after), 0);
    assert_int_equal(tarn_digest_put(b, "hello world", 11), 0);
    assert_int_equal(tarn_digest_peek(b, &whole), 0);
    assert_int_equal(whole.kind, kinds[i]);
    assert_true(whole.len >= 8);
    assert_false(tarn_digest_equal(&before, &after));
    assert_true(tarn_digest_equal(&whole, &after));
    tarn_digest_free(a);
    tarn_digest_free(b);
  }
  tarn_digest_free(NULL);
}

static void hex_in_either_case_is_parsed(void **state)
{
  struct tarn_digest_value lower, upper;
  char text[] = ABC_256;
  size_t i;

  (void)state;
  assert_int_equal(tarn_digest_parse(text, &lower, NULL), 0);
  for (i = 7; text[i]; i++)
    if (text[i] >= 'a')
      text[i] = (char)(text[i] - 'a' + 'A');
  assert_int_equal(tarn_digest_parse(text, &upper, NULL), 0);
  assert_true(tarn_digest_equal(&lower, &upper));
}

static void what_is_no_digest_is_refused(void **state)
{
  static const char *const texts[] = {
      "",          "sha256",
      "sha256:",   "md5:d41d8cd98f00b204e9800998ecf8427e",
      "print:00",  ABC_256 "0",
      ABC_256 " ", "sha512:ba7816bf"};
  struct tarn_digest_value value;
  struct tarn_err err;
  char text[] = ABC_256;
  size_t i;

  (void)state;
  for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    assert_int_equal(tarn_digest_parse(texts[i], &value, &err), TARN_EINVAL);
    assert_non_null(strstr(err.text, "sha"));
  }
  text[30] = 'g';
  assert_int_equal(tarn_digest_parse(text, &value, &err), TARN_EINVAL);
}

static void a_short_text_is_cut_and_terminated(void **state)
{
  struct tarn_digest_value value;
  char text[12];

  (void)state;
  assert_int_equal(tarn_digest_parse(ABC_256, &value, NULL), 0);
  memset(text, 'x', sizeof text);
  tarn_digest_format(&value, text, 10);
  assert_string_equal(text, "sha256:ba");
  tarn_digest_format(&value, text, 4);
  assert_string_equal(text, "sha");
  assert_int_equal(text[10], 'x');
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(digests_of_abc_are_the_standards),
      cmocka_unit_test(peeking_does_not_end_a_digest),
      cmocka_unit_test(hex_in_either_case_is_parsed),
      cmocka_unit_test(what_is_no_digest_is_refused),
      cmocka_unit_test(a_short_text_is_cut_and_terminated),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
