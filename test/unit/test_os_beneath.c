#include "os/beneath.h"

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
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);

  assert_non_null(f);
  tempdir_open(&f->t);
  tarn_beneath_init(&f->b, f->t.target, os_use_openat2(state));
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;

  tempdir_close(&f->t);
  free(f);
  return 0;
}

static void assert_refused(struct fixture *f, const char *path, int flags,
                           int error)
{
  assert_int_equal(tarn_beneath_open(&f->b, path, flags), -error);
}

/* That `path` opens the directory that `same` is. */
static void assert_leads_to(struct fixture *f, const char *path,
                            const char *same)
{
  int fd = tarn_beneath_open(&f->b, path, O_PATH | O_DIRECTORY);
  struct stat a, b;

  assert_true(fd >= 0);
  assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
  assert_int_equal(fstat(fd, &a), 0);
  assert_int_equal(fstatat(f->t.target, same, &b, 0), 0);
  assert_int_equal(a.st_ino, b.st_ino);
  (void)close(fd);
}

static void links_are_followed_while_they_stay_beneath(void **state)
{
  struct fixture *f = *state;
  int top = f->t.target;

  tempdir_mkdir(top, "a", 0755);
  tempdir_mkdir(top, "a/b", 0755);
  tempdir_mkdir(top, "c", 0755);
  tempdir_symlink(top, "a/up", "..");
  tempdir_symlink(top, "a/b/c", "../../c");
  tempdir_symlink(top, "chain", "a/up/a/b/c/");
  tempdir_symlink(top, "self", ".");
  assert_leads_to(f, "", ".");
  assert_leads_to(f, ".", ".");
  assert_leads_to(f, "a/b", "a/b");
  assert_leads_to(f, "a/up", ".");
  assert_leads_to(f, "a/up/a/up/c", "c");
  assert_leads_to(f, "a/b/c", "c");
  assert_leads_to(f, "chain", "c");
  assert_leads_to(f, "self/self/a", "a");
}

static void a_path_that_leaves_is_refused(void **state)
{
  struct fixture *f = *state;
  int top = f->t.target;

  tempdir_mkdir(top, "b", 0755);
  tempdir_symlink(top, "up", "..");
  tempdir_symlink(top, "sly", "b/../..");
  tempdir_symlink(top, "out", f->t.canary_path);
  tempdir_symlink(top, "etc", "/etc");
  tempdir_symlink(top, "slash", "/");
  tempdir_symlink(top, "beside", "../canary");
  tempdir_symlink(top, "back", "../target/b");
  tempdir_symlink(top, "second", "b/../beside/d");
  assert_refused(f, "up", O_PATH, EXDEV);
  assert_refused(f, "sly", O_PATH | O_DIRECTORY, EXDEV);
  assert_refused(f, "out/f", O_RDONLY, EXDEV);
  assert_refused(f, "etc/passwd", O_RDONLY, EXDEV);
  assert_refused(f, "slash", O_PATH | O_DIRECTORY, EXDEV);
  assert_refused(f, "beside/d", O_PATH | O_DIRECTORY, EXDEV);
  assert_refused(f, "back", O_PATH | O_DIRECTORY, EXDEV);
  assert_refused(f, "second", O_PATH | O_DIRECTORY, EXDEV);
  assert_refused(f, "/etc", O_PATH, EXDEV);
}

static void the_last_link_is_opened_or_followed_as_asked(void **state)
{
  struct fixture *f = *state;
  struct stat st;
  int fd;

  tempdir_write(f->t.target, "file", "text");
  tempdir_symlink(f->t.target, "link", "file");
  assert_refused(f, "link", O_RDONLY | O_NOFOLLOW, ELOOP);
  fd = tarn_beneath_open(&f->b, "link", O_PATH | O_NOFOLLOW);
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &st), 0);
  assert_true(S_ISLNK(st.st_mode));
  (void)close(fd);
  fd = tarn_beneath_open(&f->b, "link", O_RDONLY);
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &st), 0);
  assert_true(S_ISREG(st.st_mode));
  (void)close(fd);
  fd = tarn_beneath_open(&f->b, "link", O_PATH);
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &st), 0);
  assert_true(S_ISREG(st.st_mode));
  (void)close(fd);
  assert_refused(f, "link", O_PATH | O_DIRECTORY, ENOTDIR);
  assert_refused(f, "file/x", O_PATH, ENOTDIR);
  assert_refused(f, "link/x", O_PATH, ENOTDIR);
  assert_refused(f, "none/x", O_PATH, ENOENT);
  assert_refused(f, "none", O_RDONLY | O_CREAT, EINVAL);
}

