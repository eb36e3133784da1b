/*
 * Random sequences of place operations on small trees full of links: the same
 * results and the same tree with openat2, with the walk, and with openat2 and
 * a cache that is dropped before each operation; the canary never changes.
 */
#include "os/place.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tempdir.h"

enum { N_ROUNDS = 60, N_OPS = 120, N_TREES = 3, PATH_CAP = 320 };

struct tree {
  struct tempdir t;
  struct tarn_place p;
  bool forgets;
};

struct op {
  unsigned kind;
  unsigned number;
  char path[PATH_CAP], other[PATH_CAP];
};

static uint64_t next_random(uint64_t *seed)
{
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static void random_path(uint64_t *seed, char out[PATH_CAP])
{
  static const char *const names[] = {"a", "b", "c", "f"};
  unsigned depth = 1 + (unsigned)(next_random(seed) % 4);
  size_t len = 0;

  for (unsigned i = 0; i < depth; i++)
    len += (size_t)snprintf(out + len, PATH_CAP - len, "%s%s", i ? "/" : "",
                            names[next_random(seed) % 4]);
}

static void random_target(uint64_t *seed, const char *canary,
                          char out[PATH_CAP])
{
  static const char *const hostile[] = {
      "..",           "../..",       "a/../..", "b/..",  ".",
      "c/",           "../canary",   "f/.",     "./a",   "../b/.",
      "../../canary", "../target/a", "..//a",   "a/./b", "../canary/d"};
  size_t i = (size_t)(next_random(seed) % 32);

  if (i < sizeof hostile / sizeof hostile[0])
    (void)snprintf(out, PATH_CAP, "%s", hostile[i]);
  else if (i < 17)
    (void)snprintf(out, PATH_CAP, "%s", canary);
  else
    random_path(seed, out);
}

static struct op random_op(uint64_t *seed, const char *canary, unsigned number)
{
  struct op op = {.kind = (unsigned)(next_random(seed) % 12), .number = number};

  random_path(seed, op.path);
  if (op.kind >= 5 && op.kind <= 8)
    random_target(seed, canary, op.other);
  else
    random_path(seed, op.other);
  return op;
}

static int remove_what_is_there(struct tree *tree, const char *path)
{
  struct tarn_inode inode = {0};
  const char *name;
  struct stat st;
  int dir = tarn_place_parent(&tree->p, path, &name);

  if (dir < 0)
    return dir;
  if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
    inode.dev = st.st_dev;
    inode.ino = st.st_ino;
  }
  return tarn_place_remove(&tree->p, path, &inode);
}

static int apply(struct tree *tree, const struct op *op)
{
  struct tarn_place_dir made;
  char text[16];
  int fd, rc;

  if (tree->forgets)
    tarn_dircache_drop(tree->p.dirs);
  switch (op->kind) {
  case 0:
  case 1:
  case 2:
    fd = tarn_place_file(&tree->p, op->path, NULL);
    if (fd < 0)
      return fd;
    (void)snprintf(text, sizeof text, "%u", op->number);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    return close(fd);
  case 3:
  case 4:
    rc = tarn_place_dir(&tree->p, op->path, &made);
    return rc < 0 ? rc : made.existed;
  case 5:
  case 6:
  case 7:
  case 8:
    return tarn_place_symlink(&tree->p, op->path, op->other);
  case 9:
    return tarn_place_link(&tree->p, op->path, op->other, true);
  case 10:
    return tarn_place_node(&tree->p, op->path, S_IFIFO | 0600, 0);
  default:
    return remove_what_is_there(tree, op->path);
  }
}

static void assert_same_trees(struct tree trees[N_TREES], uint64_t seed)
{
  char *first = tempdir_list(trees[0].t.target);

  for (size_t i = 1; i < N_TREES; i++) {
    char *other = tempdir_list(trees[i].t.target);

    if (strcmp(first, other) != 0)
      print_error("seed %llu, tree %zu\n", (unsigned long long)seed, i);
    assert_string_equal(first, other);
    free(other);
  }
  free(first);
}

static void run_round(uint64_t seed)
{
  struct tree trees[N_TREES];
  uint64_t state = seed;

  for (size_t i = 0; i < N_TREES; i++) {
    tempdir_open(&trees[i].t);
    trees[i].forgets = i == 2;
    assert_int_equal(
        tarn_place_open(&trees[i].p, trees[i].t.target, i != 1, 022), 0);
  }
  for (unsigned n = 0; n < N_OPS; n++) {
    struct op op = random_op(&state, trees[0].t.canary_path, n);
    int expected = apply(&trees[0], &op);

    for (size_t i = 1; i < N_TREES; i++) {
      int rc = apply(&trees[i], &op);

      if (rc != expected)
        print_error("seed %llu, step %u, tree %zu: %u %s %s\n",
                    (unsigned long long)seed, n, i, op.kind, op.path, op.other);
      assert_int_equal(rc, expected);
    }
  }
  assert_same_trees(trees, seed);
  for (size_t i = 0; i < N_TREES; i++) {
    tarn_place_close(&trees[i].p);
    tempdir_close(&trees[i].t);
  }
}

static void random_names_give_one_tree_and_touch_nothing_outside(void **state)
{
  (void)state;
  for (uint64_t round = 1; round <= N_ROUNDS; round++)
    run_round(round * 0x9e3779b97f4a7c15u);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_names_give_one_tree_and_touch_nothing_outside),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
