#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/tar_sparse.h"
#include "tar_expect.h"
#include "tar_make_sparse.h"

static const struct tar_piece few[] = {
    {0, 512}, {4096, 1024}, {65536, 100}, {70000, 0}};

static struct tar_sparse make(enum tar_sparse_form form)
{
  struct tar_sparse s = {form, "sparse", 70000, few, 4, 0};

  return s;
}

/* The member, then one more that must be found, then the end. */
static void finish(struct tar_make *t)
{
  (void)tar_make_file(t, "next", "x", 1);
  (void)tar_make_end(t);
}

static void expect_content(struct tar_make *t, const struct tar_sparse *s)
{
  char want[160];

  (void)snprintf(want, sizeof want,
                 "member file %s 644 0/0 / 0.000000000 %llu sparse\n"
                 "finish %llu %016llx\n|member file next",
                 s->name, (unsigned long long)s->size,
                 (unsigned long long)s->size,
                 (unsigned long long)tar_sparse_hash(s));
  tar_expect_without(t, "refused");
  tar_expect(t, NULL, 0, want);
}

static void expect_refused(struct tar_make *t, const char *why)
{
  char want[160];

  finish(t);
  (void)snprintf(want, sizeof want, "refused|: %s\n|member file next", why);
  tar_expect_without(t, "member file sparse");
  tar_expect(t, NULL, 0, want);
}

/* ---- sound ones ---- */

static void sparse_files_of_every_form_are_read_however_they_are_cut(void **s)
{
  struct tar_piece many[60];
  size_t lens[] = {0, 1, 3, 4, 5, 24, 25, 26, 46, 47, 60}, i, k;
  int form;

  (void)s;
  for (i = 0; i < 60; i++) {
    many[i].at = i * 1024 + 512 * (i % 2);
    many[i].len = i % 5 == 4 ? 0 : 512 * (1 + (i % 4 == 2));
  }
  for (form = 0; form < TAR_SPARSE_FORMS; form++)
    for (k = 0; k < sizeof lens / sizeof lens[0]; k++) {
      struct tar_make t = {0};
      struct tar_sparse m = {
          (enum tar_sparse_form)form, "sparse", 62000, many, lens[k], 0};

      /* The others need an entry to be known by. */
      if (lens[k] == 0 && form != TAR_GNU_S && form != TAR_XUSTAR_S &&
          form != TAR_PAX_1_0)
        continue;
      (void)tar_make_sparse(&t, &m);
      finish(&t);
      expect_content(&t, &m);
    }
}

static void only_the_stored_pieces_are_written(void **s)
{
  struct tar_log log;
  int form;

  (void)s;
  for (form = 0; form < TAR_SPARSE_FORMS; form++) {
    struct tar_make t = {0};
    struct tar_sparse m = make((enum tar_sparse_form)form);

    (void)tar_make_sparse(&t, &m);
    (void)tar_make_end(&t);
    tar_read_whole(&log, &t, true);
    /* Where holes are stored, those inside the input come as they are. */
    assert_int_equal(log.n_written,
                     form == TAR_SUN_HOLES ? 65636 : 512 + 1024 + 100);
    tar_log_free(&log);
    tar_make_free(&t);
  }
}

static void stored_holes_at_the_end_of_the_input_are_left_out(void **s)
{
  static const struct tar_piece map[] = {{4096, 512}, {100000, 0}};
  struct tar_sparse m = {TAR_SUN_HOLES, "sparse", 100000, map, 2, 0};
  struct tar_make t = {0};
  struct tar_log log;

  (void)s;
  (void)tar_make_sparse(&t, &m);
  (void)tar_make_end(&t);
  tar_log_read(&log, t.data, t.len, tar_log_byte, NULL, NULL, true);
  assert_int_equal(log.rc, 0);
  assert_int_equal(log.n_written, 512);
  tar_log_free(&log);
  tar_make_free(&t);
}

static void bytes_in_a_stored_hole_are_content_all_the_same(void **s)
{
  static const struct tar_piece map[] = {{0, 512}, {1000, 0}};
  struct tar_sparse m = {TAR_SUN_HOLES, "sparse", 1000, map, 2, 0};
  struct tar_make t = {0};
  uint64_t hash = 14695981039346656037u;
  char want[64];
  size_t at, i;

  (void)s;
  at = tar_make_sparse(&t, &m) + 512;
  t.data[at + 700] = 'x';
  for (i = 0; i < 1000; i++)
    hash = (hash ^ t.data[at + i]) * 1099511628211u;
  (void)tar_make_end(&t);
  (void)snprintf(want, sizeof want, "finish 1000 %016llx",
                 (unsigned long long)hash);
  tar_expect(&t, NULL, 0, want);
}

