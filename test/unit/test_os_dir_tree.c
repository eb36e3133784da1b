#include "os/dir_tree.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include <cmocka.h>

static uint32_t put(struct tarn_dir_tree *t, ino_t ino, uint32_t parent,
                    const char *name)
{
  struct tarn_inode inode = {makedev(8, 1), ino};
  uint32_t i = tarn_dir_tree_put(t, &inode, parent, name, strlen(name));

  assert_true(i != TARN_DIR_NONE);
  return i;
}

static void set(struct tarn_dir_tree *t, uint32_t i, mode_t mode)
{
  struct tarn_meta meta = {0};

  meta.mode = mode;
  assert_true(tarn_dir_tree_set(t, i, &meta, NULL));
}

static void expect_path(const struct tarn_dir_tree *t, uint32_t i,
                        const char *want)
{
  char *path = tarn_dir_tree_path(t, i);

  assert_string_equal(path, want);
  free(path);
}

/* All that is to be finished, in order: "path mode" with blanks. */
static void expect_order(struct tarn_dir_tree *t, const char *want)
{
  char got[2000] = "";
  uint32_t i;

  assert_true(tarn_dir_tree_sort(t));
  while ((i = tarn_dir_tree_next(t)) != TARN_DIR_NONE) {
    struct tarn_dir_finish f;
    char *path = tarn_dir_tree_path(t, i);
    size_t len = strlen(got);

    tarn_dir_tree_get(t, i, &f);
    (void)snprintf(got + len, sizeof got - len, "[%s %o%s]", path ? path : "?",
                   (unsigned)f.meta.mode, f.set_meta ? "" : " back");
    free(path);
  }
  assert_string_equal(got, want);
}

static void the_deepest_directory_comes_first(void **state)
{
  struct tarn_dir_tree t;
  uint32_t root, a, b, c;

  (void)state;
  tarn_dir_tree_init(&t, NULL);
  root = put(&t, 1, TARN_DIR_NONE, "");
  a = put(&t, 2, root, "a");
  b = put(&t, 3, a, "b");
  c = put(&t, 4, root, "c");
  set(&t, root, 0700);
  set(&t, a, 0701);
  set(&t, b, 0702);
  set(&t, c, 0703);
  expect_order(&t, "[a/b 702][a 701][c 703][ 700]");
  tarn_dir_tree_free(&t);
}

static void a_directory_between_two_is_only_a_place(void **state)
{
  struct tarn_dir_tree t;
  uint32_t root, a;

  (void)state;
  tarn_dir_tree_init(&t, NULL);
  root = put(&t, 1, TARN_DIR_NONE, "");
  a = put(&t, 2, root, "a");
  set(&t, put(&t, 3, a, "b"), 0755);
  expect_order(&t, "[a/b 755]");
  tarn_dir_tree_free(&t);
}

static void two_names_of_one_directory_are_one_and_the_last_counts(void **state)
{
  struct tarn_inode inode = {makedev(8, 1), 3};
  struct tarn_dir_tree t;
  uint32_t root, a, first;

  (void)state;
  tarn_dir_tree_init(&t, NULL);
  root = put(&t, 1, TARN_DIR_NONE, "");
  first = put(&t, 3, root, "link");
  set(&t, first, 0700);
  a = put(&t, 2, root, "a");
  assert_int_equal(put(&t, 3, a, "real"), first);
  set(&t, first, 0755);
  assert_int_equal(tarn_dir_tree_find(&t, &inode), first);
  expect_path(&t, first, "a/real");
  expect_order(&t, "[a/real 755]");
  tarn_dir_tree_free(&t);
}

static void an_old_mode_comes_back_unless_another_is_set(void **state)
{
  struct tarn_dir_tree t;
  uint32_t root, a, b;

  (void)state;
  tarn_dir_tree_init(&t, NULL);
  root = put(&t, 1, TARN_DIR_NONE, "");
  a = put(&t, 2, root, "a");
  b = put(&t, 3, root, "b");
  tarn_dir_tree_keep_mode(&t, a, 0500);
  tarn_dir_tree_keep_mode(&t, a, 0700);
  tarn_dir_tree_keep_mode(&t, b, 0);
  set(&t, b, 0711);
  tarn_dir_tree_keep_mode(&t, b, 0);
  expect_order(&t, "[a 500 back][b 711]");
  tarn_dir_tree_free(&t);
}

static void
a_removed_directory_is_forgotten_and_its_inode_used_again(void **state)
{
  struct tarn_inode inode = {makedev(8, 1), 2};
  struct tarn_dir_tree t;
  uint32_t root, a;

  (void)state;
  tarn_dir_tree_init(&t, NULL);
  root = put(&t, 1, TARN_DIR_NONE, "");
  a = put(&t, 2, root, "a");
  set(&t, a, 0700);
  tarn_dir_tree_forget(&t, &inode);
  assert_int_equal(tarn_dir_tree_find(&t, &inode), TARN_DIR_NONE);
  assert_int_equal(put(&t, 2, root, "other"), a);
  assert_int_equal(tarn_dir_tree_find(&t, &inode), a);
  set(&t, put(&t, 5, a, "x"), 0750);
  expect_order(&t, "[other/x 750]");
  tarn_dir_tree_free(&t);
}

