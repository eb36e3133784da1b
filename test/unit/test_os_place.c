#include "os/place.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "os_harness.h"
#include "tempdir.h"

struct fixture {
  struct tempdir t;
  struct tarn_place p;
  bool use_openat2;
};

static int set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);

  assert_non_null(f);
  tempdir_open(&f->t);
  f->use_openat2 = os_use_openat2(state);
  assert_int_equal(tarn_place_open(&f->p, f->t.target, f->use_openat2, 022), 0);
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

/* 0 or -errno. */
static int put(struct fixture *f, const char *path, const char *text)
{
  int fd = tarn_place_file(&f->p, path, NULL);

  if (fd < 0)
    return fd;
  assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  return close(fd);
}

static int put_dir(struct fixture *f, const char *path)
{
  struct tarn_place_dir made;

  return tarn_place_dir(&f->p, path, &made);
}

static void a_file_is_made_private_with_its_parents_by_the_umask(void **state)
{
  struct fixture *f = *state;
  mode_t old = umask(027);
  struct tarn_inode inode;
  struct stat st;
  int fd;

  f->p.umask = 027;
  fd = tarn_place_file(&f->p, "a/b/file", &inode);
  assert_true(fd >= 0);
  assert_int_equal(fstat(fd, &st), 0);
  assert_int_equal(st.st_ino, inode.ino);
  assert_int_equal(st.st_dev, inode.dev);
  (void)close(fd);
  assert_int_equal(tempdir_mode(f->t.target, "a"), 0750);
  assert_int_equal(tempdir_mode(f->t.target, "a/b"), 0750);
  assert_int_equal(tempdir_mode(f->t.target, "a/b/file"), 0600);
  (void)umask(old);
}

static void a_name_that_comes_twice_is_the_last(void **state)
{
  struct fixture *f = *state;

  assert_int_equal(put(f, "x", "first"), 0);
  assert_int_equal(linkat(f->t.target, "x", f->t.target, "old", 0), 0);
  assert_int_equal(put(f, "x", "2nd"), 0);
  tempdir_expect(f->t.target, "x", S_IFREG, "2nd");
  tempdir_expect(f->t.target, "old", S_IFREG, "first");
  assert_int_equal(tarn_place_symlink(&f->p, "x", "old"), 0);
  tempdir_expect(f->t.target, "x", S_IFLNK, "old");
  assert_int_equal(put_dir(f, "x"), 0);
  tempdir_expect(f->t.target, "x", S_IFDIR, NULL);
  assert_int_equal(put(f, "x", "last"), 0);
  tempdir_expect(f->t.target, "x", S_IFREG, "last");
  tempdir_expect(f->t.target, "old", S_IFREG, "first");
}

static void a_link_is_replaced_and_never_written_through(void **state)
{
  struct fixture *f = *state;
  int top = f->t.target;

  tempdir_write(top, "kept", "kept");
  tempdir_mkdir(top, "dir", 0755);
  tempdir_symlink(top, "in", "kept");
  tempdir_symlink(top, "out", "../canary/f");
  tempdir_symlink(top, "to_dir", "dir");
  tempdir_symlink(top, "out_dir", f->t.canary_path);
  tempdir_symlink(top, "hole", "none");
  assert_int_equal(put(f, "in", "new"), 0);
  assert_int_equal(put(f, "out", "new"), 0);
  assert_int_equal(put(f, "hole", "new"), 0);
  assert_int_equal(put_dir(f, "to_dir"), 0);
  assert_int_equal(put_dir(f, "out_dir"), 0);
  assert_int_equal(put(f, "out_dir/f", "new"), 0);
  tempdir_expect(top, "kept", S_IFREG, "kept");
  tempdir_expect(top, "in", S_IFREG, "new");
  tempdir_expect(top, "out", S_IFREG, "new");
  tempdir_expect(top, "none", 0, NULL);
  tempdir_expect(top, "to_dir", S_IFDIR, NULL);
  tempdir_expect(top, "dir", S_IFDIR, NULL);
  tempdir_expect(top, "out_dir/f", S_IFREG, "new");
}

