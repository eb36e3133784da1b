#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/part_file.h"
#include "tempdir.h"

static struct tempdir dir;
static char path[300];

static int set_up(void **s)
{
  (void)s;
  tempdir_open(&dir);
  (void)snprintf(path, sizeof path, "%s/target/out", dir.base);
  return 0;
}

static int tear_down(void **s)
{
  (void)s;
  tempdir_close(&dir);
  return 0;
}

static void put(const struct tarn_part_file *f, const char *text)
{
  assert_int_equal(write(f->fd, text, strlen(text)), strlen(text));
}

static void a_file_appears_only_when_committed(void **s)
{
  struct tarn_part_file f;

  (void)s;
  assert_int_equal(tarn_part_file_open(&f, path, NULL), 0);
  put(&f, "new");
  tempdir_expect(dir.target, "out", 0, NULL);
  tempdir_expect(dir.target, "out.part", S_IFREG, "new");
  assert_int_equal(tarn_part_file_commit(&f, true, NULL), 0);
  tempdir_expect(dir.target, "out", S_IFREG, "new");
  tempdir_expect(dir.target, "out.part", 0, NULL);
  assert_int_equal(f.fd, -1);
}

static void an_abandoned_file_leaves_the_old_one(void **s)
{
  struct tarn_part_file f;

  (void)s;
  tempdir_write(dir.target, "out", "old");
  assert_int_equal(tarn_part_file_open(&f, path, NULL), 0);
  put(&f, "new");
  tarn_part_file_abandon(&f);
  tarn_part_file_abandon(&f);
  tempdir_expect(dir.target, "out", S_IFREG, "old");
  tempdir_expect(dir.target, "out.part", 0, NULL);
}

static void a_file_that_is_replaced_keeps_its_permissions(void **s)
{
  struct tarn_part_file f;

  (void)s;
  tempdir_write(dir.target, "out", "old");
  assert_int_equal(fchmodat(dir.target, "out", 0640, 0), 0);
  assert_int_equal(tarn_part_file_open(&f, path, NULL), 0);
  put(&f, "new");
  assert_int_equal(tarn_part_file_commit(&f, false, NULL), 0);
  tempdir_expect(dir.target, "out", S_IFREG, "new");
  assert_int_equal(tempdir_mode(dir.target, "out"), 0640);
}

static void the_target_of_a_link_is_replaced_and_the_link_stays(void **s)
{
  struct tarn_part_file f;

  (void)s;
  tempdir_mkdir(dir.target, "d", 0755);
  tempdir_write(dir.target, "d/real", "old");
  tempdir_symlink(dir.target, "d/second", "real");
  tempdir_symlink(dir.target, "out", "d/second");
  assert_int_equal(tarn_part_file_open(&f, path, NULL), 0);
  put(&f, "new");
  tempdir_expect(dir.target, "d/real.part", S_IFREG, "new");
  assert_int_equal(tarn_part_file_commit(&f, true, NULL), 0);
  tempdir_expect(dir.target, "d/real", S_IFREG, "new");
  tempdir_expect(dir.target, "out", S_IFLNK, "d/second");
}

static void a_link_to_nothing_is_filled(void **s)
{
  struct tarn_part_file f;

  (void)s;
  tempdir_symlink(dir.target, "out", "later");
  assert_int_equal(tarn_part_file_open(&f, path, NULL), 0);
  put(&f, "new");
  assert_int_equal(tarn_part_file_commit(&f, true, NULL), 0);
  tempdir_expect(dir.target, "later", S_IFREG, "new");
}

static void links_in_a_circle_are_refused(void **s)
{
  struct tarn_part_file f;
  struct tarn_err err;

  (void)s;
  tempdir_symlink(dir.target, "out", "round");
  tempdir_symlink(dir.target, "round", "out");
  assert_int_equal(tarn_part_file_open(&f, path, &err), TARN_EFILE);
}