static void a_file_of_one_hole_has_its_size_and_no_content(void **s)
{
  static const struct tar_piece end[] = {{(1ull << 50) + 512, 0}};
  struct tar_log log;
  int form;

  (void)s;
  for (form = 0; form < TAR_SUN_HOLES; form++) {
    struct tar_make t = {0};
    struct tar_sparse m = {
        (enum tar_sparse_form)form, "sparse", (1ull << 50) + 512, end, 1, 0};

    (void)tar_make_sparse(&t, &m);
    (void)tar_make_end(&t);
    tar_read_whole(&log, &t, true);
    assert_int_equal(log.n_written, 0);
    tar_log_free(&log);
    tar_expect(&t, NULL, 0,
               "member file sparse 644 0/0 / 0.000000000 1125899906843136 "
               "sparse\nfinish 1125899906843136");
  }
}

static void offsets_beyond_octal_are_base_256(void **s)
{
  static const struct tar_piece map[] = {{(1ull << 40) + 512, 512},
                                         {INT64_MAX - 1023, 512}};
  int form;

  (void)s;
  for (form = 0; form < TAR_SUN_HOLES; form++) {
    struct tar_make t = {0};
    struct tar_sparse m = {
        (enum tar_sparse_form)form, "sparse", INT64_MAX - 511, map, 2, 0};

    (void)tar_make_sparse(&t, &m);
    finish(&t);
    tar_expect(&t, NULL, 0,
               "9223372036854775296 sparse\nfinish 9223372036854775296|"
               "member file next");
  }
}

static void pieces_of_pax_version_0_are_packed(void **s)
{
  static const struct tar_piece odd[] = {{0, 100}, {1000, 1}, {5000, 700}};
  int form;

  (void)s;
  for (form = TAR_PAX_0_0; form <= TAR_PAX_0_1; form++) {
    struct tar_make t = {0};
    struct tar_sparse m = {
        (enum tar_sparse_form)form, "sparse", 6000, odd, 3, 0};

    (void)tar_make_sparse(&t, &m);
    finish(&t);
    expect_content(&t, &m);
  }
}

static void the_real_name_and_not_that_of_the_header_is_used(void **s)
{
  struct tar_make t = {0};
  struct tar_sparse m = make(TAR_PAX_1_0);

  (void)s;
  (void)tar_make_sparse(&t, &m);
  finish(&t);
  tar_expect_without(&t, "GNUSparseFile");
  expect_content(&t, &m);
}

static void a_newer_star_header_is_known_by_its_times(void **s)
{
  struct tar_make t = {0};
  struct tar_sparse m = make(TAR_STAR_S);
  size_t at;

  (void)s;
  at = tar_make_sparse(&t, &m);
  tar_make_patch(&t, at, 476, "13712345670 13712345670 ", 24);
  tar_make_patch(&t, at, 508, "\0\0\0", 4);
  finish(&t);
  expect_content(&t, &m);
}

static void a_pax_size_counts_for_sparse_files_too(void **s)
{
  struct tar_make t = {0};
  struct tar_sparse m = make(TAR_GNU_S);
  size_t at;

  (void)s;
  (void)tar_make_pax1(&t, 'x', "size", "1636");
  at = tar_make_sparse(&t, &m);
  tar_make_patch(&t, at, TAR_MAKE_SIZE_AT, "00000000000", 11);
  finish(&t);
  expect_content(&t, &m);
}

/* ---- maps that cannot be ---- */

static void maps_that_cannot_be_refuse_their_member_only(void **s)
{
  static const struct tar_piece backward[] = {{4096, 512}, {0, 512}};
  static const struct tar_piece overlap[] = {{0, 1024}, {512, 512}};
  static const struct tar_piece beyond[] = {{0, 512}, {69632, 512}};
  static const struct tar_piece cut[] = {{0, 100}, {512, 512}};
  static const struct {
    const struct tar_piece *map;
    int64_t more;
    const char *why;
  } cases[] = {
      {backward, 0, "its sparse map goes backward or overlaps"},
      {overlap, 0, "its sparse map goes backward or overlaps"},
      {beyond, 0, "its sparse map ends beyond its size"},
      {cut, 0, "its sparse map cuts blocks"},
      {few, 512, "its sparse map does not add up to what is stored"},
  };
  size_t i;
  int form;

  (void)s;
  for (form = 0; form < TAR_SUN_HOLES; form++)
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      struct tar_make t = {0};
      struct tar_sparse m = {(enum tar_sparse_form)form,
                             "sparse",
                             70000,
                             cases[i].map,
                             2,
                             cases[i].more};

      if (cases[i].map == cut && (form == TAR_PAX_0_0 || form == TAR_PAX_0_1))
        continue;
      (void)tar_make_sparse(&t, &m);
      if (cases[i].more > 0)
        (void)tar_make_zeros(&t, 512);
      expect_refused(&t, cases[i].why);
    }
}

