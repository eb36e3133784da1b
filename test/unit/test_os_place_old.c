#include "os/place.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "os_harness.h"
#include "tempdir.h"

struct fixture {
  struct tempdir t;
  struct tarn_place p;
};

/* "f" of 1000.5 s, "empty", "full" with a file, "s" to "full", "out" outside,
   "two", another name of "f". */
static int set_up(void **state)
{
  struct timespec times[2] = {{1000, 500000000}, {1000, 500000000}};
  struct fixture *f = calloc(1, sizeof *f);
  bool use_openat2 = os_use_openat2(state);

  assert_non_null(f);
  tempdir_open(&f->t);
  tempdir_write(f->t.target, "f", "old");
  assert_int_equal(utimensat(f->t.target, "f", times, 0), 0);
  assert_int_equal(linkat(f->t.target, "f", f->t.target, "two", 0), 0);
  tempdir_mkdir(f->t.target, "empty", 0755);
  tempdir_mkdir(f->t.target, "full", 0755);
  tempdir_write(f->t.target, "full/x", "x");
  tempdir_symlink(f->t.target, "s", "full");
  tempdir_symlink(f->t.target, "out", f->t.canary_path);
  tempdir_symlink(f->t.target, "broken", "nowhere");
  assert_int_equal(tarn_place_open(&f->p, f->t.target, use_openat2, 022), 0);
  *state = f;
  return 0;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;

  tarn_place_close(&f->p);
  tempdir_close(&f->t);
  free(f);
  return 0;
}

static int judge(struct fixture *f, enum tarn_old old, const char *path,
                 bool is_dir)
{
  struct tarn_place_wish wish = {.path = path, .is_dir = is_dir};

  f->p.old = old;
  return tarn_place_judge(&f->p, &wish);
}

static void a_free_name_is_always_made(void **state)
{
  struct fixture *f = *state;
  int old;

  for (old = 0; old < TARN_OLD_COUNT; old++) {
    assert_int_equal(judge(f, (enum tarn_old)old, "none", false), 0);
    assert_int_equal(judge(f, (enum tarn_old)old, "none", true), 0);
    assert_int_equal(judge(f, (enum tarn_old)old, "no/such", true), 0);
  }
}

static void without_an_option_everything_gives_way(void **state)
{
  struct fixture *f = *state;

  assert_int_equal(judge(f, TARN_OLD_REPLACE, "f", false), 0);
  assert_int_equal(judge(f, TARN_OLD_REPLACE, "full", true), 0);
  assert_int_equal(judge(f, TARN_OLD_REPLACE, "s", true), 0);
  assert_int_equal(judge(f, TARN_OLD_REPLACE, "", true), 0);
}

static void keeping_refuses_files_and_passes_over_directories(void **state)
{
  struct fixture *f = *state;

  assert_int_equal(judge(f, TARN_OLD_KEEP, "f", false), -EEXIST);
  assert_int_equal(judge(f, TARN_OLD_KEEP, "empty", false), -EEXIST);
  assert_int_equal(judge(f, TARN_OLD_KEEP, "broken", false), -EEXIST);
  assert_int_equal(judge(f, TARN_OLD_KEEP, "full", true), TARN_PLACE_LEAVE);
  assert_int_equal(judge(f, TARN_OLD_KEEP, "f", true), TARN_PLACE_LEAVE);
  assert_int_equal(judge(f, TARN_OLD_KEEP, "", true), TARN_PLACE_LEAVE);
}

static void keeping_lets_a_link_be_that_is_made_already(void **state)
{
  struct fixture *f = *state;
  struct tarn_place_wish wish = {.path = "two", .link = "f"};

  f->p.old = TARN_OLD_KEEP;
  assert_int_equal(tarn_place_judge(&f->p, &wish), TARN_PLACE_LEAVE);
  wish.link = "full/x";
  assert_int_equal(tarn_place_judge(&f->p, &wish), -EEXIST);
  wish.link = "none";
  assert_int_equal(tarn_place_judge(&f->p, &wish), -EEXIST);
}

static void skipping_leaves_all_that_is_there(void **state)
{
  struct fixture *f = *state;

  assert_int_equal(judge(f, TARN_OLD_SKIP, "f", false), TARN_PLACE_LEAVE);
  assert_int_equal(judge(f, TARN_OLD_SKIP, "full", false), TARN_PLACE_LEAVE);
  assert_int_equal(judge(f, TARN_OLD_SKIP, "f", true), TARN_PLACE_LEAVE);
  assert_int_equal(judge(f, TARN_OLD_SKIP, "s", true), TARN_PLACE_LEAVE);
}