static void a_part_that_another_run_writes_is_left_to_it(void **s)
{
  struct tarn_part_file first, second;
  struct tarn_err err;

  (void)s;
  assert_int_equal(tarn_part_file_open(&first, path, NULL), 0);
  put(&first, "first");
  assert_int_equal(tarn_part_file_open(&second, path, &err), TARN_EFILE);
  assert_non_null(strstr(err.text, "another run"));
  tempdir_expect(dir.target, "out.part", S_IFREG, "first");
  assert_int_equal(tarn_part_file_commit(&first, false, NULL), 0);
  tempdir_expect(dir.target, "out", S_IFREG, "first");
}

static void a_part_left_by_a_killed_run_is_begun_anew(void **s)
{
  struct tarn_part_file f;

  (void)s;
  tempdir_write(dir.target, "out.part", "much that is old");
  assert_int_equal(tarn_part_file_open(&f, path, NULL), 0);
  put(&f, "new");
  assert_int_equal(tarn_part_file_commit(&f, false, NULL), 0);
  tempdir_expect(dir.target, "out", S_IFREG, "new");
}

static void a_part_that_is_a_link_is_not_written_through(void **s)
{
  struct tarn_part_file f;
  struct tarn_err err;

  (void)s;
  tempdir_symlink(dir.target, "out.part", "../canary/f");
  assert_int_equal(tarn_part_file_open(&f, path, &err), TARN_EFILE);
}

static void a_directory_is_refused(void **s)
{
  struct tarn_part_file f;
  struct tarn_err err;

  (void)s;
  tempdir_mkdir(dir.target, "out", 0755);
  assert_int_equal(tarn_part_file_open(&f, path, &err), TARN_EFILE);
  assert_int_equal(f.fd, -1);
  tempdir_expect(dir.target, "out", S_IFDIR, NULL);
}

static void a_device_is_written_in_place_and_never_removed(void **s)
{
  struct tarn_part_file f;
  struct stat st;

  (void)s;
  assert_int_equal(tarn_part_file_open(&f, "/dev/null", NULL), 0);
  assert_null(f.part);
  put(&f, "gone");
  assert_int_equal(tarn_part_file_commit(&f, true, NULL), 0);
  assert_int_equal(tarn_part_file_open(&f, "/dev/null", NULL), 0);
  tarn_part_file_abandon(&f);
  assert_int_equal(stat("/dev/null", &st), 0);
  assert_true(S_ISCHR(st.st_mode));
}

static void a_fifo_is_written_in_place(void **s)
{
  struct tarn_part_file f;
  char buf[8];
  int reader;

  (void)s;
  assert_int_equal(mkfifoat(dir.target, "out", 0600), 0);
  reader = openat(dir.target, "out", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  assert_true(reader >= 0);
  assert_int_equal(tarn_part_file_open(&f, path, NULL), 0);
  put(&f, "new");
  assert_int_equal(tarn_part_file_commit(&f, true, NULL), 0);
  assert_int_equal(read(reader, buf, sizeof buf), 3);
  tempdir_expect(dir.target, "out", S_IFIFO, NULL);
  (void)close(reader);
}

static void a_missing_directory_is_told_with_the_name(void **s)
{
  struct tarn_part_file f;
  struct tarn_err err;

  (void)s;
  (void)snprintf(path, sizeof path, "%s/target/none/out", dir.base);
  assert_int_equal(tarn_part_file_open(&f, path, &err), TARN_EFILE);
  assert_non_null(strstr(err.text, "none/out"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_file_appears_only_when_committed),
      TEST(an_abandoned_file_leaves_the_old_one),
      TEST(a_file_that_is_replaced_keeps_its_permissions),
      TEST(the_target_of_a_link_is_replaced_and_the_link_stays),
      TEST(a_link_to_nothing_is_filled),
      TEST(links_in_a_circle_are_refused),
      TEST(a_part_that_another_run_writes_is_left_to_it),
      TEST(a_part_left_by_a_killed_run_is_begun_anew),
      TEST(a_part_that_is_a_link_is_not_written_through),
      TEST(a_directory_is_refused),
      TEST(a_device_is_written_in_place_and_never_removed),
      TEST(a_fifo_is_written_in_place),
      TEST(a_missing_directory_is_told_with_the_name),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
