/* A listing of either kind of archive: every member, with its size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "codec/crc64.h"
#include "fa1_make.h"
#include "flow_harness.h"
#include "stage/sink_list.h"
#include "stage/unpack.h"

struct fixture {
  struct flow_harness h;
  struct tarn_stage *unpack;
  char text[512];
};

static void on_entry(struct tarn_flow *flow, const struct tarn_entry *e)
{
  struct flow_harness *h = TARN_CONTAINER(flow, struct flow_harness, flow);
  struct fixture *f = TARN_CONTAINER(h, struct fixture, h);
  size_t at = strlen(f->text);

  assert_int_equal(strlen(e->path), e->path_len);
  assert_false(e->no_size);
  (void)snprintf(f->text + at, sizeof f->text - at, "%s %llu\n", e->path,
                 (unsigned long long)e->size);
}

static void list(struct fixture *f, const void *ptr, size_t len, unsigned seed)
{
  struct tarn_members_options members = {0};
  struct tarn_tree *tree;

  memset(f, 0, sizeof *f);
  flow_open(&f->h, 2 << 20);
  f->h.flow.entry = on_entry;
  members.type = "";
  tree = tarn_sink_list_new(&f->h.flow);
  assert_non_null(tree);
  f->unpack = tarn_unpack_new(&f->h.flow, &members, tree);
  flow_own(&f->h, f->unpack);
  flow_feed(&f->h, f->unpack, ptr, len, seed);
  flow_run(&f->h);
  flow_close(&f->h, true);
}

static void make_mixed(struct fa1_make *a)
{
  fa1_make_init(a, tarn_crc64);
  (void)fa1_make_dir(a, "d", 0755);
  (void)fa1_make_file(a, "d/a", 0644);
  (void)fa1_make_file(a, "../b", 0644);
  (void)fa1_make_data(a, "d/a", "some", 4);
  (void)fa1_make_data(a, "../b", "text", 4);
  (void)fa1_make_data(a, "d/a", " text", 5);
  fa1_make_whole(a, "empty", "");
  (void)fa1_make_end(a, "d/a");
  (void)fa1_make_end(a, "../b");
  (void)fa1_make_sum(a);
}

static void files_of_fa1_are_listed_at_their_end_with_their_size(void **s)
{
  struct fa1_make a;
  struct fixture f;
  unsigned seed;

  (void)s;
  if (!tarn_crc64_library())
    skip();
  make_mixed(&a);
  for (seed = 0; seed < 10; seed++) {
    list(&f, a.buf.data, a.buf.len, seed);
    assert_string_equal(f.h.err.text, "");
    assert_string_equal(f.text, "d 0\nempty 0\nd/a 9\n../b 4\n");
    assert_int_equal(f.h.flow.files, 4);
    assert_int_equal(f.h.flow.failed, 0);
  }
  fa1_make_free(&a);
}

static void a_listing_that_is_cut_lists_what_was_whole(void **s)
{
  struct fa1_make a;
  struct fixture f;

  (void)s;
  if (!tarn_crc64_library())
    skip();
  make_mixed(&a);
  list(&f, a.buf.data, a.buf.len - 12, 3);
  assert_int_equal(f.h.err.code, TARN_ETRUNCATED);
  assert_string_equal(f.text, "d 0\nempty 0\nd/a 9\n");
  fa1_make_free(&a);
}

static void a_tar_is_listed_in_its_order(void **s)
{
  struct tar_make t = {0};
  struct fixture f;
  unsigned seed;

  (void)s;
  (void)tar_make_file(&t, "b", "text", 4);
  (void)tar_make_file(&t, "../a", "", 0);
  (void)tar_make_end(&t);
  for (seed = 0; seed < 10; seed++) {
    list(&f, t.data, t.len, seed);
    assert_string_equal(f.h.err.text, "");
    assert_string_equal(f.text, "b 4\n../a 0\n");
  }
  tar_make_free(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_of_fa1_are_listed_at_their_end_with_their_size),
      cmocka_unit_test(a_listing_that_is_cut_lists_what_was_whole),
      cmocka_unit_test(a_tar_is_listed_in_its_order),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
