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

static void expect_refused(struct tar_make *t, const char *why)
{
  char want[160];

  finish(t);
  (void)snprintf(want, sizeof want, "refused|: %s\n|member file next", why);
  tar_expect_without(t, "member file sparse");
  tar_expect(t, NULL, 0, want);
}

static void fill(struct tar_piece *map, size_t n)
{
  size_t i;

  for (i = 0; i < n; i++) {
    map[i].at = i * 1024;
    map[i].len = 512;
  }
}

/* GNU tar stops reading its map there, and other readers do not. */
static void a_wrong_entry_with_blocks_to_come_is_fatal_in_gnu_tar(void **s)
{
  struct tar_piece many[30];
  size_t i;

  (void)s;
  fill(many, 30);
  many[10].at = 69999;
  for (i = 0; i < 2; i++) {
    struct tar_make t = {0};
    struct tar_sparse m = {
        i ? TAR_STAR_S : TAR_GNU_S, "sparse", 70000, many, 30, 0};

    (void)tar_make_sparse(&t, &m);
    if (i) {
      expect_refused(&t, "its sparse map ends beyond its size");
      continue;
    }
    finish(&t);
    tar_expect(&t, NULL, TARN_EDATA,
               "error TARN_EDATA member sparse at offset 0: its sparse map "
               "ends beyond its size");
  }
}

static void an_overlap_is_refused_behind_all_blocks_of_the_map(void **s)
{
  struct tar_piece many[30];
  struct tar_make t = {0};
  struct tar_sparse m = {TAR_GNU_S, "sparse", 70000, many, 30, 0};

  (void)s;
  fill(many, 30);
  many[10].at = 0;
  (void)tar_make_sparse(&t, &m);
  expect_refused(&t, "its sparse map goes backward or overlaps");
}

static void a_map_that_ends_before_its_last_block_is_fatal(void **s)
{
  struct tar_make t = {0};
  struct tar_sparse m = make(TAR_GNU_S);

  (void)s;
  m.n = 3;
  tar_make_patch(&t, tar_make_sparse(&t, &m), 482, "\1", 1);
  finish(&t);
  tar_expect(&t, NULL, TARN_EDATA,
             "error TARN_EDATA member sparse at offset 0: its sparse map ends "
             "and goes on");
}

static void a_chain_of_map_blocks_beyond_the_limit_is_fatal(void **s)
{
  struct tar_make t = {0};
  struct tar_sparse m = make(TAR_GNU_S);
  struct tar_log log;
  size_t at, i, k;

  (void)s;
  at = tar_make_sparse(&t, &m);
  tar_make_patch(&t, at, 482, "\1", 1);
  t.len = at + 512;
  for (i = 0; i <= TARN_TAR_SPARSE_MAX_MAP / 512; i++) {
    at = tar_make_zeros(&t, 512);
    for (k = 0; k < 21; k++) {
      memcpy(t.data + at + 24 * k, "00000210560 ", 12);
      memcpy(t.data + at + 24 * k + 12, "00000000000 ", 12);
    }
    t.data[at + 504] = 1;
  }
  tar_read_whole(&log, &t, true);
  assert_int_equal(log.rc, TARN_ELIMIT);
  assert_non_null(strstr(log.text, "larger than 1 MiB"));
  tar_log_free(&log);
  tar_make_free(&t);
}

static void a_wrong_number_in_the_header_refuses_the_member(void **s)
{
  struct tar_make t = {0};
  struct tar_sparse m = make(TAR_GNU_S);
  size_t at;

  (void)s;
  at = tar_make_sparse(&t, &m);
  tar_make_patch(&t, at, 386 + 24, "garbage", 7);
  expect_refused(&t, "a wrong number in its sparse map");
  at = tar_make_sparse(&t, &m);
  tar_make_patch(&t, at, 386 + 12, "\377\377\377\377\377\377\377\377\377", 9);
  expect_refused(&t, "a wrong number in its sparse map");
  at = tar_make_sparse(&t, &m);
  tar_make_patch(&t, at, 483, "garbage", 7);
  finish(&t);
  tar_expect(&t, NULL, TARN_EDATA, "wrong real size field");
}

static void a_refused_member_takes_its_map_along(void **s)
{
  struct tar_piece many[40];
  struct tar_make t = {0};
  struct tar_sparse m = {TAR_GNU_S, "", 70000, many, 40, 0};

  (void)s;
  fill(many, 40);
  (void)tar_make_sparse(&t, &m);
  expect_refused(&t, "it has no name");
}

static void type_s_in_a_header_without_a_map_is_fatal(void **s)
{
  static const enum tar_make_magic magic[] = {TAR_MAKE_USTAR, TAR_MAKE_V7};
  size_t i;

  (void)s;
  for (i = 0; i < 2; i++) {
    struct tar_make t = {0};
    struct tar_make_header h = {
        .name = "sparse", .type = 'S', .size = 512, .magic = magic[i]};

    (void)tar_make_header(&t, &h);
    (void)tar_make_filler(&t, 512);
    finish(&t);
    tar_expect(&t, NULL, TARN_EDATA, "error TARN_EDATA member sparse");
  }
}

static void type_s_with_a_map_in_pax_as_well_is_fatal(void **s)
{
  struct tar_make t = {0};
  struct tar_make_records r = {0};
  struct tar_sparse m = make(TAR_GNU_S);

  (void)s;
  tar_make_record(&r, "GNU.sparse.map", "0,512");
  tar_make_record(&r, "GNU.sparse.size", "70000");
  (void)tar_make_pax(&t, 'x', &r);
  (void)tar_make_sparse(&t, &m);
  finish(&t);
  tar_expect(&t, NULL, TARN_EDATA, "member sparse at|two sparse maps");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wrong_entry_with_blocks_to_come_is_fatal_in_gnu_tar),
      cmocka_unit_test(an_overlap_is_refused_behind_all_blocks_of_the_map),
      cmocka_unit_test(a_map_that_ends_before_its_last_block_is_fatal),
      cmocka_unit_test(a_chain_of_map_blocks_beyond_the_limit_is_fatal),
      cmocka_unit_test(a_wrong_number_in_the_header_refuses_the_member),
      cmocka_unit_test(a_refused_member_takes_its_map_along),
      cmocka_unit_test(type_s_in_a_header_without_a_map_is_fatal),
      cmocka_unit_test(type_s_with_a_map_in_pax_as_well_is_fatal),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
