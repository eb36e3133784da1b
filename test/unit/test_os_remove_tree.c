#include "os/remove_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tempdir.h"

static struct tempdir dir;

static int set_up(void **s)
{
  (void)s;
  tempdir_open(&dir);
  return 0;
}

static int tear_down(void **s)
{
  (void)s;
  tempdir_close(&dir);
  return 0;
}

static unsigned count_in(int fd)
{
  int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fdopendir(own);
  unsigned n = 0;

  assert_non_null(list);
  while (readdir(list))
    n++;
  (void)closedir(list);
  return n - 2;
}

static void an_empty_directory_is_empty_already(void **s)
{
  (void)s;
  assert_int_equal(tarn_remove_all(dir.target), 0);
}

static void every_kind_of_name_goes_and_links_are_not_followed(void **s)
{
  (void)s;
  tempdir_write(dir.target, "file", "x");
  tempdir_symlink(dir.target, "link", "../canary");
  tempdir_symlink(dir.target, "dangling", "nowhere");
  assert_int_equal(mkfifoat(dir.target, "fifo", 0600), 0);
  tempdir_mkdir(dir.target, "empty", 0700);
  tempdir_mkdir(dir.target, "d", 0700);
  tempdir_write(dir.target, "d/file", "x");
  tempdir_symlink(dir.target, "d/link", "../../canary");
  tempdir_mkdir(dir.target, "d/d", 0700);
  tempdir_write(dir.target, "d/d/.hidden", "x");
  assert_int_equal(tarn_remove_all(dir.target), 0);
  assert_int_equal(count_in(dir.target), 0);
}

/* What it moves up gets such names; there may be such already. */
static void names_that_are_taken_at_the_top_do_not_matter(void **s)
{
  char name[32];
  int i;

  (void)s;
  for (i = 0; i < 20; i++) {
    (void)snprintf(name, sizeof name, ".tarn-%d", i);
    if (i % 3 == 0)
      tempdir_write(dir.target, name, "x");
    else
      tempdir_mkdir(dir.target, name, 0700);
    if (i % 3 == 2) {
      (void)snprintf(name, sizeof name, ".tarn-%d/in", i);
      tempdir_mkdir(dir.target, name, 0700);
      (void)snprintf(name, sizeof name, ".tarn-%d/in/file", i);
      tempdir_write(dir.target, name, "x");
    }
  }
  assert_int_equal(tarn_remove_all(dir.target), 0);
  assert_int_equal(count_in(dir.target), 0);
}

static void a_tree_deeper_than_any_path_goes(void **s)
{
  enum { DEPTH = 3000 };
  int fd = fcntl(dir.target, F_DUPFD_CLOEXEC, 0), i;

  (void)s;
  for (i = 0; i < DEPTH; i++) {
    int next;

    assert_int_equal(mkdirat(fd, "component", 0700), 0);
    tempdir_write(fd, "file", "x");
    next = openat(fd, "component", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(next >= 0);
    (void)close(fd);
    fd = next;
  }
  (void)close(fd);
  assert_int_equal(tarn_remove_all(dir.target), 0);
  assert_int_equal(count_in(dir.target), 0);
}

static int remove_locked(struct tempdir *t)
{
  static const mode_t modes[] = {0000, 0100, 0200, 0300, 0400, 0500, 0600};
  char name[64];
  size_t i;

  for (i = 0; i < sizeof modes / sizeof *modes; i++) {
    (void)snprintf(name, sizeof name, "d%zu", i);
    if (mkdirat(t->target, name, 0700) != 0)
      return __LINE__;
    (void)snprintf(name, sizeof name, "d%zu/in", i);
    if (mkdirat(t->target, name, 0700) != 0)
      return __LINE__;
    (void)snprintf(name, sizeof name, "d%zu/in/file", i);
    if (mknodat(t->target, name, S_IFREG | 0400, 0) != 0)
      return __LINE__;
    (void)snprintf(name, sizeof name, "d%zu/in", i);
    if (fchmodat(t->target, name, modes[(i + 3) % 7], 0) != 0)
      return __LINE__;
    (void)snprintf(name, sizeof name, "d%zu", i);
    if (fchmodat(t->target, name, modes[i], 0) != 0)
      return __LINE__;
  }
  if (tarn_remove_all(t->target) != 0)
    return __LINE__;
  return count_in(t->target) == 0 ? 0 : __LINE__;
}

static void a_users_own_locked_directories_go(void **s)
{
  (void)s;
  tempdir_as_user(&dir, remove_locked);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_empty_directory_is_empty_already,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          every_kind_of_name_goes_and_links_are_not_followed, set_up,
          tear_down),
      cmocka_unit_test_setup_teardown(
          names_that_are_taken_at_the_top_do_not_matter, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_tree_deeper_than_any_path_goes, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_users_own_locked_directories_go, set_up,
                                      tear_down),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