static void links_of_the_archive_lead_nowhere_outside(void **state)
{
  struct fixture *f = *state;

  assert_int_equal(tarn_place_symlink(&f->p, "up", ".."), 0);
  assert_int_equal(tarn_place_symlink(&f->p, "etc", "/etc"), 0);
  assert_int_equal(put_dir(f, "b"), 0);
  assert_int_equal(tarn_place_symlink(&f->p, "sly", "b/../.."), 0);
  assert_int_equal(tarn_place_symlink(&f->p, "b/here", ".."), 0);
  assert_int_equal(tarn_place_symlink(&f->p, "two", "b/here/up"), 0);
  assert_int_equal(tarn_place_symlink(&f->p, "l1", "l2"), 0);
  assert_int_equal(tarn_place_symlink(&f->p, "l2", "l1"), 0);
  assert_int_equal(put(f, "up/canary/f", "x"), -EXDEV);
  assert_int_equal(put(f, "etc/tarn-test", "x"), -EXDEV);
  assert_int_equal(put(f, "sly/canary/new", "x"), -EXDEV);
  assert_int_equal(put(f, "two/canary/f", "x"), -EXDEV);
  assert_int_equal(put(f, "l1/f", "x"), -ELOOP);
  assert_int_equal(put_dir(f, "up/canary/new"), -EXDEV);
  assert_int_equal(tarn_place_symlink(&f->p, "up/canary/f", "x"), -EXDEV);
  assert_int_equal(tarn_place_node(&f->p, "up/canary/f", S_IFIFO | 0600, 0),
                   -EXDEV);
  assert_int_equal(put(f, "b/here/b/here/ok", "beneath"), 0);
  tempdir_expect(f->t.target, "ok", S_IFREG, "beneath");
}

static void a_link_changed_between_two_names_is_looked_up_anew(void **state)
{
  struct fixture *f = *state;
  int top = f->t.target;

  tempdir_mkdir(top, "one", 0755);
  assert_int_equal(tarn_place_symlink(&f->p, "way", "one"), 0);
  assert_int_equal(put(f, "way/a", "1"), 0);
  assert_int_equal(tarn_place_symlink(&f->p, "way", "../canary"), 0);
  assert_int_equal(put(f, "way/a", "2"), -EXDEV);
  assert_int_equal(put_dir(f, "way"), 0);
  assert_int_equal(put(f, "way/a", "3"), 0);
  tempdir_expect(top, "one/a", S_IFREG, "1");
  tempdir_expect(top, "way/a", S_IFREG, "3");
  assert_int_equal(put_dir(f, "gone"), 0);
  assert_int_equal(put(f, "gone/a", "4"), 0);
  assert_int_equal(unlinkat(top, "gone/a", 0), 0);
  assert_int_equal(tarn_place_symlink(&f->p, "gone", "one"), 0);
  assert_int_equal(put(f, "gone/b", "5"), 0);
  tempdir_expect(top, "one/b", S_IFREG, "5");
}

static void directories_give_way_only_when_empty(void **state)
{
  struct fixture *f = *state;
  int top = f->t.target;

  tempdir_mkdir(top, "empty", 0755);
  tempdir_mkdir(top, "full", 0755);
  tempdir_write(top, "full/x", "x");
  assert_int_equal(put(f, "full", "y"), -ENOTEMPTY);
  assert_int_equal(tarn_place_symlink(&f->p, "full", "y"), -ENOTEMPTY);
  assert_int_equal(tarn_place_link(&f->p, "full", "full/x", true), -ENOTEMPTY);
  assert_int_equal(put(f, "empty", "y"), 0);
  assert_int_equal(put(f, "empty/child", "y"), -ENOTDIR);
  assert_int_equal(put_dir(f, "empty/child"), -ENOTDIR);
  tempdir_expect(top, "full/x", S_IFREG, "x");
  tempdir_expect(top, "empty", S_IFREG, "y");
}

static void an_existing_directory_stays_and_is_told(void **state)
{
  struct fixture *f = *state;
  struct tarn_place_dir first, second;

  assert_int_equal(tarn_place_dir(&f->p, "d", &first), 0);
  assert_false(first.existed);
  assert_int_equal(tempdir_mode(f->t.target, "d"), 0700);
  assert_int_equal(put(f, "d/x", "x"), 0);
  assert_int_equal(tarn_place_dir(&f->p, "d", &second), 0);
  assert_true(second.existed);
  assert_false(second.opened_up);
  assert_int_equal(first.inode.ino, second.inode.ino);
  tempdir_expect(f->t.target, "d/x", S_IFREG, "x");
  assert_int_equal(tarn_place_dir(&f->p, "", &second), 0);
  assert_true(second.existed);
}

