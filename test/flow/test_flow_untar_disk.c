/*
 * The whole way from tar bytes to disk at the least budget. The result must be
 * that of a simple extractor (below: plain calls, one entry after another),
 * whatever the timing; and with writes that fail, never a file that is not
 * whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flow_harness.h"
#include "stage/sink_disk.h"
#include "stage/untar.h"
#include "tar_make.h"
#include "tempdir.h"

enum { LEAST_MEMORY = 2 << 20, MOST_ENTRIES = 200, MOST_FDS = 4096 };

/* ---- calls that fail on purpose ---- */

enum fault { NO_FAULT, WRITE_FAILS, CLOSE_FAILS };

/* Set before the stages run; the workers only read `faults`. */
static struct {
  bool on;
  enum fault faults[MOST_ENTRIES];
  atomic_int entry_of_fd[MOST_FDS]; /* index + 1 */
  atomic_uint n_failed;
} inject;

ssize_t __real_pwrite(int fd, const void *ptr, size_t len, off_t at);
ssize_t __real_pwrite64(int fd, const void *ptr, size_t len, off_t at);
ssize_t __wrap_pwrite(int fd, const void *ptr, size_t len, off_t at);
ssize_t __wrap_pwrite64(int fd, const void *ptr, size_t len, off_t at);
int __real_close(int fd);
int __wrap_close(int fd);

/* Content begins with the number of its entry; fed in whole slabs, the first
   piece of a body holds it. */
static int entry_of(const void *ptr, size_t len)
{
  char text[8];

  if (len < 8)
    return -1;
  memcpy(text, ptr, 7);
  text[7] = '\0';
  return text[0] == 'E' ? (int)strtol(text + 1, NULL, 10) : -1;
}

static bool write_fails(int fd, const void *ptr, size_t len, off_t at)
{
  int i;

  if (!inject.on || at != 0 || fd >= MOST_FDS)
    return false;
  i = entry_of(ptr, len);
  if (i < 0)
    return false;
  atomic_store(&inject.entry_of_fd[fd], i + 1);
  if (inject.faults[i] != WRITE_FAILS)
    return false;
  (void)atomic_fetch_add(&inject.n_failed, 1);
  errno = EIO;
  return true;
}

ssize_t __wrap_pwrite(int fd, const void *ptr, size_t len, off_t at)
{
  return write_fails(fd, ptr, len, at) ? -1 : __real_pwrite(fd, ptr, len, at);
}

ssize_t __wrap_pwrite64(int fd, const void *ptr, size_t len, off_t at)
{
  return write_fails(fd, ptr, len, at) ? -1 : __real_pwrite64(fd, ptr, len, at);
}

int __wrap_close(int fd)
{
  int i = fd >= 0 && fd < MOST_FDS
              ? atomic_exchange(&inject.entry_of_fd[fd], 0) - 1
              : -1;
  int rc = __real_close(fd);

  if (!inject.on || i < 0 || inject.faults[i] != CLOSE_FAILS)
    return rc;
  (void)atomic_fetch_add(&inject.n_failed, 1);
  errno = EIO;
  return -1;
}

/* ---- entries ---- */

struct entry {
  char type; /* as in tar: '0' file, '1' link, '2' symlink, '5', '6' */
  const char *path, *target;
  size_t len;
};

static uint8_t content(int i, size_t at)
{
  char text[9];

  (void)snprintf(text, sizeof text, "E%06d\n", i);
  return (uint8_t)(at < 8 ? text[at]
                          : 'a' + (char)(((size_t)i * 31 + at * 7) % 26));
}

static void fill(struct bytes *b, int i, size_t len)
{
  size_t at;

  b->len = 0;
  (void)bytes_room(b, len);
  for (at = 0; at < len; at++)
    b->ptr[at] = content(i, at);
  b->len = len;
}

/* Few names, so that they meet: files, directories and links swap places. */
static const char *const names[] = {"a",     "b",     "c",   "d",    "e",
                                    "d/a",   "d/b",   "d/e", "e/a",  "e/b",
                                    "d/e/a", "d/e/b", "f",   "g/h/i"};

static const char *any_name(unsigned *seed)
{
  return names[flow_random(seed) % (sizeof names / sizeof names[0])];
}

static struct entry random_entry(unsigned *seed)
{
  struct entry e = {'0', any_name(seed), any_name(seed), 0};
  unsigned r = flow_random(seed) % 20;

  if (r < 3) {
    e.type = '5';
  } else if (r < 7) {
    e.type = '1';
  } else if (r < 8) {
    /* Never in the way of another name. */
    e.type = '2';
    e.path = r % 2 ? "s" : "d/s";
  } else if (r < 9) {
    e.type = '6';
  } else {
    e.len = flow_random(seed) % 2000 + 8;
    if (flow_random(seed) % 40 == 0)
      e.len += 300000;
  }
  return e;
}

