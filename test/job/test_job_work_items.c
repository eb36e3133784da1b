/*
 * The n-th work item fails without running, for n = 1, 2, 3, ... until the
 * job passes: it ends exactly once, with an error, and no unfinished file is
 * left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job/context.h"
#include "job_harness.h"
#include "tar_make.h"
#include "tempdir.h"

enum { N_FILES = 40, MOST_LEN = 200000 };

static struct job_place place;

static size_t len_of(size_t i)
{
  return i % 8 == 7 ? MOST_LEN : 100 + i;
}

static int set_up_group(void **s)
{
  char name[32];
  size_t i;

  (void)s;
  for (i = 0; i < N_FILES; i++) {
    (void)snprintf(name, sizeof name, "f%zu", i);
    job_place_add(&place, name, len_of(i));
  }
  (void)tar_make_header(
      &place.archive,
      &(struct tar_make_header){.name = "dir", .type = '5', .mode = 0755});
  job_place_open(&place);
  return 0;
}

static int tear_down_group(void **s)
{
  (void)s;
  job_place_close(&place);
  return 0;
}

/* Every file below the target is whole. Returns how many, and empties it. */
static unsigned count_whole_files(void)
{
  struct dirent *entry;
  DIR *d = opendir(place.target_path);
  struct stat st;
  unsigned n = 0;

  assert_non_null(d);
  while ((entry = readdir(d))) {
    if (entry->d_name[0] != 'f')
      continue;
    assert_int_equal(fstatat(place.dir.target, entry->d_name, &st, 0), 0);
    if ((size_t)st.st_size != len_of(strtoul(entry->d_name + 1, NULL, 10)))
      fail_msg("%s has %lld bytes", entry->d_name, (long long)st.st_size);
    n++;
  }
  (void)closedir(d);
  job_place_empty(&place);
  return n;
}

/* True when no item was left to fail. */
static bool attempt(unsigned n, void (*set)(struct job_run *r),
                    struct job_run *r)
{
  struct job_host h;
  bool passed;

  job_begin(&h, r);
  r->opts.flags = TARN_NO_SYNC;
  r->opts.memory = 2 << 20;
  set(r);
  h.ctx->env.work.fail_countdown = n;
  assert_int_equal(job_start(r, NULL), 0);
  job_wait(r);
  assert_int_equal(r->n_done, 1);
  passed = h.ctx->env.work.fail_countdown > 0;
  if (passed) {
    assert_string_equal(r->err.text, "");
  } else {
    assert_int_equal(r->err.code, TARN_EINTERNAL);
  }
  job_close(&h);
  assert_int_equal(r->n_done, 1);
  job_run_free(r);
  return passed;
}

static void to_dir(struct job_run *r)
{
  r->opts.url = job_place_url(&place, "/x.tar");
  r->opts.path = place.target_path;
}

static void to_file(struct job_run *r)
{
  to_dir(r);
  r->opts.target = TARN_TO_FILE;
  r->opts.path = place.file_path;
}

static void
a_failed_item_of_an_extraction_ends_it_without_unfinished_files(void **s)
{
  struct job_run r;
  unsigned n = 1;

  (void)s;
  while (!attempt(n, to_dir, &r)) {
    assert_true(count_whole_files() <= N_FILES);
    n++;
  }
  assert_true(n > 3);
  assert_int_equal(count_whole_files(), N_FILES);
}

static void a_failed_item_of_a_file_leaves_no_part_of_it(void **s)
{
  struct job_run r;
  unsigned n = 1;

  (void)s;
  while (!attempt(n, to_file, &r)) {
    tempdir_expect(place.dir.target, "out", 0, NULL);
    tempdir_expect(place.dir.target, "out.part", 0, NULL);
    n++;
  }
  assert_true(n > 1);
  tempdir_expect(place.dir.target, "out", S_IFREG, NULL);
  (void)unlink(place.file_path);
}

static void from_file(struct job_run *r)
{
  (void)snprintf(place.url, sizeof place.url, "file://%s", place.tar_path);
  r->opts.url = place.url;
  r->opts.target = TARN_TO_CALLBACK;
  r->opts.digest = "sha256:"
                   "0000000000000000000000000000000000000000000000000000000000"
                   "000000";
}

static void a_failed_item_never_hides_behind_a_digest(void **s)
{
  struct job_host h;
  struct job_run r;
  struct tarn_err err;
  unsigned n;

  (void)s;
  for (n = 1; n < 40; n++) {
    job_begin(&h, &r);
    from_file(&r);
    h.ctx->env.work.fail_countdown = n;
    if (job_start(&r, &err) == TARN_ENOTSUP) {
      job_close(&h);
      skip();
    }
    job_wait(&r);
    assert_true(r.err.code == TARN_EINTERNAL || r.err.code == TARN_EDIGEST);
    job_close(&h);
    job_run_free(&r);
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(
          a_failed_item_of_an_extraction_ends_it_without_unfinished_files),
      cmocka_unit_test(a_failed_item_of_a_file_leaves_no_part_of_it),
      cmocka_unit_test(a_failed_item_never_hides_behind_a_digest),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
