/*
 * From the first bytes of a stream to disk: which archive it is, and FA1, whose
 * files come mixed. Whatever the timing, a file is whole or is not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec/crc64.h"
#include "fa1_make.h"
#include "flow_harness.h"
#include "stage/sink_disk.h"
#include "stage/unpack.h"
#include "tempdir.h"

enum { LEAST_MEMORY = 2 << 20, MOST_FILES = 40, MOST_LEN = 200000 };

struct fixture {
  struct flow_harness h;
  struct tempdir dir;
  struct tarn_stage *unpack;
};

static void set_up(struct fixture *f, uint64_t max_files)
{
  struct tarn_disk_options disk = {0};
  struct tarn_members_options members = {0};
  struct tarn_tree *tree;
  char path[300];

  memset(f, 0, sizeof *f);
  tempdir_open(&f->dir);
  flow_open(&f->h, LEAST_MEMORY);
  (void)snprintf(path, sizeof path, "%s/target", f->dir.base);
  disk.path = path;
  disk.writers = 4;
  disk.same_permissions = true;
  disk.umask = 022;
  members.type = "text/html, 200";
  members.max_files = max_files;
  tree = tarn_sink_disk_new(&f->h.flow, &disk);
  assert_non_null(tree);
  f->unpack = tarn_unpack_new(&f->h.flow, &members, tree);
  assert_non_null(f->unpack);
  flow_own(&f->h, f->unpack);
}

static void feed(struct fixture *f, const void *ptr, size_t len, unsigned seed)
{
  flow_feed(&f->h, f->unpack, ptr, len, seed);
}

static void tear_down(struct fixture *f, bool keep)
{
  flow_close(&f->h, keep);
  tempdir_close(&f->dir);
}

/* ---- files that come mixed ---- */

struct mixed {
  size_t n, lens[MOST_FILES], done[MOST_FILES];
  bool begun[MOST_FILES], ended[MOST_FILES];
};

static void name_of(size_t i, char name[16])
{
  (void)snprintf(name, 16, "d%zu/f%zu", i % 3, i);
}

static uint8_t content(size_t i, size_t at)
{
  return (uint8_t)(i * 37 + tar_make_pattern(at));
}

static void put_data(struct fa1_make *a, struct mixed *m, size_t i, size_t len)
{
  static uint8_t buf[UINT16_MAX];
  char name[16];
  size_t k;

  for (k = 0; k < len; k++)
    buf[k] = content(i, m->done[i] + k);
  name_of(i, name);
  (void)fa1_make_data(a, name, buf, (uint16_t)len);
  m->done[i] += len;
}

/* The next block of one of the files. False when that one had its last. */
static bool put_block(struct fa1_make *a, struct mixed *m, size_t i,
                      unsigned *seed)
{
  size_t left = m->lens[i] - m->done[i], len;
  char name[16];

  name_of(i, name);
  if (m->ended[i])
    return false;
  if (!m->begun[i]) {
    m->begun[i] = true;
    (void)fa1_make_file(a, name, 0644);
  } else if (left == 0) {
    m->ended[i] = true;
    (void)fa1_make_end(a, name);
  } else {
    len = flow_random(seed) % (flow_random(seed) % 4 ? 5000 : UINT16_MAX) + 1;
    put_data(a, m, i, len < left ? len : left);
  }
  return true;
}

static void make_mixed(struct fa1_make *a, struct mixed *m, unsigned *seed)
{
  size_t i, n_ended = 0;

  memset(m, 0, sizeof *m);
  fa1_make_init(a, tarn_crc64);
  a->uid = (uint32_t)geteuid();
  a->gid = (uint32_t)getegid();
  m->n = 1 + flow_random(seed) % MOST_FILES;
  for (i = 0; i < m->n; i++)
    m->lens[i] = flow_random(seed) % 3 ? flow_random(seed) % 3000
                                       : flow_random(seed) * 6u % MOST_LEN;
  for (i = 0; i < 3; i++) {
    char name[3] = {'d', (char)('0' + (int)i), '\0'};

    (void)fa1_make_dir(a, name, 0755);
  }
  while (n_ended < m->n) {
    i = flow_random(seed) % m->n;
    if (put_block(a, m, i, seed) && m->ended[i])
      n_ended++;
    if (flow_random(seed) % 50 == 0)
      (void)fa1_make_sum(a);
  }
  (void)fa1_make_sum(a);
}