static void a_map_that_holds_more_than_is_stored_is_fatal(void **s)
{
  static const struct tar_piece overlap[] = {{0, 1024}, {512, 512}};
  int form, i;

  (void)s;
  for (form = 0; form < TAR_SUN_HOLES; form++)
    for (i = 0; i < 2; i++) {
      struct tar_make t = {0};
      struct tar_sparse m = {(enum tar_sparse_form)form, "sparse", 70000,
                             i ? overlap : few,          2,        -512};

      (void)tar_make_sparse(&t, &m);
      t.len -= 512;
      finish(&t);
      tar_expect(&t, NULL, TARN_EDATA,
                 "error TARN_EDATA member sparse at|its sparse map holds more "
                 "than is stored");
    }
}

static void wrong_holes_of_solaris_refuse_the_member(void **s)
{
  static const char *const texts[] = {
      "0 512 1000 1000",         " 0 512 1000", " 0 512 1000 1000 ",
      " 0 512  1000 1000",       " 512 0",      " 0 512 100 600",
      " 0 512 1000 1001",        " 0,512",      " 0 99999999999999999999",
      " 0 18446744073709551616", " ",           " -1 5",
  };
  size_t i;

  (void)s;
  for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct tar_make t = {0};
    struct tar_make_header h = {.name = "sparse", .size = 1000};

    (void)tar_make_pax1(&t, 'x', "SUN.holesdata", texts[i]);
    (void)tar_make_header(&t, &h);
    (void)tar_make_filler(&t, 1000);
    finish(&t);
    tar_expect_without(&t, "member file sparse");
    tar_expect(&t, NULL, 0, "refused TARN_EDATA member sparse|file next");
  }
}

static void wrong_text_of_a_map_refuses_the_member(void **s)
{
  static const char *const texts[] = {
      "",
      "x\n",
      "\n0\n512\n",
      "1\n0\n\n",
      "1\n0 512\n",
      "1\n0\n512",
      "2\n0\n512\n",
      "1\n-1\n512\n",
      "1\n0\n0x200\n",
      "#c\n1\n0\n512\n",
      "1\n0\n000000000000000000512\n",
      "1\n0\n18446744073709551616\n",
      "18446744073709551615\n",
  };
  size_t i, at;

  (void)s;
  for (i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    struct tar_make t = {0};
    struct tar_make_records r = {0};
    struct tar_make_header h = {.name = "short", .size = 1024};

    tar_make_record(&r, "GNU.sparse.major", "1");
    tar_make_record(&r, "GNU.sparse.minor", "0");
    tar_make_record(&r, "GNU.sparse.name", "sparse");
    tar_make_record(&r, "GNU.sparse.realsize", "1000000");
    (void)tar_make_pax(&t, 'x', &r);
    (void)tar_make_header(&t, &h);
    at = tar_make_body(&t, texts[i], strlen(texts[i]));
    (void)tar_make_zeros(&t, at + 1024 - t.len);
    finish(&t);
    tar_expect_without(&t, "member file sparse");
    tar_expect(&t, NULL, 0, "refused TARN_EDATA member sparse|file next");
  }
}