static void the_target_itself_is_only_a_directory(void **state)
{
  struct fixture *f = *state;
  const char *name;

  assert_int_equal(put(f, "", "x"), -EISDIR);
  assert_int_equal(tarn_place_symlink(&f->p, "", "x"), -EISDIR);
  assert_int_equal(tarn_place_link(&f->p, "", "x", true), -EISDIR);
  assert_int_equal(tarn_place_link(&f->p, "x", "", true), -EPERM);
  assert_int_equal(tarn_place_parent(&f->p, "", &name), f->t.target);
  assert_string_equal(name, ".");
  assert_true(tarn_place_parent(&f->p, "none", &name) >= 0);
  assert_string_equal(name, "none");
}

static void a_hard_link_shares_the_inode_of_a_target_beneath(void **state)
{
  struct fixture *f = *state;
  int top = f->t.target;
  struct stat a, b;

  tempdir_symlink(top, "out", "../canary");
  tempdir_symlink(top, "etc", f->t.canary_path);
  assert_int_equal(put(f, "d/x", "x"), 0);
  assert_int_equal(put(f, "y", "old"), 0);
  assert_int_equal(tarn_place_link(&f->p, "e/x", "d/x", true), 0);
  assert_int_equal(tarn_place_link(&f->p, "y", "d/x", true), 0);
  assert_int_equal(fstatat(top, "d/x", &a, 0), 0);
  assert_int_equal(a.st_nlink, 3);
  assert_int_equal(tarn_place_link(&f->p, "z", "out/f", true), -EXDEV);
  assert_int_equal(tarn_place_link(&f->p, "z", "etc/f", true), -EXDEV);
  assert_int_equal(tarn_place_link(&f->p, "out/z", "y", true), -EXDEV);
  assert_int_equal(tarn_place_link(&f->p, "z", "none", true), -ENOENT);
  assert_int_equal(tarn_place_link(&f->p, "z", "none/x", true), -ENOENT);
  assert_int_equal(tarn_place_link(&f->p, "y", "d", true), -EPERM);
  tempdir_expect(top, "y", S_IFREG, "x");
  tempdir_expect(top, "none", 0, NULL);
  assert_int_equal(tarn_place_link(&f->p, "z", "out", true), 0);
  tempdir_expect(top, "z", S_IFLNK, "../canary");
  assert_int_equal(fstatat(top, "z", &b, AT_SYMLINK_NOFOLLOW), 0);
  assert_int_equal(b.st_nlink, 2);
}

static void a_hard_link_to_itself_is_nothing(void **state)
{
  struct fixture *f = *state;
  int top = f->t.target;

  assert_int_equal(put(f, "d/x", "x"), 0);
  assert_int_equal(tarn_place_symlink(&f->p, "alias", "d"), 0);
  assert_int_equal(tarn_place_link(&f->p, "d/x", "d/x", true), 0);
  assert_int_equal(tarn_place_link(&f->p, "alias/x", "d/x", true), 0);
  assert_int_equal(tarn_place_link(&f->p, "d/x", "alias/x", true), 0);
  tempdir_expect(top, "d/x", S_IFREG, "x");
  assert_int_equal(tarn_place_link(&f->p, "alias", "alias", true), 0);
  tempdir_expect(top, "alias", S_IFLNK, "d");
  assert_int_equal(tarn_place_link(&f->p, "no", "no", true), -ENOENT);
}

static void nodes_replace_what_was_there(void **state)
{
  struct fixture *f = *state;

  assert_int_equal(put(f, "p", "x"), 0);
  assert_int_equal(tarn_place_node(&f->p, "p", S_IFIFO | 0600, 0), 0);
  tempdir_expect(f->t.target, "p", S_IFIFO, NULL);
  assert_int_equal(tarn_place_node(&f->p, "p", S_IFREG | 0600, 0), -EINVAL);
  assert_int_equal(put(f, "p", "x"), 0);
  tempdir_expect(f->t.target, "p", S_IFREG, "x");
}