static void add(struct tar_make *t, const struct entry *e, int i)
{
  struct tar_make_header h;
  struct bytes body = {0};

  memset(&h, 0, sizeof h);
  h.name = e->path;
  h.type = e->type;
  h.mode = e->type == '5' ? 0755 : 0600u | (unsigned)(i % 2 ? 044 : 0);
  h.uid = (int64_t)geteuid();
  h.gid = (int64_t)getegid();
  if (e->type == '1' || e->type == '2')
    h.link = e->target;
  h.size = (int64_t)e->len;
  (void)tar_make_header(t, &h);
  if (e->len == 0)
    return;
  fill(&body, i, e->len);
  (void)tar_make_body(t, body.ptr, body.len);
  bytes_free(&body);
}

/* ---- the simple extractor ---- */

static int make_parents(int root, const char *path)
{
  char part[64];
  const char *slash = path;

  while ((slash = strchr(slash, '/'))) {
    memcpy(part, path, (size_t)(slash - path));
    part[slash - path] = '\0';
    if (mkdirat(root, part, 0755) != 0 && errno != EEXIST)
      return -errno;
    slash++;
  }
  return 0;
}

static int clear(int root, const char *path)
{
  if (unlinkat(root, path, 0) == 0 || errno == ENOENT)
    return 0;
  if (errno != EISDIR)
    return -errno;
  return unlinkat(root, path, AT_REMOVEDIR) == 0 ? 0 : -errno;
}

