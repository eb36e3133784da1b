#include "os/meta.h"

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
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
