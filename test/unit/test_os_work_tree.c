#include "os/work_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tempdir.h"

static struct tempdir dir;
static char target[400];

static int set_up(void **s)
{
  (void)s;
  tempdir_open(&dir);
  (void)snprintf(target, sizeof target, "%s/target/tree", dir.base);
  return 0;
}

static int tear_down(void **s)
{
  (void)s;
  tempdir_close(&dir);
  return 0;
}

/* Names beside the target, how many of them are work trees of "tree". */
static unsigned count_names(unsigned *n_work)
{
  int own = openat(dir.target, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fdopendir(own);
  const struct dirent *e;
  unsigned n = 0;

  *n_work = 0;
  assert_non_null(list);
  while ((e = readdir(list))) {
    n++;
    *n_work += strncmp(e->d_name, ".tree.tarn-", 11) == 0;
  }
  (void)closedir(list);
  return n - 2;
}

static void open_tree(struct tarn_work_tree *w)
{
  assert_int_equal(tarn_work_tree_open(w, target, 0751, NULL), 0);
  tempdir_write(w->dir, "file", "content");
}

static void nothing_has_the_name_before_the_commit(void **s)
{
  struct tarn_work_tree w;
  unsigned n_work;

  (void)s;
  open_tree(&w);
  tempdir_expect(dir.target, "tree", 0, NULL);
  assert_int_equal(count_names(&n_work), 1);
  assert_int_equal(n_work, 1);
  assert_int_equal(tarn_work_tree_commit(&w, true, NULL), 0);
  tempdir_expect(dir.target, "tree/file", S_IFREG, "content");
  assert_int_equal(tempdir_mode(dir.target, "tree"), 0751);
  assert_int_equal(count_names(&n_work), 1);
  tarn_work_tree_drop(&w); /* nothing any more */
  tempdir_expect(dir.target, "tree/file", S_IFREG, "content");
}

static void a_drop_removes_all_of_it(void **s)
{
  struct tarn_work_tree w;
  unsigned n_work;

  (void)s;
  open_tree(&w);
  tempdir_mkdir(w.dir, "d", 0700);
  tempdir_write(w.dir, "d/file", "x");
  tarn_work_tree_drop(&w);
  tarn_work_tree_drop(&w);
  assert_int_equal(count_names(&n_work), 0);
}

static void of_two_at_once_the_first_to_commit_wins(void **s)
{
  struct tarn_work_tree a, b;
  struct tarn_err err;
  unsigned n_work;

  (void)s;
  open_tree(&a);
  open_tree(&b);
  tempdir_write(b.dir, "of_b", "x");
  assert_int_equal(count_names(&n_work), 2);
  assert_int_equal(tarn_work_tree_commit(&a, false, NULL), 0);
  assert_int_equal(tarn_work_tree_commit(&b, false, &err), TARN_EFILE);
  tarn_work_tree_drop(&b);
  assert_int_equal(count_names(&n_work), 1);
  tempdir_expect(dir.target, "tree/of_b", 0, NULL);
}

static void what_takes_the_name_meanwhile_is_not_replaced(void **s)
{
  struct tarn_work_tree w;

  (void)s;
  open_tree(&w);
  tempdir_symlink(dir.target, "tree", "../canary");
  assert_int_equal(tarn_work_tree_commit(&w, false, NULL), TARN_EFILE);
  tarn_work_tree_drop(&w);
  tempdir_expect(dir.target, "tree", S_IFLNK, "../canary");
}

static void a_tree_that_nobody_holds_is_removed_by_the_next(void **s)
{
  struct tarn_work_tree w, next;
  unsigned n_work;

  (void)s;
  open_tree(&w);
  open_tree(&next); /* w is held */
  tarn_work_tree_drop(&next);
  assert_int_equal(count_names(&n_work), 1);
  assert_int_equal(flock(w.dir, LOCK_UN), 0); /* as if its run were killed */
  open_tree(&next);
  assert_int_equal(count_names(&n_work), 1);
  tarn_work_tree_drop(&next);
  tarn_work_tree_drop(&w); /* which is not there any more */
  assert_int_equal(count_names(&n_work), 0);
}

static void a_tree_that_was_moved_away_is_left_alone(void **s)
{
  struct tarn_work_tree w;

  (void)s;
  open_tree(&w);
  assert_int_equal(renameat(dir.target, w.work, dir.target, "moved"), 0);
  tempdir_mkdir(dir.target, w.work, 0700); /* another one of that name */
  tarn_work_tree_drop(&w);
  tempdir_expect(dir.target, "moved/file", S_IFREG, "content");
}

static void what_cannot_be_replaced_is_refused_and_says_why(void **s)
{
  static const struct {
    const char *name, *why;
  } cases[] = {
      {"full", "not empty"},     {"file", "not a directory"},
      {"link", "symbolic link"}, {".", "no name"},
      {"..", "no name"},         {"full/..", "no name"},
  };
  struct tarn_work_tree w;
  struct tarn_err err;
  unsigned n_work;
  size_t i;

  (void)s;
  tempdir_mkdir(dir.target, "full", 0700);
  tempdir_write(dir.target, "full/x", "x");
  tempdir_write(dir.target, "file", "x");
  tempdir_symlink(dir.target, "link", "full");
  for (i = 0; i < sizeof cases / sizeof *cases; i++) {
    (void)snprintf(target, sizeof target, "%s/target/%s", dir.base,
                   cases[i].name);
    assert_int_equal(tarn_work_tree_open(&w, target, 0755, &err), TARN_EINVAL);
    if (!strstr(err.text, cases[i].why))
      fail_msg("%s: %s", cases[i].name, err.text);
    tarn_work_tree_drop(&w);
  }
  assert_int_equal(count_names(&n_work), 3);
}

static void a_directory_above_that_is_a_file_is_an_error(void **s)
{
  struct tarn_work_tree w;

  (void)s;
  tempdir_write(dir.target, "file", "x");
  (void)snprintf(target, sizeof target, "%s/target/file/tree", dir.base);
  assert_int_equal(tarn_work_tree_open(&w, target, 0755, NULL), TARN_EFILE);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(nothing_has_the_name_before_the_commit,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_drop_removes_all_of_it, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(of_two_at_once_the_first_to_commit_wins,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          what_takes_the_name_meanwhile_is_not_replaced, set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          a_tree_that_nobody_holds_is_removed_by_the_next, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_tree_that_was_moved_away_is_left_alone,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          what_cannot_be_replaced_is_refused_and_says_why, set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          a_directory_above_that_is_a_file_is_an_error, set_up, tear_down),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