static void a_node_replaces_a_link_and_an_empty_directory_only(void **state)
{
  struct fixture *f = *state;
  char *listing;

  tempdir_mkdir(f->t.target, "full", 0755);
  tempdir_write(f->t.target, "full/x", "x");
  tempdir_symlink(f->t.target, "link", "full");
  tempdir_mkdir(f->t.target, "empty", 0755);
  assert_int_equal(put_dir(f, "empty/in"), 0); /* is remembered by its path */
  assert_int_equal(unlinkat(f->t.target, "empty/in", AT_REMOVEDIR), 0);
  assert_int_equal(tarn_place_node(&f->p, "link", S_IFIFO | 0600, 0), 0);
  assert_int_equal(tarn_place_node(&f->p, "empty", S_IFIFO | 0600, 0), 0);
  assert_int_equal(tarn_place_node(&f->p, "full", S_IFIFO | 0600, 0),
                   -ENOTEMPTY);
  tempdir_expect(f->t.target, "link", S_IFIFO, NULL);
  tempdir_expect(f->t.target, "empty", S_IFIFO, NULL);
  tempdir_expect(f->t.target, "full/x", S_IFREG, "x");
  assert_int_equal(put(f, "empty/y", "y"), -ENOTDIR);
  listing = tempdir_list(f->t.target); /* nothing is left of the attempt */
  assert_null(strstr(listing, ".tarn-node"));
  free(listing);
}

static void root_makes_devices(void **state)
{
  struct fixture *f = *state;
  int rc = tarn_place_node(&f->p, "null", S_IFCHR | 0600, makedev(1, 3));
  struct stat st;

  if (rc == -EPERM)
    skip(); /* without the privilege there is nothing to see */
  assert_int_equal(rc, 0);
  assert_int_equal(fstatat(f->t.target, "null", &st, AT_SYMLINK_NOFOLLOW), 0);
  assert_true(S_ISCHR(st.st_mode));
  assert_int_equal(st.st_rdev, makedev(1, 3));
}

static void only_the_inode_that_was_made_is_removed(void **state)
{
  struct fixture *f = *state;
  struct tarn_inode first, second;
  int a = tarn_place_file(&f->p, "d/x", &first);
  int b = tarn_place_file(&f->p, "d/x", &second);

  assert_true(a >= 0 && b >= 0);
  assert_int_equal(tarn_place_remove(&f->p, "d/x", &first), -ESTALE);
  assert_int_equal(tarn_place_remove(&f->p, "d/none", &first), -ESTALE);
  assert_int_equal(tarn_place_remove(&f->p, "no/x", &first), -ESTALE);
  assert_int_equal(tarn_place_remove(&f->p, "d/x/y", &first), -ESTALE);
  assert_int_equal(tarn_place_remove(&f->p, "d/x", &second), 0);
  tempdir_expect(f->t.target, "d/x", 0, NULL);
  (void)close(a);
  (void)close(b);
}

static void names_are_as_long_as_the_file_system_takes(void **state)
{
  enum { N = 24, LEN = 255 };
  struct fixture *f = *state;
  char path[N * (LEN + 1) + 2];
  const char *name;
  struct stat st;
  int dir;

  for (size_t i = 0; i < N; i++) {
    memset(path + i * (LEN + 1), 'a' + (int)i, LEN);
    path[i * (LEN + 1) + LEN] = '/';
  }
  path[sizeof path - 2] = '\0';
  path[sizeof path - 3] = '\0';
  assert_true(strlen(path) > 5000);
  assert_int_equal(put(f, path, "deep"), 0);
  assert_int_equal(put(f, path, "again"), 0);
  dir = tarn_place_parent(&f->p, path, &name);
  assert_true(dir >= 0);
  assert_int_equal(fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW), 0);
  assert_int_equal(st.st_size, 5);
  assert_int_equal(tarn_place_link(&f->p, "near", path, true), 0);
  tempdir_expect(f->t.target, "near", S_IFREG, "again");
  path[LEN] = 'x';
  assert_int_equal(put(f, path, "x"), -ENAMETOOLONG);
}

static int user_fills_a_read_only_directory(struct tempdir *t, bool openat2)
{
  struct tarn_place p;
  struct tarn_place_dir ro, no;
  struct stat st;
  int fd;

  if (mkdirat(t->target, "ro", 0500) < 0 ||
      mkdirat(t->target, "no", 0000) < 0 ||
      tarn_place_open(&p, t->target, openat2, 022) < 0)
    return __LINE__;
  if (tarn_place_file(&p, "ro/x", NULL) != -EACCES)
    return __LINE__;
  if (tarn_place_dir(&p, "ro", &ro) != 0 || !ro.existed ||
      tarn_place_dir(&p, "no", &no) != 0 || !no.existed)
    return __LINE__;
  if (!ro.opened_up || ro.old_mode != 0500 || !no.opened_up || no.old_mode != 0)
    return __LINE__;
  if (fstatat(t->target, "ro", &st, 0) < 0 || (st.st_mode & 07777) != 0700 ||
      fstatat(t->target, "no", &st, 0) < 0 || (st.st_mode & 07777) != 0700)
    return __LINE__;
  fd = tarn_place_file(&p, "ro/x", NULL);
  if (fd < 0 || close(fd) < 0)
    return __LINE__;
  fd = tarn_place_file(&p, "no/x", NULL);
  if (fd < 0 || close(fd) < 0)
    return __LINE__;
  if (tarn_place_node(&p, "dev", S_IFCHR | 0600, makedev(1, 3)) != -EPERM ||
      tarn_place_node(&p, "fifo", S_IFIFO | 0600, 0) != 0)
    return __LINE__;
  tarn_place_close(&p);
  return 0;
}