static void the_newer_of_two_files_stays_to_the_nanosecond(void **state)
{
  struct fixture *f = *state;
  struct tarn_place_wish wish = {.path = "f"};

  f->p.old = TARN_OLD_KEEP_NEWER;
  wish.mtime.sec = 1000;
  wish.mtime.nsec = 499999999;
  assert_int_equal(tarn_place_judge(&f->p, &wish), TARN_PLACE_NEWER);
  wish.mtime.nsec = 500000000;
  assert_int_equal(tarn_place_judge(&f->p, &wish), TARN_PLACE_NEWER);
  wish.mtime.nsec = 500000001;
  assert_int_equal(tarn_place_judge(&f->p, &wish), TARN_PLACE_MAKE);
  wish.mtime.sec = -1;
  assert_int_equal(tarn_place_judge(&f->p, &wish), TARN_PLACE_NEWER);
  wish.is_dir = true;
  assert_int_equal(tarn_place_judge(&f->p, &wish), TARN_PLACE_NEWER);
  wish.mtime.sec = 1001;
  assert_int_equal(tarn_place_judge(&f->p, &wish), TARN_PLACE_MAKE);
}

static void keeping_newer_files_leaves_directories_that_are_full(void **state)
{
  struct fixture *f = *state;

  assert_int_equal(judge(f, TARN_OLD_KEEP_NEWER, "full", true),
                   TARN_PLACE_LEAVE);
  assert_int_equal(judge(f, TARN_OLD_KEEP_NEWER, "full", false),
                   TARN_PLACE_MAKE);
  assert_int_equal(judge(f, TARN_OLD_KEEP_NEWER, "empty", true),
                   TARN_PLACE_MAKE);
  tempdir_expect(f->t.target, "empty", 0, NULL);
}

static void a_file_that_is_still_written_is_waited_for(void **state)
{
  struct fixture *f = *state;
  struct tarn_place_wish wish = {.path = "two", .n_busy = 2};
  struct tarn_inode busy[2] = {{1, 1}, {0, 0}};
  struct stat st;
  int old;

  assert_int_equal(fstatat(f->t.target, "f", &st, 0), 0);
  busy[1] = tarn_inode_of(&st);
  wish.busy = busy;
  for (old = TARN_OLD_KEEP; old <= TARN_OLD_KEEP_NEWER; old++) {
    f->p.old = (enum tarn_old)old;
    assert_int_equal(tarn_place_judge(&f->p, &wish), -EAGAIN);
  }
  wish.n_busy = 1;
  assert_int_equal(tarn_place_judge(&f->p, &wish), TARN_PLACE_NEWER);
  /* What keeps a directory from being empty may be such a file. */
  wish.path = "full";
  wish.is_dir = true;
  assert_int_equal(tarn_place_judge(&f->p, &wish), -EAGAIN);
}

static void unlinking_first_removes_all_but_full_directories(void **state)
{
  struct fixture *f = *state;

  assert_int_equal(judge(f, TARN_OLD_UNLINK_FIRST, "f", false), 0);
  tempdir_expect(f->t.target, "f", 0, NULL);
  assert_int_equal(judge(f, TARN_OLD_UNLINK_FIRST, "empty", true), 0);
  tempdir_expect(f->t.target, "empty", 0, NULL);
  assert_int_equal(judge(f, TARN_OLD_UNLINK_FIRST, "s", true), 0);
  tempdir_expect(f->t.target, "s", 0, NULL);
  assert_int_equal(judge(f, TARN_OLD_UNLINK_FIRST, "full", true), -ENOTEMPTY);
  tempdir_expect(f->t.target, "full/x", S_IFREG, "x");
  assert_int_equal(judge(f, TARN_OLD_UNLINK_FIRST, "", true), TARN_PLACE_LEAVE);
}

static void
unlinking_first_spares_a_name_until_its_link_can_be_made(void **state)
{
  struct fixture *f = *state;
  struct tarn_place_wish wish = {.path = "f", .link = "none"};

  f->p.old = TARN_OLD_UNLINK_FIRST;
  assert_int_equal(tarn_place_judge(&f->p, &wish), TARN_PLACE_MAKE);
  tempdir_expect(f->t.target, "f", S_IFREG, "old");
}