static void parents_in_a_circle_end(void **state)
{
  struct tarn_dir_tree t;
  uint32_t root, a, b;

  (void)state;
  tarn_dir_tree_init(&t, NULL);
  root = put(&t, 1, TARN_DIR_NONE, "");
  a = put(&t, 2, root, "a");
  b = put(&t, 3, a, "b");
  assert_int_equal(put(&t, 2, b, "a"), a);
  set(&t, a, 0700);
  set(&t, put(&t, 4, root, "c"), 0755);
  assert_null(tarn_dir_tree_path(&t, a));
  assert_int_equal(errno, ELOOP);
  assert_true(tarn_dir_tree_sort(&t));
  assert_int_equal(tarn_dir_tree_next(&t), a);
  tarn_dir_tree_free(&t);
}

static void metadata_comes_back_as_it_was_given(void **state)
{
  struct tarn_dir_tree t;
  struct tarn_dir_finish f;
  struct tarn_meta meta = {0};
  struct tarn_inode inode = {makedev(0xfff, 0xfffff), (ino_t)1 << 60};
  uint32_t i;

  (void)state;
  tarn_dir_tree_init(&t, NULL);
  meta.set_owner = meta.set_times = true;
  meta.uid = 4000000000u;
  meta.gid = 77;
  meta.mode = 07777;
  meta.mtime.sec = -5;
  meta.mtime.nsec = 999999999;
  i = tarn_dir_tree_put(&t, &inode, TARN_DIR_NONE, "", 0);
  assert_true(tarn_dir_tree_set(&t, i, &meta, NULL));
  tarn_dir_tree_get(&t, i, &f);
  assert_true(f.set_meta && f.meta.set_owner && f.meta.set_times);
  assert_true(tarn_inode_same(&f.inode, &inode));
  assert_int_equal(f.meta.uid, 4000000000u);
  assert_int_equal(f.meta.gid, 77);
  assert_int_equal(f.meta.mode, 07777);
  assert_true(f.meta.mtime.sec == -5 && f.meta.mtime.nsec == 999999999);
  tarn_dir_tree_free(&t);
}

static void what_is_given_along_is_freed_once(void **state)
{
  struct tarn_dir_tree t;
  struct tarn_dir_finish f;
  struct tarn_meta meta = {0};
  struct tarn_inode inode = {makedev(8, 1), 1};
  uint32_t i;

  (void)state;
  tarn_dir_tree_init(&t, free);
  i = put(&t, 1, TARN_DIR_NONE, "");
  assert_true(tarn_dir_tree_set(&t, i, &meta, strdup("first")));
  assert_true(tarn_dir_tree_set(&t, i, &meta, strdup("second")));
  tarn_dir_tree_get(&t, i, &f);
  assert_string_equal(f.extra, "second");
  assert_true(tarn_dir_tree_set(&t, i, &meta, NULL));
  tarn_dir_tree_get(&t, i, &f);
  assert_null(f.extra);
  assert_true(tarn_dir_tree_set(&t, i, &meta, strdup("third")));
  tarn_dir_tree_forget(&t, &inode);
  assert_true(tarn_dir_tree_set(&t, i, &meta, strdup("fourth")));
  tarn_dir_tree_free(&t);
}

static void a_million_directories_are_found_and_finished(void **state)
{
  const uint32_t many = 1000000;
  struct tarn_dir_tree t;
  struct tarn_inode inode = {makedev(8, 1), 0};
  uint32_t root, parent, i, n = 0;
  char name[16], *path;

  (void)state;
  tarn_dir_tree_init(&t, NULL);
  parent = root = put(&t, 1, TARN_DIR_NONE, "");
  for (i = 1; i < many; i++) {
    (void)snprintf(name, sizeof name, "%u", i);
    parent = put(&t, i + 1, i % 1000 ? parent : root, name);
    set(&t, parent, i & 0777);
  }
  for (i = 0; i < many; i++) {
    inode.ino = i + 1;
    assert_int_equal(tarn_dir_tree_find(&t, &inode), i);
  }
  inode.ino = many + 1;
  assert_int_equal(tarn_dir_tree_find(&t, &inode), TARN_DIR_NONE);
  assert_true(tarn_dir_tree_sort(&t));
  while (tarn_dir_tree_next(&t) != TARN_DIR_NONE)
    n++;
  assert_int_equal(n, many - 1);
  path = tarn_dir_tree_path(&t, 3001);
  assert_string_equal(path, "3000/3001");
  free(path);
  tarn_dir_tree_free(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_deepest_directory_comes_first),
      cmocka_unit_test(a_directory_between_two_is_only_a_place),
      cmocka_unit_test(two_names_of_one_directory_are_one_and_the_last_counts),
      cmocka_unit_test(an_old_mode_comes_back_unless_another_is_set),
      cmocka_unit_test(
          a_removed_directory_is_forgotten_and_its_inode_used_again),
      cmocka_unit_test(parents_in_a_circle_end),
      cmocka_unit_test(metadata_comes_back_as_it_was_given),
      cmocka_unit_test(what_is_given_along_is_freed_once),
      cmocka_unit_test(a_million_directories_are_found_and_finished),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