static int user_keeps_what_no_device_can_replace(struct tempdir *t,
                                                 bool use_openat2)
{
  struct tarn_place p;
  struct stat st;

  if (tarn_place_open(&p, t->target, use_openat2, 022) != 0)
    return __LINE__;
  if (close(openat(t->target, "f", O_WRONLY | O_CREAT, 0600)) < 0 ||
      symlinkat("f", t->target, "l") < 0 || mkdirat(t->target, "d", 0700) < 0)
    return __LINE__;
  if (tarn_place_node(&p, "f", S_IFCHR | 0600, makedev(1, 3)) != -EPERM ||
      tarn_place_node(&p, "l", S_IFBLK | 0600, makedev(7, 0)) != -EPERM ||
      tarn_place_node(&p, "d", S_IFCHR | 0600, makedev(1, 3)) != -EPERM)
    return __LINE__;
  if (fstatat(t->target, "f", &st, 0) < 0 || !S_ISREG(st.st_mode) ||
      fstatat(t->target, "l", &st, AT_SYMLINK_NOFOLLOW) < 0 ||
      !S_ISLNK(st.st_mode) || fstatat(t->target, "d", &st, 0) < 0 ||
      !S_ISDIR(st.st_mode))
    return __LINE__;
  tarn_place_close(&p);
  return 0;
}

static int keep_with_openat2(struct tempdir *t)
{
  return user_keeps_what_no_device_can_replace(t, true);
}

static int keep_with_the_walk(struct tempdir *t)
{
  return user_keeps_what_no_device_can_replace(t, false);
}

static void
what_a_device_cannot_replace_for_want_of_privilege_stays(void **state)
{
  struct fixture *f = *state;

  tempdir_as_user(&f->t,
                  f->use_openat2 ? keep_with_openat2 : keep_with_the_walk);
}

static int with_openat2(struct tempdir *t)
{
  return user_fills_a_read_only_directory(t, true);
}

static int with_the_walk(struct tempdir *t)
{
  return user_fills_a_read_only_directory(t, false);
}

static void a_user_may_fill_directories_that_were_read_only(void **state)
{
  struct fixture *f = *state;

  tempdir_as_user(&f->t, f->use_openat2 ? with_openat2 : with_the_walk);
}

int main(void)
{
  struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_made_private_with_its_parents_by_the_umask),
      cmocka_unit_test(a_name_that_comes_twice_is_the_last),
      cmocka_unit_test(a_link_is_replaced_and_never_written_through),
      cmocka_unit_test(links_of_the_archive_lead_nowhere_outside),
      cmocka_unit_test(a_link_changed_between_two_names_is_looked_up_anew),
      cmocka_unit_test(directories_give_way_only_when_empty),
      cmocka_unit_test(an_existing_directory_stays_and_is_told),
      cmocka_unit_test(the_target_itself_is_only_a_directory),
      cmocka_unit_test(a_hard_link_shares_the_inode_of_a_target_beneath),
      cmocka_unit_test(a_hard_link_to_itself_is_nothing),
      cmocka_unit_test(nodes_replace_what_was_there),
      cmocka_unit_test(a_node_replaces_a_link_and_an_empty_directory_only),
      cmocka_unit_test(
          what_a_device_cannot_replace_for_want_of_privilege_stays),
      cmocka_unit_test(root_makes_devices),
      cmocka_unit_test(only_the_inode_that_was_made_is_removed),
      cmocka_unit_test(names_are_as_long_as_the_file_system_takes),
      cmocka_unit_test(a_user_may_fill_directories_that_were_read_only),
  };

  return os_run(tests, sizeof tests / sizeof tests[0], set_up, tear_down);
}
