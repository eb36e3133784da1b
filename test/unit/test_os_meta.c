#include "os/meta.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "tempdir.h"

static int set_up(void **state)
{
  struct tempdir *t = calloc(1, sizeof *t);

  assert_non_null(t);
  tempdir_open(t);
  *state = t;
  return 0;
}

static int tear_down(void **state)
{
  tempdir_close(*state);
  free(*state);
  return 0;
}

static int apply_file(struct tempdir *t, const char *path,
                      const struct tarn_meta *m, const char **what)
{
  int fd = openat(t->target, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  int rc;

  if (fd < 0)
    return -errno;
  rc = tarn_meta_apply_fd(fd, m, what);
  (void)close(fd);
  return rc;
}

static void assert_mtime(struct tempdir *t, const char *path, int64_t sec,
                         long nsec)
{
  struct stat st;

  assert_int_equal(fstatat(t->target, path, &st, AT_SYMLINK_NOFOLLOW), 0);
  assert_int_equal(st.st_mtim.tv_sec, sec);
  assert_int_equal(st.st_mtim.tv_nsec, nsec);
}

static void times_before_1970_keep_their_nanoseconds(void **state)
{
  struct tempdir *t = *state;
  struct tarn_meta m = {
      .set_times = true, .mode = 0640, .mtime = {.sec = -2, .nsec = 500000001}};
  const char *what = NULL;

  tempdir_write(t->target, "x", "x");
  tempdir_mkdir(t->target, "d", 0755);
  tempdir_symlink(t->target, "l", "x");
  assert_int_equal(apply_file(t, "x", &m, &what), 0);
  assert_int_equal(apply_file(t, "d", &m, &what), 0);
  assert_mtime(t, "x", -2, 500000001);
  assert_mtime(t, "d", -2, 500000001);
  assert_int_equal(tempdir_mode(t->target, "x"), 0640);
  m.mtime.sec = 1;
  assert_int_equal(tarn_meta_apply_at(t->target, "l", true, &m, &what), 0);
  assert_mtime(t, "l", 1, 500000001);
  assert_mtime(t, "x", -2, 500000001);
  assert_null(what);
}

static void a_wrong_fraction_is_refused_and_the_rest_applied(void **state)
{
  struct tempdir *t = *state;
  struct tarn_meta m = {
      .set_times = true, .mode = 0604, .mtime = {.sec = 1, .nsec = UTIME_NOW}};
  const char *what = NULL;

  tempdir_write(t->target, "x", "x");
  assert_int_equal(apply_file(t, "x", &m, &what), -EINVAL);
  assert_string_equal(what, "times");
  assert_int_equal(tempdir_mode(t->target, "x"), 0604);
}

static void setuid_needs_a_chown_that_worked(void **state)
{
  struct tempdir *t = *state;
  struct tarn_meta m = {.uid = geteuid(), .gid = getegid(), .mode = 06755};
  const char *what = NULL;

  tempdir_write(t->target, "x", "x");
  assert_int_equal(apply_file(t, "x", &m, &what), 0);
  assert_int_equal(tempdir_mode(t->target, "x"), 0755);
  m.set_owner = true;
  assert_int_equal(apply_file(t, "x", &m, &what), 0);
  assert_int_equal(tempdir_mode(t->target, "x"), 06755);
  assert_null(what);
}

static void an_owner_of_minus_one_is_refused(void **state)
{
  struct tempdir *t = *state;
  struct tarn_meta m = {
      .set_owner = true, .uid = (uid_t)-1, .gid = getegid(), .mode = 04711};
  const char *what = NULL;

  tempdir_write(t->target, "x", "x");
  tempdir_symlink(t->target, "l", "x");
  assert_int_equal(mkfifoat(t->target, "p", 0600), 0);
  assert_int_equal(apply_file(t, "x", &m, &what), -EOVERFLOW);
  assert_string_equal(what, "owner");
  assert_int_equal(tempdir_mode(t->target, "x"), 0711);
  m.uid = geteuid();
  m.gid = (gid_t)-1;
  assert_int_equal(tarn_meta_apply_at(t->target, "l", true, &m, &what),
                   -EOVERFLOW);
  assert_int_equal(tarn_meta_apply_at(t->target, "p", false, &m, &what),
                   -EOVERFLOW);
  assert_int_equal(tempdir_mode(t->target, "p"), 0711);
}

static void a_fifo_is_set_without_being_opened(void **state)
{
  struct tempdir *t = *state;
  struct tarn_meta m = {.set_owner = true,
                        .set_times = true,
                        .uid = geteuid(),
                        .gid = getegid(),
                        .mode = 0642,
                        .mtime = {.sec = 77, .nsec = 5}};
  const char *what = NULL;

  assert_int_equal(mkfifoat(t->target, "p", 0600), 0);
  assert_int_equal(tarn_meta_apply_at(t->target, "p", false, &m, &what), 0);
  assert_int_equal(tempdir_mode(t->target, "p"), 0642);
  assert_mtime(t, "p", 77, 5);
  tempdir_symlink(t->target, "l", "p");
  m.mode = 0600;
  assert_int_equal(tarn_meta_apply_at(t->target, "l", false, &m, &what),
                   -ELOOP);
  assert_int_equal(tempdir_mode(t->target, "p"), 0642);
  assert_int_equal(tarn_meta_apply_at(t->target, "none", false, &m, &what),
                   -ENOENT);
}

static void root_gives_links_and_files_away(void **state)
{
  struct tempdir *t = *state;
  struct tarn_meta m = {
      .set_owner = true, .uid = 1234, .gid = 5678, .mode = 04755};
  const char *what = NULL;
  struct stat st;

  if (geteuid() != 0)
    skip();
  tempdir_write(t->target, "x", "x");
  tempdir_symlink(t->target, "l", "x");
  if (apply_file(t, "x", &m, &what) != 0)
    skip(); /* root of a namespace without these ids */
  assert_int_equal(tempdir_mode(t->target, "x"), 04755);
  m.uid = 4321;
  assert_int_equal(tarn_meta_apply_at(t->target, "l", true, &m, &what), 0);
  assert_int_equal(fstatat(t->target, "l", &st, AT_SYMLINK_NOFOLLOW), 0);
  assert_int_equal(st.st_uid, 4321);
  assert_int_equal(st.st_gid, 5678);
  assert_int_equal(fstatat(t->target, "x", &st, 0), 0);
  assert_int_equal(st.st_uid, 1234);
}

/* A user who may not give the file away still gets mode and times, without
   the setuid bit. */
static int user_cannot_give_away(struct tempdir *t)
{
  struct tarn_meta m = {
      .set_owner = true, .set_times = true, .mode = 04751, .mtime = {.sec = 9}};
  const char *what = NULL;
  struct stat st;
  int fd = openat(t->target, "mine", O_WRONLY | O_CREAT | O_EXCL, 0600);

  if (fd < 0)
    return __LINE__;
  if (tarn_meta_apply_fd(fd, &m, &what) != -EPERM || strcmp(what, "owner") != 0)
    return __LINE__;
  if (fstat(fd, &st) < 0 || (st.st_mode & 07777) != 0751 ||
      st.st_mtim.tv_sec != 9)
    return __LINE__;
  return close(fd) < 0 ? __LINE__ : 0;
}

static void a_refused_owner_leaves_no_setuid_bit(void **state)
{
  tempdir_as_user(*state, user_cannot_give_away);
}

/* ---- attributes ---- */

/* What these of a member would be, for root; resolved. Freed by the caller. */
static struct tarn_xattrs *xattrs_of(const struct tarn_xattr *x, size_t n,
                                     const char *list)
{
  struct tarn_xattr_policy root = {.privileged = true};
  struct tarn_entry e = {.type = TARN_ENTRY_FILE, .xattrs = x, .n_xattrs = n};
  struct tarn_acl_ids ids = {.owners = tarn_owner_cache_new(true)};
  struct tarn_xattrs *all;

  e.acl_access = list;
  e.acl_default = "";
  assert_non_null(ids.owners);
  assert_int_equal(tarn_xattrs_new(&all, &root, &e), 0);
  assert_non_null(all);
  tarn_xattrs_resolve(all, &ids);
  tarn_owner_cache_free(ids.owners);
  return all;
}

/* CAP_NET_RAW, permitted and effective: struct vfs_cap_data, revision 2. */
static const uint8_t capability[20] = {1, 0, 0, 2, 0, 0x20};

static bool has_xattr(struct tempdir *t, const char *path, const char *name)
{
  int fd = openat(t->target, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  char value[256];
  ssize_t n;

  assert_true(fd >= 0);
  n = fgetxattr(fd, name, value, sizeof value);
  (void)close(fd);
  return n >= 0;
}

static void capabilities_need_an_owner_that_was_set(void **state)
{
  struct tempdir *t = *state;
  struct tarn_xattr x = {"security.capability", capability, sizeof capability};
  struct tarn_meta m = {
      .set_owner = true, .uid = (uid_t)-1, .gid = getegid(), .mode = 0755};
  const char *what = NULL;
  int rc;

  tempdir_write(t->target, "x", "x");
  m.xattrs = xattrs_of(&x, 1, "");
  assert_int_equal(apply_file(t, "x", &m, &what), -EOVERFLOW);
  assert_string_equal(what, "owner");
  assert_false(has_xattr(t, "x", "security.capability"));
  m.uid = geteuid();
  rc = apply_file(t, "x", &m, &what);
  if (rc == 0)
    assert_true(has_xattr(t, "x", "security.capability"));
  else
    assert_string_equal(what, "security.capability");
  tarn_xattrs_free(m.xattrs);
  if (rc == -EPERM || rc == -EOPNOTSUPP)
    skip();
  assert_int_equal(rc, 0);
}

static void a_setuid_file_keeps_bits_list_and_capability(void **state)
{
  struct tempdir *t = *state;
  struct tarn_xattr x = {"security.capability", capability, sizeof capability};
  struct tarn_meta m = {.set_owner = true,
                        .set_times = true,
                        .uid = 1234,
                        .gid = 5678,
                        .mode = 06755,
                        .mtime = {.sec = 77, .nsec = 5}};
  const char *what = NULL;
  int rc;

  if (geteuid() != 0)
    skip();
  tempdir_write(t->target, "x", "x");
  m.xattrs = xattrs_of(&x, 1, "u::rwx,u:7:rx,g::rx,m::rwx,o::rx");
  rc = apply_file(t, "x", &m, &what);
  tarn_xattrs_free(m.xattrs);
  if (rc == -EOPNOTSUPP || rc == -EPERM || rc == -EINVAL)
    skip(); /* the file system, or a namespace, has none of these */
  assert_int_equal(rc, 0);
  assert_true(has_xattr(t, "x", "security.capability"));
  assert_true(has_xattr(t, "x", "system.posix_acl_access"));
  assert_int_equal(tempdir_mode(t->target, "x"), 06775); /* the mask */
  assert_mtime(t, "x", 77, 5);
}

static void an_attribute_that_fails_is_named_and_the_rest_applied(void **state)
{
  struct tempdir *t = *state;
  struct tarn_xattr x = {"user.", (const uint8_t *)"1", 1}; /* no such name */
  struct tarn_meta m = {
      .set_times = true, .mode = 0640, .mtime = {.sec = 77, .nsec = 5}};
  const char *what = NULL;

  tempdir_write(t->target, "x", "x");
  m.xattrs = xattrs_of(&x, 1, "");
  assert_true(apply_file(t, "x", &m, &what) < 0);
  assert_string_equal(what, "user.");
  tarn_xattrs_free(m.xattrs);
  assert_int_equal(tempdir_mode(t->target, "x"), 0640);
  assert_mtime(t, "x", 77, 5);
}

static int user_sets_what_the_mode_forbids(struct tempdir *t)
{
  struct tarn_xattr x = {"user.a", (const uint8_t *)"1", 1};
  struct tarn_meta m = {.mode = 0111};
  const char *what = NULL;
  char value[8];
  int fd = openat(t->target, "mine", O_RDWR | O_CREAT | O_EXCL, 0600), rc;

  if (fd < 0)
    return __LINE__;
  m.xattrs = xattrs_of(&x, 1, "");
  rc = tarn_meta_apply_fd(fd, &m, &what);
  tarn_xattrs_free(m.xattrs);
  if (rc == -EOPNOTSUPP)
    return 0; /* the file system keeps none */
  if (rc != 0 || fchmod(fd, 0600) < 0 ||
      fgetxattr(fd, "user.a", value, sizeof value) != 1)
    return __LINE__;
  return close(fd) < 0 ? __LINE__ : 0;
}

static void attributes_come_before_a_mode_that_forbids_them(void **state)
{
  tempdir_as_user(*state, user_sets_what_the_mode_forbids);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(times_before_1970_keep_their_nanoseconds,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          a_wrong_fraction_is_refused_and_the_rest_applied, set_up, tear_down),
      cmocka_unit_test_setup_teardown(setuid_needs_a_chown_that_worked, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(an_owner_of_minus_one_is_refused, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_fifo_is_set_without_being_opened,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(root_gives_links_and_files_away, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(a_refused_owner_leaves_no_setuid_bit,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(capabilities_need_an_owner_that_was_set,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          a_setuid_file_keeps_bits_list_and_capability, set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          an_attribute_that_fails_is_named_and_the_rest_applied, set_up,
          tear_down),
      cmocka_unit_test_setup_teardown(
          attributes_come_before_a_mode_that_forbids_them, set_up, tear_down),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