static void a_loop_ends_and_forty_links_do_not(void **state)
{
  struct fixture *f = *state;
  char name[16], target[16];

  tempdir_symlink(f->t.target, "x", "y");
  tempdir_symlink(f->t.target, "y", "x/z");
  assert_refused(f, "x", O_PATH, ELOOP);
  assert_refused(f, "x/y", O_PATH | O_DIRECTORY, ELOOP);
  tempdir_mkdir(f->t.target, "0", 0755);
  for (int i = 1; i <= 41; i++) {
    (void)snprintf(name, sizeof name, "%d", i);
    (void)snprintf(target, sizeof target, "%d", i - 1);
    tempdir_symlink(f->t.target, name, target);
  }
  assert_leads_to(f, "40", "0");
  assert_refused(f, "41", O_PATH | O_DIRECTORY, ELOOP);
}

static unsigned count_open(void)
{
  unsigned n = 0;

  for (int fd = 0; fd < 1024; fd++)
    n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

/* 4096 components with few descriptors, then up again through links. */
static void a_path_of_4096_components_needs_few_descriptors(void **state)
{
  enum { N = 4096 };
  struct fixture *f = *state;
  int fd = fcntl(f->t.target, F_DUPFD_CLOEXEC, 0);
  struct rlimit old, few = {0};
  char *path = calloc(2, N + 64);
  char up[3 * 100 + 1] = "";
  struct stat a, b;

  assert_non_null(path);
  for (int i = 0; i < N; i++) {
    int next;

    assert_int_equal(mkdirat(fd, "d", 0755), 0);
    next = openat(fd, "d", O_PATH | O_DIRECTORY | O_CLOEXEC);
    assert_true(next >= 0);
    (void)close(fd);
    fd = next;
    memcpy(path + 2 * i, "d/", 2);
  }
  for (size_t i = 0; i < 100; i++)
    memcpy(up + 3 * i, "../", 3);
  assert_int_equal(symlinkat(up, fd, "up"), 0);
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
  few.rlim_cur = count_open() + 40;
  few.rlim_max = old.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
  memcpy(path + 2 * N, "up/d", 5);
  int found = tarn_beneath_open(&f->b, path, O_PATH | O_DIRECTORY);

  assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
  assert_true(found >= 0);
  path[2 * (N - 99)] = '\0';
  int expected = tarn_beneath_open(&f->b, path, O_PATH | O_DIRECTORY);

  assert_true(expected >= 0);
  assert_int_equal(fstat(found, &a), 0);
  assert_int_equal(fstat(expected, &b), 0);
  assert_int_equal(a.st_ino, b.st_ino);
  (void)close(found);
  (void)close(expected);
  (void)close(fd);
  free(path);
}

static void a_component_of_255_bytes_is_fine_and_one_more_is_not(void **state)
{
  struct fixture *f = *state;
  char name[257];

  memset(name, 'n', sizeof name);
  name[256] = '\0';
  assert_refused(f, name, O_PATH, ENAMETOOLONG);
  name[255] = '\0';
  tempdir_mkdir(f->t.target, name, 0755);
  assert_leads_to(f, name, name);
}

static void every_descriptor_is_given_back(void **state)
{
  struct fixture *f = *state;
  unsigned before = count_open();

  tempdir_mkdir(f->t.target, "a", 0755);
  tempdir_mkdir(f->t.target, "a/b", 0755);
  tempdir_symlink(f->t.target, "a/b/up", "../..");
  tempdir_symlink(f->t.target, "a/b/out", "../../..");
  assert_leads_to(f, "a/b/up/a", "a");
  assert_refused(f, "a/b/out", O_PATH, EXDEV);
  assert_refused(f, "a/b/none/x", O_PATH, ENOENT);
  assert_int_equal(count_open(), before);
}

int main(void)
{
  struct CMUnitTest tests[] = {
      cmocka_unit_test(links_are_followed_while_they_stay_beneath),
      cmocka_unit_test(a_path_that_leaves_is_refused),
      cmocka_unit_test(the_last_link_is_opened_or_followed_as_asked),
      cmocka_unit_test(a_loop_ends_and_forty_links_do_not),
      cmocka_unit_test(a_path_of_4096_components_needs_few_descriptors),
      cmocka_unit_test(a_component_of_255_bytes_is_fine_and_one_more_is_not),
      cmocka_unit_test(every_descriptor_is_given_back),
  };

  return os_run(tests, sizeof tests / sizeof tests[0], set_up, tear_down);
}