static void records_that_contradict_each_other_refuse_the_member(void **s)
{
  static const struct {
    const char *records[8];
    const char *why;
  } cases[] = {
      {{"GNU.sparse.major", "2", "GNU.sparse.realsize", "9"},
       "unknown version of sparse map"},
      {{"GNU.sparse.major", "1", "GNU.sparse.minor", "1"},
       "unknown version of sparse map"},
      {{"GNU.sparse.major", "1", "GNU.sparse.minor", "0"},
       "sparse, but of no certain size"},
      {{"GNU.sparse.map", "0,512"}, "sparse, but of no certain size"},
      {{"GNU.sparse.map", "0,512", "GNU.sparse.size", "8",
        "GNU.sparse.realsize", "9"},
       "sparse, but of no certain size"},
      {{"GNU.sparse.size", "512"}, "sparse, but without a map"},
      {{"GNU.sparse.name", "f"}, "sparse, but without a map"},
      {{"GNU.sparse.map", "0,512", "SUN.holesdata", " 0 512", "GNU.sparse.size",
        "512"},
       "two sparse maps"},
      {{"GNU.sparse.map", "0,512", "GNU.sparse.major", "1", "GNU.sparse.size",
        "512"},
       "two sparse maps"},
      {{"GNU.sparse.offset", "0", "GNU.sparse.numbytes", "512",
        "GNU.sparse.size", "512", "GNU.sparse.map", "0,512"},
       "two sparse maps"},
      {{"GNU.sparse.map", "0,512", "GNU.sparse.size", "512",
        "GNU.sparse.numblocks", "2"},
       "its sparse map has another number of entries than told"},
      {{"GNU.sparse.map", "0,512,", "GNU.sparse.size", "512"},
       "a wrong number in its sparse map"},
      {{"GNU.sparse.map", "0,512,600", "GNU.sparse.size", "999"},
       "a wrong number in its sparse map"},
      {{"GNU.sparse.map", "0;512", "GNU.sparse.size", "512"},
       "a wrong number in its sparse map"},
      {{"GNU.sparse.offset", "0", "GNU.sparse.size", "512"},
       "offsets and lengths of its sparse map do not alternate"},
  };
  size_t i, k;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct tar_make t = {0};
    struct tar_make_records r = {0};
    struct tar_make_header h = {.name = "sparse", .size = 512};

    for (k = 0; k < 8 && cases[i].records[k]; k += 2)
      tar_make_record(&r, cases[i].records[k], cases[i].records[k + 1]);
    (void)tar_make_pax(&t, 'x', &r);
    (void)tar_make_header(&t, &h);
    (void)tar_make_filler(&t, 512);
    expect_refused(&t, cases[i].why);
  }
}

static void records_may_come_in_any_order(void **s)
{
  struct tar_make t = {0};
  struct tar_make_records r = {0};
  struct tar_make_header h = {.name = "sparse", .size = 512};

  (void)s;
  tar_make_record(&r, "GNU.sparse.map", "1024,512,4096,0");
  tar_make_record(&r, "size", "512");
  tar_make_record(&r, "GNU.sparse.numblocks", "2");
  tar_make_record(&r, "GNU.sparse.name", "real");
  tar_make_record(&r, "GNU.sparse.size", "4096");
  (void)tar_make_pax(&t, 'x', &r);
  (void)tar_make_header(&t, &h);
  (void)tar_make_filler(&t, 512);
  finish(&t);
  tar_expect(&t, NULL, 0, "file real 644 0/0 / 0.000000000 4096 sparse|next");
}

static void a_map_longer_than_what_is_stored_is_fatal(void **s)
{
  struct tar_make t = {0};
  struct tar_sparse m = make(TAR_PAX_1_0);
  size_t at;

  (void)s;
  at = tar_make_sparse(&t, &m);
  tar_make_patch(&t, at, TAR_MAKE_SIZE_AT, "00000000012", 11);
  t.len = at + 1024;
  tar_expect(&t, NULL, TARN_EDATA,
             "its sparse map is longer than what is stored");
  m = make(TAR_XUSTAR_S);
  at = tar_make_sparse(&t, &m);
  tar_make_patch(&t, at, TAR_MAKE_SIZE_AT, "00000000012", 11);
  t.len = at + 1024;
  tar_expect(&t, NULL, TARN_EDATA,
             "its sparse map is longer than what is stored");
}

static void a_map_larger_than_the_limit_is_refused(void **s)
{
  struct tar_make t = {0};
  struct tar_make_records r = {0};
  struct tar_make_header h = {.name = "short"};
  struct tar_log log;
  size_t i;

  (void)s;
  tar_make_record(&r, "GNU.sparse.major", "1");
  tar_make_record(&r, "GNU.sparse.minor", "0");
  tar_make_record(&r, "GNU.sparse.name", "sparse");
  tar_make_record(&r, "GNU.sparse.realsize", "1000000");
  (void)tar_make_pax(&t, 'x', &r);
  h.size = TARN_TAR_SPARSE_MAX_MAP + 512;
  (void)tar_make_header(&t, &h);
  (void)tar_make_bytes(&t, "0250000\n", 8);
  for (i = 8; i < TARN_TAR_SPARSE_MAX_MAP + 512; i += 8)
    (void)tar_make_bytes(&t, "000\n000\n", 8);
  finish(&t);
  tar_read_whole(&log, &t, true);
  assert_int_equal(log.rc, 0);
  assert_non_null(strstr(log.text, "refused TARN_ELIMIT member sparse"));
  assert_non_null(strstr(log.text, "member file next"));
  tar_log_free(&log);
  tar_make_free(&t);
}