/* Every file that is there must be whole. Returns how many are. */
static size_t expect_whole_files(int root, const struct mixed *m)
{
  static uint8_t buf[MOST_LEN + 1];
  size_t i, at, n = 0;
  char name[16];
  int fd;

  for (i = 0; i < m->n; i++) {
    name_of(i, name);
    fd = openat(root, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
      continue;
    if (read(fd, buf, sizeof buf) != (ssize_t)m->lens[i])
      fail_msg("%s: not a whole file", name);
    assert_int_equal(close(fd), 0);
    for (at = 0; at < m->lens[i]; at++)
      if (buf[at] != content(i, at))
        fail_msg("%s: byte %zu is wrong", name, at);
    n++;
  }
  return n;
}

static void mixed_files_come_out_whole_in_any_mixture(void **s)
{
  struct fixture f;
  struct fa1_make a;
  struct mixed m;
  unsigned round, seed;

  (void)s;
  if (!tarn_crc64_library())
    skip();
  for (round = 1; round <= 30; round++) {
    seed = round * 7919;
    make_mixed(&a, &m, &seed);
    set_up(&f, 0);
    feed(&f, a.buf.data, a.buf.len, round % 5 ? seed : 0);
    flow_run(&f.h);
    assert_string_equal(f.h.err.text, "");
    assert_int_equal(expect_whole_files(f.dir.target, &m), m.n);
    assert_int_equal(f.h.flow.files, m.n + 3);
    assert_int_equal(f.h.flow.failed, 0);
    tear_down(&f, true);
    fa1_make_free(&a);
  }
}

static void a_damaged_archive_leaves_only_whole_files(void **s)
{
  struct fixture f;
  struct fa1_make a;
  struct mixed m;
  unsigned round, seed;
  size_t n;

  (void)s;
  if (!tarn_crc64_library())
    skip();
  for (round = 1; round <= 20; round++) {
    seed = round * 104729;
    make_mixed(&a, &m, &seed);
    n = (size_t)flow_random(&seed) * 8191 % (a.buf.len - 20);
    set_up(&f, 0);
    feed(&f, a.buf.data, n, seed);
    flow_run(&f.h);
    assert_int_equal(f.h.err.code, n < 8 ? TARN_ENOTARCHIVE : TARN_ETRUNCATED);
    assert_int_equal(f.h.n_fails, 1);
    flow_close(&f.h, true);
    (void)expect_whole_files(f.dir.target, &m);
    tempdir_close(&f.dir);
    fa1_make_free(&a);
  }
}

static void a_cancel_at_any_turn_leaves_only_whole_files(void **s)
{
  struct fixture f;
  struct fa1_make a;
  struct mixed m;
  unsigned turns, seed = 77, i;

  (void)s;
  if (!tarn_crc64_library())
    skip();
  make_mixed(&a, &m, &seed);
  for (turns = 0; turns < 60; turns += 2) {
    set_up(&f, 0);
    feed(&f, a.buf.data, a.buf.len, turns);
    for (i = 0; i < turns && !f.h.finished; i++)
      (void)uv_run(&f.h.loop, UV_RUN_NOWAIT);
    flow_close(&f.h, false);
    (void)expect_whole_files(f.dir.target, &m);
    tempdir_close(&f.dir);
  }
  fa1_make_free(&a);
}

static void members_without_times_get_the_time_of_extraction(void **s)
{
  struct fixture f;
  struct fa1_make a;
  struct stat st;

  (void)s;
  if (!tarn_crc64_library())
    skip();
  fa1_make_init(&a, tarn_crc64);
  a.uid = (uint32_t)geteuid();
  a.gid = (uint32_t)getegid();
  (void)fa1_make_dir(&a, "d", 0700);
  fa1_make_whole(&a, "d/a", "text");
  (void)fa1_make_sum(&a);
  set_up(&f, 0);
  feed(&f, a.buf.data, a.buf.len, 1);
  flow_run(&f.h);
  assert_string_equal(f.h.err.text, "");
  tempdir_expect(f.dir.target, "d/a", S_IFREG, "text");
  assert_int_equal(fstatat(f.dir.target, "d/a", &st, 0), 0);
  assert_true(st.st_mtime > 1000000000);
  assert_int_equal(fstatat(f.dir.target, "d", &st, 0), 0);
  assert_true(st.st_mtime > 1000000000);
  assert_int_equal(st.st_mode & 07777, 0700);
  tear_down(&f, true);
  fa1_make_free(&a);
}

static void refused_members_count_against_the_limit_too(void **s)
{
  struct fixture f;
  struct fa1_make a;

  (void)s;
  if (!tarn_crc64_library())
    skip();
  fa1_make_init(&a, tarn_crc64);
  fa1_make_whole(&a, "", "refused");
  fa1_make_whole(&a, "../a", "refused by the tree");
  fa1_make_whole(&a, "b", "one too many");
  (void)fa1_make_sum(&a);
  set_up(&f, 2);
  feed(&f, a.buf.data, a.buf.len, 1);
  flow_run(&f.h);
  assert_int_equal(f.h.err.code, TARN_ELIMIT);
  assert_int_equal(f.h.flow.failed, 2);
  tear_down(&f, true);
  fa1_make_free(&a);
}

/* ---- which archive it is ---- */

static void a_tar_is_read_however_its_first_bytes_come(void **s)
{
  struct fixture f;
  struct tar_make t = {0};
  unsigned seed;

  (void)s;
  (void)tar_make_header(&t, &(struct tar_make_header){
                                .name = "a",
                                .uid = (int64_t)geteuid(),
                                .gid = (int64_t)getegid(),
                                .size = 4,
                            });
  (void)tar_make_body(&t, "text", 4);
  (void)tar_make_end(&t);
  for (seed = 0; seed < 20; seed++) {
    set_up(&f, 0);
    feed(&f, t.data, t.len, seed);
    flow_run(&f.h);
    assert_string_equal(f.h.err.text, "");
    tempdir_expect(f.dir.target, "a", S_IFREG, "text");
    tear_down(&f, true);
  }
  tar_make_free(&t);
}

static void what_is_no_archive_is_named_however_short_it_is(void **s)
{
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"", "not a tar archive: no data"},
      {"<html>", "an HTML page (text/html, 200), perhaps a login"},
      {"\x89"
       "FA1\r\n\x1a",
       "ends at offset 7"},
      {"\x89"
       "FA1\r\n\x1a\r",
       "ends at offset 8, within the first header"},
      {"Rar!\x1a\x07 and more", "a rar archive"},
  };
  struct fixture f;
  size_t i;
  unsigned seed;

  (void)s;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
    for (seed = 0; seed < 5; seed++) {
      set_up(&f, 0);
      feed(&f, cases[i].text, strlen(cases[i].text), seed);
      flow_run(&f.h);
      assert_int_equal(f.h.err.code, TARN_ENOTARCHIVE);
      if (!strstr(f.h.err.text, cases[i].says))
        fail_msg("%s", f.h.err.text);
      tear_down(&f, true);
    }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mixed_files_come_out_whole_in_any_mixture),
      cmocka_unit_test(a_damaged_archive_leaves_only_whole_files),
      cmocka_unit_test(a_cancel_at_any_turn_leaves_only_whole_files),
      cmocka_unit_test(members_without_times_get_the_time_of_extraction),
      cmocka_unit_test(refused_members_count_against_the_limit_too),
      cmocka_unit_test(a_tar_is_read_however_its_first_bytes_come),
      cmocka_unit_test(what_is_no_archive_is_named_however_short_it_is),
  };

  (void)umask(022);
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
