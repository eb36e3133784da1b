/*
 * Memory runs out at the n-th allocation, for n = 1, 2, 3, ... until the job
 * passes: it ends exactly once, with an error, and leaks nothing (the address
 * sanitizer looks). libcurl allocates through here too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <curl/curl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job_harness.h"
#include "tar_make.h"
#include "tempdir.h"

/* The n-th allocation from now fails, once; 0: none does. Workers count too. */
static atomic_uint countdown;
static atomic_uint n_failed;

static bool must_fail(void)
{
  unsigned now = atomic_load(&countdown);

  while (now > 0 && !atomic_compare_exchange_weak(&countdown, &now, now - 1)) {
  }
  if (now != 1)
    return false;
  (void)atomic_fetch_add(&n_failed, 1);
  return true;
}

void *__real_malloc(size_t len);
void *__real_calloc(size_t n, size_t len);
void *__real_realloc(void *ptr, size_t len);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t len);
void *__wrap_malloc(size_t len);
void *__wrap_calloc(size_t n, size_t len);
void *__wrap_realloc(void *ptr, size_t len);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t len);

void *__wrap_malloc(size_t len)
{
  return must_fail() ? NULL : __real_malloc(len);
}

void *__wrap_calloc(size_t n, size_t len)
{
  return must_fail() ? NULL : __real_calloc(n, len);
}

void *__wrap_realloc(void *ptr, size_t len)
{
  return must_fail() ? NULL : __real_realloc(ptr, len);
}

char *__wrap_strdup(const char *text)
{
  return must_fail() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t len)
{
  return must_fail() ? NULL : __real_strndup(text, len);
}

static struct job_place place;

static int set_up_group(void **s)
{
  size_t i;
  char name[32];

  (void)s;
  if (curl_global_init_mem(CURL_GLOBAL_DEFAULT, __wrap_malloc, free,
                           __wrap_realloc, __wrap_strdup,
                           __wrap_calloc) != CURLE_OK)
    return -1;
  for (i = 0; i < 6; i++) {
    (void)snprintf(name, sizeof name, "d%zu/f%zu", i % 2, i);
    (void)tar_make_file(&place.archive, name, name, strlen(name));
  }
  (void)tar_make_link(&place.archive, '1', "l", "d0/f0");
  job_place_open(&place);
  return 0;
}

static int tear_down_group(void **s)
{
  (void)s;
  job_place_close(&place);
  curl_global_cleanup();
  return 0;
}

static void give_put(struct job_run *r)
{
  int64_t n = tarn_put(r->job, place.archive.data, place.archive.len);

  if (n == (int64_t)place.archive.len)
    (void)tarn_put_end(r->job);
  else
    tarn_cancel(r->job);
}

/* One job whose n-th allocation fails. True when none was left to fail. */
static bool attempt(unsigned n, void (*set)(struct job_run *r))
{
  struct job_host h;
  struct job_run r;
  struct tarn_err err;
  unsigned failed;
  int rc;

  memset(&err, 0, sizeof err);
  job_begin(&h, &r);
  r.opts.memory = 2 << 20;
  r.opts.flags = TARN_NO_SYNC;
  set(&r);
  r.opts.has_retry_count = 1;
  r.opts.retry_count = 2;
  r.opts.retry_wait_ms = 1;
  r.opts.max_wait_ms = 1;
  atomic_store(&n_failed, 0);
  atomic_store(&countdown, n);
  rc = job_start(&r, &err);
  if (rc == 0) {
    if (r.opts.source == TARN_FROM_PUT)
      give_put(&r);
    job_wait(&r);
    assert_int_equal(r.n_done, 1);
  } else {
    assert_int_equal(rc, TARN_ENOMEM);
    assert_int_equal(err.code, TARN_ENOMEM);
  }
  failed = atomic_load(&n_failed);
  atomic_store(&countdown, 0);
  if (rc == 0 && failed == 0) {
    assert_string_equal(r.err.text, "");
    assert_int_equal(r.err.code, 0);
  }
  job_end(&h, &r);
  assert_int_equal(r.n_done, rc == 0);
  return failed == 0;
}

static unsigned until_it_passes(void (*set)(struct job_run *r))
{
  unsigned n = 1;

  while (!attempt(n, set))
    n += n < 300 ? 1 : n / 60;
  return n;
}

static void from_url_to_callback(struct job_run *r)
{
  r->opts.url = job_place_url(&place, "/bytes/400000");
  r->opts.target = TARN_TO_CALLBACK;
  r->opts.flags |= TARN_RAW;
  r->opts.chunk_size = 150000;
}

static void from_url_to_file(struct job_run *r)
{
  from_url_to_callback(r);
  r->opts.target = TARN_TO_FILE;
  r->opts.flags = TARN_NO_SYNC;
  r->opts.path = place.file_path;
}

/* With options that are copied, too: own ids, so that a user may set them. */
static void from_put_to_dir(struct job_run *r)
{
  static const char *const include[] = {"d[0-9]", "l"};
  static const char *const exclude[] = {"*.o"};
  static char own[64];

  (void)snprintf(own, sizeof own, "+%u:+%u", (unsigned)geteuid(),
                 (unsigned)getegid());
  r->opts.include = include;
  r->opts.n_include = 2;
  r->opts.exclude = exclude;
  r->opts.n_exclude = 1;
  r->opts.chown = own;
  r->opts.uid_map = r->opts.gid_map = "0:0:4294967295";
  r->opts.source = TARN_FROM_PUT;
  r->opts.path = place.target_path;
}

static void a_download_that_runs_out_of_memory_ends_once(void **s)
{
  (void)s;
  assert_true(until_it_passes(from_url_to_callback) > 100);
}

static void a_file_that_runs_out_of_memory_ends_once(void **s)
{
  (void)s;
  assert_true(until_it_passes(from_url_to_file) > 100);
}

static void an_extraction_that_runs_out_of_memory_ends_once(void **s)
{
  (void)s;
  assert_true(until_it_passes(from_put_to_dir) > 50);
  tempdir_expect(place.dir.target, "l", S_IFREG, "d0/f0");
}

static void a_context_that_cannot_be_made_says_so(void **s)
{
  unsigned n;
  int rc;

  (void)s;
  for (n = 1;; n++) {
    struct tarn *ctx = NULL;
    struct tarn_err err;
    uv_loop_t loop;

    assert_int_equal(uv_loop_init(&loop), 0);
    atomic_store(&countdown, n);
    rc = tarn_open(&ctx, &loop, NULL, &err);
    atomic_store(&countdown, 0);
    if (rc == 0) {
      tarn_close(ctx, NULL, NULL);
      (void)uv_run(&loop, UV_RUN_DEFAULT);
    } else {
      assert_int_equal(rc, TARN_ENOMEM);
      assert_int_equal(err.code, TARN_ENOMEM);
      assert_null(ctx);
    }
    assert_int_equal(uv_loop_close(&loop), 0);
    if (rc == 0)
      break;
  }
  assert_true(n > 1);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_context_that_cannot_be_made_says_so),
      cmocka_unit_test(an_extraction_that_runs_out_of_memory_ends_once),
      cmocka_unit_test(a_download_that_runs_out_of_memory_ends_once),
      cmocka_unit_test(a_file_that_runs_out_of_memory_ends_once),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