static void sparse_records_concern_files_only(void **s)
{
  struct tar_make t = {0};
  struct tar_make_header h = {.name = "hard", .link = "a", .type = '1'};

  (void)s;
  (void)tar_make_pax1(&t, 'x', "GNU.sparse.size", "5");
  (void)tar_make_link(&t, '2', "soft", "a");
  (void)tar_make_pax1(&t, 'x', "SUN.holesdata", " 0 5");
  (void)tar_make_header(&t, &h);
  (void)tar_make_pax1(&t, 'x', "SUN.holesdata", " 0 5");
  h.size = 5;
  (void)tar_make_header(&t, &h);
  (void)tar_make_body(&t, "hello", 5);
  finish(&t);
  tar_expect(&t, NULL, 0,
             "member symlink soft|member hard hard|refused TARN_ENOTSUP member "
             "hard|member file next");
}

static void global_sparse_records_are_ignored_with_a_warning(void **s)
{
  static const char *const keys[] = {"GNU.sparse.size", "GNU.sparse.offset",
                                     "SCHILY.realsize", "SUN.holesdata",
                                     "SCHILY.acl.access"};
  size_t i;

  (void)s;
  for (i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    struct tar_make t = {0};

    (void)tar_make_pax1(&t, 'g', keys[i], "1");
    (void)tar_make_pax1(&t, 'x', "comment", "x");
    finish(&t);
    tar_expect_without(&t, "sparse\n");
    tar_expect_without(&t, "acl");
    tar_expect(&t, NULL, 0, "warning tar offset 0: global|file next");
  }
}

static void a_sparse_member_cut_short_is_named(void **s)
{
  int form;
  size_t len;

  (void)s;
  for (form = 0; form < TAR_SPARSE_FORMS; form++) {
    struct tar_make t = {0};
    struct tar_log log;
    struct tar_sparse m = make((enum tar_sparse_form)form);
    size_t at = tar_make_sparse(&t, &m);

    for (len = at + 513; len < t.len; len += 311) {
      tar_log_read(&log, t.data, len, tar_log_whole, NULL, NULL, true);
      assert_int_equal(log.rc, TARN_ETRUNCATED);
      assert_non_null(strstr(log.text, "within member sparse"));
      tar_log_free(&log);
    }
    tar_make_free(&t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          sparse_files_of_every_form_are_read_however_they_are_cut),
      cmocka_unit_test(only_the_stored_pieces_are_written),
      cmocka_unit_test(stored_holes_at_the_end_of_the_input_are_left_out),
      cmocka_unit_test(bytes_in_a_stored_hole_are_content_all_the_same),
      cmocka_unit_test(a_file_of_one_hole_has_its_size_and_no_content),
      cmocka_unit_test(offsets_beyond_octal_are_base_256),
      cmocka_unit_test(pieces_of_pax_version_0_are_packed),
      cmocka_unit_test(the_real_name_and_not_that_of_the_header_is_used),
      cmocka_unit_test(a_newer_star_header_is_known_by_its_times),
      cmocka_unit_test(a_pax_size_counts_for_sparse_files_too),
      cmocka_unit_test(maps_that_cannot_be_refuse_their_member_only),
      cmocka_unit_test(a_map_that_holds_more_than_is_stored_is_fatal),
      cmocka_unit_test(wrong_holes_of_solaris_refuse_the_member),
      cmocka_unit_test(wrong_text_of_a_map_refuses_the_member),
      cmocka_unit_test(records_that_contradict_each_other_refuse_the_member),
      cmocka_unit_test(records_may_come_in_any_order),
      cmocka_unit_test(a_map_longer_than_what_is_stored_is_fatal),
      cmocka_unit_test(a_map_larger_than_the_limit_is_refused),
      cmocka_unit_test(sparse_records_concern_files_only),
      cmocka_unit_test(global_sparse_records_are_ignored_with_a_warning),
      cmocka_unit_test(a_sparse_member_cut_short_is_named),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
