#include "os/dircache.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "os_harness.h"
#include "tempdir.h"

struct fixture {
  struct tempdir t;
  struct tarn_beneath b;
  struct tarn_dircache *c;
};

enum { MAX_OPEN = 4 };

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);

  assert_non_null(f);
  tempdir_open(&f->t);
  tarn_beneath_init(&f->b, f->t.target, os_use_openat2(state));
  f->c = tarn_dircache_new(&f->b, MAX_OPEN);
  assert_non_null(f->c);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;

  tarn_dircache_free(f->c);
  tempdir_close(&f->t);
  free(f);
  return 0;
}

static int get(struct fixture *f, const char *path, mode_t make_mode,
               unsigned *made)
{
  return tarn_dircache_get(f->c, path, strlen(path), make_mode, made);
}

static ino_t inode_of(int fd)
{
  struct stat st;

  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &st), 0);
  return st.st_ino;
}

static unsigned count_open(void)
{
  unsigned n = 0;

  for (int fd = 0; fd < 1024; fd++)
    n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

static void the_same_directory_costs_no_second_open(void **state)
{
  struct fixture *f = *state;
  int a, b;

  tempdir_mkdir(f->t.target, "a", 0755);
  tempdir_mkdir(f->t.target, "b", 0755);
  a = get(f, "a", 0, NULL);
  b = get(f, "b", 0, NULL);
  assert_true(a >= 0 && b >= 0 && a != b);
  assert_int_equal(get(f, "b", 0, NULL), b);
  assert_int_equal(get(f, "a", 0, NULL), a);
  assert_int_equal(tarn_dircache_get(f->c, "a/file", 1, 0, NULL), a);
  assert_int_equal(get(f, "", 0, NULL), f->t.target);
}

static void missing_directories_are_made_and_counted(void **state)
{
  struct fixture *f = *state;
  mode_t old = umask(027);
  unsigned made = 0;

  assert_int_equal(get(f, "a/b/c", 0, &made), -ENOENT);
  assert_int_equal(made, 0);
  assert_true(get(f, "a/b/c", 0750, &made) >= 0);
  assert_int_equal(made, 3);
  assert_true(get(f, "a/b/d/e", 0750, &made) >= 0);
  assert_int_equal(made, 5);
  assert_true(get(f, "a/b/d/e", 0750, &made) >= 0);
  assert_int_equal(made, 5);
  assert_int_equal(tempdir_mode(f->t.target, "a/b/d/e"), 0750);
  (void)umask(old);
}

static void directories_are_made_through_links_beneath_only(void **state)
{
  struct fixture *f = *state;
  int top = f->t.target;

  tempdir_mkdir(top, "real", 0755);
  tempdir_mkdir(top, "real/deep", 0755);
  tempdir_symlink(top, "real/deep/up", "../..");
  tempdir_symlink(top, "out", "../canary");
  tempdir_symlink(top, "etc", f->t.canary_path);
  tempdir_symlink(top, "loop", "loop");
  tempdir_symlink(top, "nowhere", "none");
  tempdir_write(top, "file", "");
  assert_true(get(f, "real/deep", 0, NULL) >= 0);
  assert_true(get(f, "real/deep/up/new/one", 0755, NULL) >= 0);
  tempdir_expect(top, "new/one", S_IFDIR, NULL);
  assert_int_equal(get(f, "out/x", 0755, NULL), -EXDEV);
  assert_int_equal(get(f, "etc/x", 0755, NULL), -EXDEV);
  assert_int_equal(get(f, "new/../../x", 0755, NULL), -EXDEV);
  assert_int_equal(get(f, "loop/x", 0755, NULL), -ELOOP);
  assert_int_equal(get(f, "nowhere/x", 0755, NULL), -ENOTDIR);
  assert_int_equal(get(f, "file/x", 0755, NULL), -ENOTDIR);
  tempdir_expect(top, "none", 0, NULL);
}

static void a_drop_forgets_what_a_path_meant(void **state)
{
  struct fixture *f = *state;
  ino_t first;

  tempdir_mkdir(f->t.target, "one", 0755);
  tempdir_mkdir(f->t.target, "two", 0755);
  tempdir_symlink(f->t.target, "link", "one");
  first = inode_of(get(f, "link", 0, NULL));
  assert_int_equal(first, inode_of(get(f, "one", 0, NULL)));
  assert_int_equal(unlinkat(f->t.target, "link", 0), 0);
  tempdir_symlink(f->t.target, "link", "two");
  tarn_dircache_drop(f->c);
  assert_int_not_equal(first, inode_of(get(f, "link", 0, NULL)));
}

static void no_more_descriptors_are_kept_than_allowed(void **state)
{
  struct fixture *f = *state;
  unsigned before = count_open();
  ino_t first = 0;
  char name[16];

  for (int i = 0; i < 50; i++) {
    (void)snprintf(name, sizeof name, "d/%d", i);
    ino_t ino = inode_of(get(f, name, 0755, NULL));

    first = i == 0 ? ino : first;
    assert_int_equal(inode_of(get(f, "d/0", 0755, NULL)), first);
    assert_true(count_open() <= before + MAX_OPEN);
  }
  tarn_dircache_drop(f->c);
  assert_int_equal(count_open(), before);
}

static void the_last_but_one_stays_open(void **state)
{
  struct fixture *f = *state;
  struct tarn_dircache *small = tarn_dircache_new(&f->b, 1);
  int a, b;

  assert_non_null(small);
  assert_true(tarn_dircache_get(small, "x", 1, 0755, NULL) >= 0);
  a = tarn_dircache_get(small, "a", 1, 0755, NULL);
  b = tarn_dircache_get(small, "b", 1, 0755, NULL);
  assert_int_not_equal(inode_of(a), inode_of(b));
  tarn_dircache_free(small);
}

static void kept_descriptors_give_way_when_the_process_has_none(void **state)
{
  struct fixture *f = *state;
  struct rlimit old, few;
  int spare[64], rc;
  size_t n = 0;

  tempdir_mkdir(f->t.target, "x", 0755);
  assert_true(get(f, "a", 0755, NULL) >= 0);
  assert_true(get(f, "b", 0755, NULL) >= 0);
  assert_true(get(f, "c", 0755, NULL) >= 0);
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
  few = old;
  few.rlim_cur = 40;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  while (n < 64 && (spare[n] = dup(f->t.target)) >= 0)
    n++;
  assert_int_equal(errno, EMFILE);
  rc = get(f, "x", 0, NULL);
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
  while (n > 0)
    (void)close(spare[--n]);
  assert_true(rc >= 0);
}

static void a_path_of_many_thousand_bytes_is_made(void **state)
{
  enum { N = 40, LEN = 255 };
  struct fixture *f = *state;
  char *path = malloc(N * (LEN + 1));
  unsigned made = 0;

  assert_non_null(path);
  for (size_t i = 0; i < N; i++) {
    memset(path + i * (LEN + 1), 'a' + (int)(i % 26), LEN);
    path[i * (LEN + 1) + LEN] = i + 1 < N ? '/' : '\0';
  }
  assert_true(get(f, path, 0755, &made) >= 0);
  assert_int_equal(made, N);
  tarn_dircache_drop(f->c);
  assert_true(get(f, path, 0, &made) >= 0);
  assert_int_equal(made, N);
  free(path);
}

int main(void)
{
  struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_directory_costs_no_second_open),
      cmocka_unit_test(missing_directories_are_made_and_counted),
      cmocka_unit_test(directories_are_made_through_links_beneath_only),
      cmocka_unit_test(a_drop_forgets_what_a_path_meant),
      cmocka_unit_test(no_more_descriptors_are_kept_than_allowed),
      cmocka_unit_test(the_last_but_one_stays_open),
      cmocka_unit_test(kept_descriptors_give_way_when_the_process_has_none),
      cmocka_unit_test(a_path_of_many_thousand_bytes_is_made),
  };

  return os_run(tests, sizeof tests / sizeof tests[0], set_up, tear_down);
}