static int put_file(int root, const struct entry *e, int i)
{
  struct bytes body = {0};
  int rc = clear(root, e->path), fd;

  if (rc)
    return rc;
  fd = openat(root, e->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return -errno;
  fill(&body, i, e->len);
  assert_int_equal(write(fd, body.ptr, body.len), body.len);
  assert_int_equal(fchmod(fd, i % 2 ? 0644 : 0600), 0);
  assert_int_equal(close(fd), 0);
  bytes_free(&body);
  return 0;
}

static int put_dir(int root, const char *path)
{
  struct stat st;
  int rc;

  if (fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
    return 0;
  rc = clear(root, path);
  if (rc)
    return rc;
  return mkdirat(root, path, 0755) == 0 ? 0 : -errno;
}

/* A link whose target cannot be there makes no parents. */
static bool has_parent(int root, const char *path)
{
  char parent[64];
  const char *slash = strrchr(path, '/');
  struct stat st;

  if (!slash)
    return true;
  memcpy(parent, path, (size_t)(slash - path));
  parent[slash - path] = '\0';
  return fstatat(root, parent, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(st.st_mode);
}

static int put_link(int root, const struct entry *e)
{
  struct stat from, to;
  bool exists = fstatat(root, e->path, &to, AT_SYMLINK_NOFOLLOW) == 0;
  int rc;

  if (fstatat(root, e->target, &from, AT_SYMLINK_NOFOLLOW) != 0)
    return -errno;
  if (exists && from.st_ino == to.st_ino && from.st_dev == to.st_dev)
    return 0;
  if (S_ISDIR(from.st_mode))
    return -EPERM;
  if (exists && (rc = clear(root, e->path)) != 0)
    return rc;
  return linkat(root, e->target, root, e->path, 0) == 0 ? 0 : -errno;
}

static int put_other(int root, const struct entry *e, int i)
{
  int rc = clear(root, e->path);

  if (rc)
    return rc;
  if (e->type == '2')
    return symlinkat(e->target, root, e->path) == 0 ? 0 : -errno;
  if (mknodat(root, e->path, S_IFIFO | 0600, 0) != 0)
    return -errno;
  return fchmodat(root, e->path, i % 2 ? 0644 : 0600, 0) == 0 ? 0 : -errno;
}

static int extract(int root, const struct entry *e, int i)
{
  int rc;

  if (e->type == '1' && !has_parent(root, e->target))
    return -ENOENT;
  rc = make_parents(root, e->path);
  if (rc)
    return rc;
  switch (e->type) {
  case '0':
    return put_file(root, e, i);
  case '1':
    return put_link(root, e);
  case '5':
    return put_dir(root, e->path);
  default:
    return put_other(root, e, i);
  }
}

/* ---- what is tested ---- */

struct fixture {
  struct flow_harness h;
  struct tempdir dir, reference;
  struct tarn_stage *untar;
  struct tar_make tar;
  struct entry entries[MOST_ENTRIES];
  int n;
};

static void set_up(struct fixture *f, bool portable_walk)
{
  struct tarn_disk_options disk = {0};
  struct tarn_members_options untar = {0};
  char path[300];
  struct tarn_tree *tree;

  memset(f, 0, sizeof *f);
  memset(&inject, 0, sizeof inject);
  tempdir_open(&f->dir);
  tempdir_open(&f->reference);
  flow_open(&f->h, LEAST_MEMORY);
  (void)snprintf(path, sizeof path, "%s/target", f->dir.base);
  disk.path = path;
  disk.writers = 4;
  disk.same_permissions = true;
  disk.umask = 022;
  disk.no_openat2 = portable_walk;
  untar.type = "";
  tree = tarn_sink_disk_new(&f->h.flow, &disk);
  assert_non_null(tree);
  f->untar = tarn_untar_new(&f->h.flow, &untar, tree);
  flow_own(&f->h, f->untar);
}

static void tear_down(struct fixture *f)
{
  inject.on = false;
  tempdir_close(&f->dir);
  tempdir_close(&f->reference);
  tar_make_free(&f->tar);
}

static void add_entry(struct fixture *f, struct entry e)
{
  assert_true(f->n < MOST_ENTRIES);
  f->entries[f->n] = e;
  add(&f->tar, &f->entries[f->n], f->n);
  f->n++;
}

static void feed(struct fixture *f, unsigned seed)
{
  (void)tar_make_end(&f->tar);
  flow_feed(&f->h, f->untar, f->tar.data, f->tar.len, seed);
}

/* Fails with the first lines of two listings that differ. */
static void expect_same(const char *got, const char *want, unsigned seed)
{
  size_t same = 0, line = 0;

  while (got[same] && got[same] == want[same])
    if (got[same++] == '\n')
      line = same;
  if (got[same] || want[same])
    fail_msg("seed %u: got\n%.60s\nwant\n%.60s", seed, got + line, want + line);
}

static void expect_as_one_after_another(struct fixture *f, unsigned seed)
{
  char *got, *want;
  unsigned failed = 0;
  int i;

  for (i = 0; i < f->n; i++)
    failed += extract(f->reference.target, &f->entries[i], i) != 0;
  got = tempdir_list(f->dir.target);
  want = tempdir_list(f->reference.target);
  expect_same(got, want, seed);
  if (f->h.flow.failed != failed)
    fail_msg("seed %u: %llu entries failed, not %u; last: %s", seed,
             (unsigned long long)f->h.flow.failed, failed,
             f->h.last_warning.text);
  assert_int_equal(f->h.flow.files, (unsigned)f->n - failed);
  free(got);
  free(want);
}

static void any_entries_end_as_if_extracted_one_after_another(void **s)
{
  struct fixture f;
  unsigned round, seed;
  int i, n;

  (void)s;
  for (round = 1; round <= 25; round++) {
    seed = round * 7919;
    set_up(&f, round % 4 == 0);
    n = 10 + (int)(flow_random(&seed) % (MOST_ENTRIES - 10));
    for (i = 0; i < n; i++)
      add_entry(&f, random_entry(&seed));
    feed(&f, round);
    flow_run(&f.h);
    assert_string_equal(f.h.err.text, "");
    flow_close(&f.h, true);
    expect_as_one_after_another(&f, round);
    tear_down(&f);
  }
}

/* The content of every file must be one entry's, whole, and not of one that
   failed. Returns how many files there are. */
static unsigned expect_whole_files(int root, const char *path,
                                   const struct fixture *f)
{
  static uint8_t buf[400000];
  struct stat st;
  size_t at;
  int fd, i;

  if (fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(st.st_mode))
    return 0;
  fd = openat(root, path, O_RDONLY | O_CLOEXEC);
  assert_true(fd >= 0);
  assert_int_equal(read(fd, buf, sizeof buf), st.st_size);
  assert_int_equal(close(fd), 0);
  i = entry_of(buf, (size_t)st.st_size);
  if (i < 0 || i >= f->n || (size_t)st.st_size != f->entries[i].len)
    fail_msg("%s: not a whole file: %lld bytes", path, (long long)st.st_size);
  assert_int_equal(inject.faults[i], NO_FAULT);
  for (at = 0; at < (size_t)st.st_size; at++)
    if (buf[at] != content(i, at))
      fail_msg("%s: byte %zu of entry %d is wrong", path, at, i);
  return 1;
}

static unsigned expect_only_whole_files(const struct fixture *f)
{
  unsigned n = 0;
  size_t i;

  for (i = 0; i < sizeof names / sizeof names[0]; i++)
    n += expect_whole_files(f->dir.target, names[i], f);
  return n;
}

static void a_file_that_fails_late_goes_with_its_links(void **s)
{
  struct fixture f;
  unsigned round, seed;
  int i, n;

  (void)s;
  for (round = 1; round <= 25; round++) {
    seed = round * 104729;
    set_up(&f, false);
    n = 10 + (int)(flow_random(&seed) % (MOST_ENTRIES - 10));
    for (i = 0; i < n; i++) {
      unsigned r = flow_random(&seed) % 8;

      add_entry(&f, random_entry(&seed));
      if (f.entries[i].type == '0' && r < 2)
        inject.faults[i] = r ? WRITE_FAILS : CLOSE_FAILS;
    }
    inject.on = true;
    feed(&f, 0);
    flow_run(&f.h);
    assert_string_equal(f.h.err.text, "");
    assert_true(f.h.flow.failed >= atomic_load(&inject.n_failed));
    flow_close(&f.h, true);
    inject.on = false;
    (void)expect_only_whole_files(&f);
    tear_down(&f);
  }
}

static void a_failed_write_removes_one_file_and_reports_it(void **s)
{
  static const enum fault faults[] = {WRITE_FAILS, CLOSE_FAILS};
  struct fixture f;
  int k;

  (void)s;
  for (k = 0; k < 2; k++) {
    set_up(&f, false);
    add_entry(&f, (struct entry){'0', "a", NULL, 100});
    add_entry(&f, (struct entry){'0', "b", NULL, 300000});
    add_entry(&f, (struct entry){'1', "c", "b", 0});
    add_entry(&f, (struct entry){'0', "d/a", NULL, 100});
    inject.faults[1] = faults[k];
    inject.on = true;
    feed(&f, 0);
    flow_run(&f.h);
    assert_string_equal(f.h.err.text, "");
    flow_close(&f.h, true);
    tempdir_expect(f.dir.target, "a", S_IFREG, NULL);
    tempdir_expect(f.dir.target, "b", 0, NULL);
    tempdir_expect(f.dir.target, "c", 0, NULL);
    tempdir_expect(f.dir.target, "d/a", S_IFREG, NULL);
    assert_int_equal(f.h.flow.failed, 2);
    assert_int_equal(expect_only_whole_files(&f), 2);
    tear_down(&f);
  }
}

static void a_cancel_at_any_turn_leaves_no_unfinished_file(void **s)
{
  struct fixture f;
  unsigned turns, seed, i;

  (void)s;
  for (turns = 0; turns < 60; turns += 2) {
    seed = 77;
    set_up(&f, false);
    for (i = 0; i < 100; i++)
      add_entry(&f, random_entry(&seed));
    feed(&f, turns);
    for (i = 0; i < turns && !f.h.finished; i++)
      (void)uv_run(&f.h.loop, UV_RUN_NOWAIT);
    flow_close(&f.h, false);
    (void)expect_only_whole_files(&f);
    tear_down(&f);
  }
}

static void a_member_far_larger_than_the_budget_is_written(void **s)
{
  struct fixture f;
  struct stat st;

  (void)s;
  set_up(&f, false);
  (void)tar_make_header(&f.tar,
                        &(struct tar_make_header){.name = "big",
                                                  .type = '0',
                                                  .mode = 0644,
                                                  .uid = (int64_t)geteuid(),
                                                  .gid = (int64_t)getegid(),
                                                  .size = 24 << 20});
  (void)tar_make_filler(&f.tar, 24u << 20);
  feed(&f, 3);
  flow_run(&f.h);
  assert_string_equal(f.h.err.text, "");
  assert_int_equal(fstatat(f.dir.target, "big", &st, 0), 0);
  assert_int_equal(st.st_size, 24 << 20);
  assert_true(f.h.flow.in.peak <= LEAST_MEMORY / 2);
  flow_close(&f.h, true);
  tear_down(&f);
}

static void a_target_that_cannot_be_opened_ends_the_job_once(void **s)
{
  struct fixture f;
  char path[300];

  (void)s;
  set_up(&f, false);
  (void)snprintf(path, sizeof path, "%s/target", f.dir.base);
  assert_int_equal(rmdir(path), 0);
  tempdir_write(f.dir.base_fd, "target", "a file");
  add_entry(&f, (struct entry){'0', "a", NULL, 100});
  feed(&f, 3);
  flow_run(&f.h);
  assert_int_equal(f.h.err.code, TARN_EFILE);
  assert_int_equal(f.h.n_fails, 1);
  flow_close(&f.h, true);
  tempdir_expect(f.dir.base_fd, "target", S_IFREG, "a file");
  tear_down(&f);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_entries_end_as_if_extracted_one_after_another),
      cmocka_unit_test(a_file_that_fails_late_goes_with_its_links),
      cmocka_unit_test(a_failed_write_removes_one_file_and_reports_it),
      cmocka_unit_test(a_cancel_at_any_turn_leaves_no_unfinished_file),
      cmocka_unit_test(a_member_far_larger_than_the_budget_is_written),
      cmocka_unit_test(a_target_that_cannot_be_opened_ends_the_job_once),
  };

  (void)umask(022);
  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