static void a_symlink_may_stand_for_a_directory_beneath(void **state)
{
  struct fixture *f = *state;

  f->p.keep_dir_symlink = true;
  assert_int_equal(judge(f, TARN_OLD_REPLACE, "s", true), TARN_PLACE_LEAVE);
  assert_int_equal(judge(f, TARN_OLD_UNLINK_FIRST, "s", true),
                   TARN_PLACE_LEAVE);
  assert_int_equal(judge(f, TARN_OLD_REPLACE, "broken", true), TARN_PLACE_MAKE);
  assert_int_equal(judge(f, TARN_OLD_REPLACE, "out", true), -EXDEV);
  assert_int_equal(judge(f, TARN_OLD_REPLACE, "s", false), TARN_PLACE_MAKE);
  tempdir_expect(f->t.target, "s", S_IFLNK, "full");
}

static void a_removed_directory_is_forgotten(void **state)
{
  struct fixture *f = *state;
  struct tarn_dir_tree tree;
  struct tarn_inode inode;
  struct stat st;

  assert_int_equal(fstatat(f->t.target, "empty", &st, 0), 0);
  inode = tarn_inode_of(&st);
  tarn_dir_tree_init(&tree, NULL);
  assert_true(tarn_dir_tree_put(&tree, &inode, TARN_DIR_NONE, "", 0) !=
              TARN_DIR_NONE);
  f->p.tree = &tree;
  assert_int_equal(tarn_place_symlink(&f->p, "empty", "x"), 0);
  assert_int_equal(tarn_dir_tree_find(&tree, &inode), TARN_DIR_NONE);
  tarn_dir_tree_free(&tree);
}

static int user_makes_way(struct tempdir *t, bool openat2)
{
  struct tarn_place_dir made;
  struct tarn_place p;
  size_t next = 0, len = 99;

  if (mkdirat(t->target, "a", 0700) < 0 || mkdirat(t->target, "a/b", 0) < 0 ||
      fchmodat(t->target, "a", 0400, 0) < 0 ||
      tarn_place_open(&p, t->target, openat2, 022) < 0)
    return __LINE__;
  if (tarn_place_file(&p, "a/b/f", NULL) != -EACCES)
    return __LINE__;
  if (tarn_place_make_way(&p, "a/b/f", &next, &len, &made) != 1 || len != 1 ||
      made.old_mode != 0400 || !made.opened_up)
    return __LINE__;
  if (tarn_place_make_way(&p, "a/b/f", &next, &len, &made) != 1 || len != 3 ||
      made.old_mode != 0)
    return __LINE__;
  if (tarn_place_make_way(&p, "a/b/f", &next, &len, &made) != 0)
    return __LINE__;
  if (close(tarn_place_file(&p, "a/b/f", NULL)) < 0)
    return __LINE__;
  tarn_place_close(&p);
  return 0;
}

static int with_openat2(struct tempdir *t)
{
  return user_makes_way(t, true);
}

static int with_the_walk(struct tempdir *t)
{
  return user_makes_way(t, false);
}

static void a_user_gets_into_own_directories_that_are_shut(void **state)
{
  struct fixture *f = *state;

  tempdir_as_user(&f->t,
                  f->p.beneath.use_openat2 ? with_openat2 : with_the_walk);
}

int main(void)
{
  struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_name_is_always_made),
      cmocka_unit_test(without_an_option_everything_gives_way),
      cmocka_unit_test(keeping_refuses_files_and_passes_over_directories),
      cmocka_unit_test(keeping_lets_a_link_be_that_is_made_already),
      cmocka_unit_test(skipping_leaves_all_that_is_there),
      cmocka_unit_test(the_newer_of_two_files_stays_to_the_nanosecond),
      cmocka_unit_test(keeping_newer_files_leaves_directories_that_are_full),
      cmocka_unit_test(a_file_that_is_still_written_is_waited_for),
      cmocka_unit_test(unlinking_first_removes_all_but_full_directories),
      cmocka_unit_test(
          unlinking_first_spares_a_name_until_its_link_can_be_made),
      cmocka_unit_test(a_symlink_may_stand_for_a_directory_beneath),
      cmocka_unit_test(a_removed_directory_is_forgotten),
      cmocka_unit_test(a_user_gets_into_own_directories_that_are_shut),
  };

  return os_run(tests, sizeof tests / sizeof tests[0], set_up, tear_down);
}
