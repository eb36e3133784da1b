#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job_harness.h"
#include "tempdir.h"

enum { MIB = 1 << 20 };

static struct job_place place;

static int set_up_group(void **s)
{
  size_t i;
  char name[32];

  (void)s;
  for (i = 0; i < 60; i++) {
    (void)snprintf(name, sizeof name, "d%zu/f%zu", i % 7, i);
    job_place_add(&place, name, i * 997);
  }
  job_place_open(&place);
  return 0;
}

static int tear_down_group(void **s)
{
  (void)s;
  job_place_close(&place);
  return 0;
}

static const char *url(const char *path)
{
  return job_place_url(&place, path);
}

static void expect_archive(void)
{
  char path[32];
  struct stat st;
  size_t i;

  for (i = 0; i < 60; i++) {
    (void)snprintf(path, sizeof path, "d%zu/f%zu", i % 7, i);
    assert_int_equal(fstatat(place.dir.target, path, &st, 0), 0);
    assert_int_equal(st.st_size, i * 997);
  }
}

/* ---- sources ---- */

static void a_url_is_extracted_into_a_directory(void **s)
{
  struct job_host h;
  struct job_run r;

  (void)s;
  job_begin(&h, &r);
  r.opts.url = url("/x.tar");
  r.opts.path = place.target_path;
  assert_int_equal(job_start(&r, NULL), 0);
  place.url[0] = '\0'; /* strings are copied before the call returns */
  job_wait(&r);
  assert_string_equal(r.err.text, "");
  assert_int_equal(r.err.code, 0);
  assert_int_equal(r.progress.files, 60);
  assert_int_equal(r.progress.wire_bytes, place.archive.len);
  expect_archive();
  job_place_empty(&place);
  job_end(&h, &r);
}

static void
bytes_given_by_put_come_out_by_callback_at_the_least_memory(void **s)
{
  struct job_host h;
  struct job_run r;
  uint8_t *data = malloc(9 * MIB);
  size_t i;

  (void)s;
  assert_non_null(data);
  for (i = 0; i < 9 * MIB; i++)
    data[i] = job_server_byte(i);
  job_begin(&h, &r);
  r.opts.source = TARN_FROM_PUT;
  r.opts.target = TARN_TO_CALLBACK;
  r.opts.flags = TARN_RAW;
  r.opts.memory = 2 * MIB;
  assert_int_equal(job_start(&r, NULL), 0);
  job_put_all(&r, data, 9 * MIB);
  assert_true(r.put_at <= 2 * MIB); /* no more than the budget at once */
  job_wait(&r);
  assert_int_equal(r.err.code, 0);
  assert_int_equal(r.len, 9 * MIB);
  assert_memory_equal(r.got, data, r.len);
  assert_true(r.progress.memory_peak <= 2 * MIB);
  free(data);
  job_end(&h, &r);
}

static void a_descriptor_of_any_kind_is_read_to_its_end(void **s)
{
  struct job_host h;
  struct job_run r;
  int kind, fds[2];

  (void)s;
  for (kind = 0; kind < 3; kind++) {
    job_begin(&h, &r);
    if (kind == 0) {
      fds[0] = open(place.tar_path, O_RDONLY | O_CLOEXEC);
      fds[1] = -1;
    } else {
      assert_int_equal(
          kind == 1 ? pipe(fds) : socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
      assert_int_equal(write(fds[1], place.archive.data, 60000), 60000);
      (void)close(fds[1]);
    }
    r.opts.source = TARN_FROM_FD;
    r.opts.from_fd = fds[0];
    r.opts.target = TARN_TO_CALLBACK;
    r.opts.flags = TARN_RAW | TARN_ALLOW_UNPROVEN;
    assert_int_equal(job_start(&r, NULL), 0);
    job_wait(&r);
    assert_string_equal(r.err.text, "");
    assert_int_equal(r.len, kind == 0 ? place.archive.len : 60000);
    assert_memory_equal(r.got, place.archive.data, r.len);
    assert_true(fcntl(fds[0], F_GETFD) >= 0); /* stays the caller's */
    (void)close(fds[0]);
    job_end(&h, &r);
  }
}

/* ---- targets ---- */

static void ranges_of_a_url_come_by_callback_in_order(void **s)
{
  struct job_host h;
  struct job_run r;

  (void)s;
  job_begin(&h, &r);
  r.opts.url = url("/bytes/20000000");
  r.opts.target = TARN_TO_CALLBACK;
  r.opts.flags = TARN_RAW;
  r.opts.memory = 4 * MIB;
  r.keep_credit = 100000;
  assert_int_equal(job_start(&r, NULL), 0);
  while (r.len < 20000000)
    (void)uv_run(&h.loop, UV_RUN_ONCE);
  assert_int_equal(r.n_done, 0); /* not before all credit is back */
  tarn_consumed(r.job, r.owed);
  job_wait(&r);
  assert_string_equal(r.err.text, "");
  assert_true(job_is_pattern(r.got, r.len));
  assert_true(r.progress.memory_peak <= 4 * MIB);
  job_end(&h, &r);
}

static void credit_that_is_kept_stops_the_job_at_its_memory(void **s)
{
  struct job_host h;
  struct job_run r;
  size_t before;
  int i;

  (void)s;
  job_begin(&h, &r);
  r.opts.url = url("/bytes/20000000");
  r.opts.target = TARN_TO_CALLBACK;
  r.opts.flags = TARN_RAW;
  r.opts.memory = 2 * MIB;
  r.opts.has_min_speed = 1; /* a slow consumer is no slow server */
  r.keep_credit = SIZE_MAX;
  assert_int_equal(job_start(&r, NULL), 0);
  do {
    before = r.len;
    for (i = 0; i < 30; i++) {
      (void)usleep(10000);
      (void)uv_run(&h.loop, UV_RUN_NOWAIT);
    }
  } while (r.len != before || r.len == 0);
  assert_true(r.len <= 2 * MIB);
  r.keep_credit = 0;
  tarn_consumed(r.job, r.owed);
  r.owed = 0;
  job_wait(&r);
  assert_string_equal(r.err.text, "");
  assert_int_equal(r.len, 20000000);
  assert_true(job_is_pattern(r.got, r.len));
  job_end(&h, &r);
}

static void a_file_appears_whole_or_not_at_all(void **s)
{
  struct job_host h;
  struct job_run r;
  struct stat st;

  (void)s;
  job_begin(&h, &r);
  r.opts.url = url("/bytes/3000000");
  r.opts.target = TARN_TO_FILE;
  r.opts.path = place.file_path;
  assert_int_equal(job_start(&r, NULL), 0);
  job_wait(&r);
  assert_string_equal(r.err.text, "");
  assert_int_equal(stat(place.file_path, &st), 0);
  assert_int_equal(st.st_size, 3000000);
  job_run_free(&r);
  job_place_empty(&place);
  job_run_init(&r, &h);
  r.opts.url = url("/bytes/3000002?reset_after=100000");
  r.opts.target = TARN_TO_FILE;
  r.opts.path = place.file_path;
  r.opts.retry_count = 1;
  assert_int_equal(job_start(&r, NULL), 0);
  job_wait(&r);
  assert_int_equal(r.n_done, 1);
  tempdir_expect(place.dir.target, "out", r.err.code == 0 ? S_IFREG : 0, NULL);
  job_place_empty(&place);
  job_end(&h, &r);
}

static void a_descriptor_gets_the_bytes_and_stays_open(void **s)
{
  struct job_host h;
  struct job_run r;
  struct stat st;
  int fd;

  (void)s;
  fd = open(place.file_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  assert_true(fd >= 0);
  job_begin(&h, &r);
  r.opts.url = url("/bytes/3000001?reset_after=20000&times=3");
  r.opts.target = TARN_TO_FD;
  r.opts.flags = TARN_RAW;
  r.opts.to_fd = fd;
  assert_int_equal(job_start(&r, NULL), 0);
  job_wait(&r);
  assert_string_equal(r.err.text, "");
  assert_true(r.n_retries > 0);
  assert_int_equal(fstat(fd, &st), 0);
  assert_int_equal(st.st_size, 3000001);
  (void)close(fd);
  job_place_empty(&place);
  job_end(&h, &r);
}

/* ---- cancel and close ---- */

static void start_slow(struct job_run *r, struct job_host *h)
{
  job_run_init(r, h);
  r->opts.url = url("/slow.tar");
  r->opts.path = place.target_path;
  r->opts.chunk_size = 300000;
  r->opts.flags = TARN_REPORT_ENTRIES;
  assert_int_equal(job_start(r, NULL), 0);
}

static void a_cancel_at_any_turn_ends_the_job_once(void **s)
{
  struct job_host h;
  struct job_run r;
  unsigned n, i;

  (void)s;
  for (n = 0; n < 60; n++) {
    job_open(&h, NULL);
    start_slow(&r, &h);
    for (i = 0; i < n && r.n_done == 0; i++)
      (void)uv_run(&h.loop, n % 2 ? UV_RUN_ONCE : UV_RUN_NOWAIT);
    job_cancel(&r);
    job_wait(&r);
    assert_int_equal(r.n_done, 1);
    assert_true(r.err.code == TARN_ECANCELED || r.err.code == 0);
    job_end(&h, &r);
    job_place_empty(&place);
  }
}

static void a_cancel_inside_any_event_ends_the_job_once(void **s)
{
  struct job_host h;
  struct job_run r;
  unsigned n;

  (void)s;
  for (n = 1; n < 64; n += 3) {
    job_open(&h, NULL);
    start_slow(&r, &h);
    r.cancel_at_event = n;
    job_wait(&r);
    assert_int_equal(r.n_done, 1);
    assert_int_equal(r.err.code, n <= 61 ? TARN_ECANCELED : 0);
    job_end(&h, &r);
    job_place_empty(&place);
  }
}

static void closing_the_context_ends_every_job_first(void **s)
{
  struct job_host h;
  struct job_run runs[3];
  unsigned n, i;

  (void)s;
  for (n = 0; n < 30; n += 3) {
    job_open(&h, NULL);
    for (i = 0; i < 3; i++)
      start_slow(&runs[i], &h);
    for (i = 0; i < n; i++)
      (void)uv_run(&h.loop, UV_RUN_NOWAIT);
    job_close_context(&h);
    for (i = 0; i < 3; i++) {
      assert_int_equal(runs[i].n_done, 1);
      job_run_free(&runs[i]);
    }
    job_close(&h);
    job_place_empty(&place);
  }
}

/* ---- options ---- */

static void a_refused_request_leaves_nothing_behind(void **s)
{
  static const char *const bad_header[] = {"no colon"};
  struct job_host h;
  struct job_run r;
  struct tarn_err err;
  int fds[2], case_no;

  (void)s;
  assert_int_equal(pipe(fds), 0);
  for (case_no = 0; case_no < 6; case_no++) {
    job_begin(&h, &r);
    r.opts.url = url("/x.tar");
    r.opts.target = TARN_TO_FD;
    r.opts.to_fd = fds[1];
    switch (case_no) {
    case 0:
      r.opts.headers = bad_header;
      r.opts.n_headers = 1;
      break;
    case 1:
      r.opts.url = "ftp://example.org/x";
      break;
    case 2:
      r.opts.url = NULL;
      break;
    case 3:
      r.opts.memory = 1;
      break;
    case 4:
      r.opts.digest = "md5:00";
      break;
    default:
      r.opts.source = TARN_FROM_FD;
      r.opts.from_fd = -1;
      break;
    }
    memset(&err, 0, sizeof err);
    assert_true(job_start(&r, &err) < 0);
    assert_true(err.code < 0 && err.text[0]);
    assert_int_equal(r.n_done, 0);
    job_end(&h, &r);
    assert_int_equal(r.n_done, 0);
  }
  (void)close(fds[0]);
  (void)close(fds[1]);
}

static void an_older_or_newer_option_struct_is_understood(void **s)
{
  struct {
    struct tarn_get_options opts;
    uint8_t unknown[64];
  } newer;
  struct job_host h;
  struct job_run r;
  struct tarn_err err;
  struct tarn_job *job;

  (void)s;
  job_begin(&h, &r);
  /* Older: what lies behind is taken as zero. */
  r.opts.url = url("/bytes/1000");
  r.opts.target = TARN_TO_CALLBACK;
  r.opts.flags = TARN_RAW;
  r.opts.digest = "not a digest";
  r.opts.size = offsetof(struct tarn_get_options, digest);
  assert_int_equal(job_start(&r, &err), 0);
  job_wait(&r);
  assert_int_equal(r.err.code, 0);
  assert_int_equal(r.len, 1000);
  job_run_free(&r);
  /* Newer: fine while it asks for nothing unknown. */
  job_run_init(&r, &h);
  memset(&newer, 0, sizeof newer);
  r.opts.url = url("/bytes/1000");
  r.opts.target = TARN_TO_CALLBACK;
  r.opts.flags = TARN_RAW;
  newer.opts = r.opts;
  newer.opts.size = sizeof newer;
  assert_int_equal(tarn_get(h.ctx, &newer.opts, &r.job, &err), 0);
  job_wait(&r);
  assert_int_equal(r.err.code, 0);
  job_run_free(&r);
  newer.unknown[63] = 1;
  assert_int_equal(tarn_get(h.ctx, &newer.opts, &job, &err), TARN_EINVAL);
  newer.opts.size = 0;
  assert_int_equal(tarn_get(h.ctx, &newer.opts, &job, &err), TARN_EINVAL);
  job_close(&h);
}

static void two_jobs_share_one_context(void **s)
{
  struct job_host h;
  struct job_run a, b;

  (void)s;
  job_begin(&h, &a);
  a.opts.url = url("/bytes/5000000");
  a.opts.target = TARN_TO_CALLBACK;
  a.opts.flags = TARN_RAW;
  assert_int_equal(job_start(&a, NULL), 0);
  start_slow(&b, &h);
  job_wait(&a);
  job_wait(&b);
  assert_int_equal(a.err.code, 0);
  assert_int_equal(b.err.code, 0);
  assert_true(a.len == 5000000 && job_is_pattern(a.got, a.len));
  expect_archive();
  job_place_empty(&place);
  job_run_free(&a);
  job_end(&h, &b);
}

static void progress_can_be_asked_by_an_older_caller(void **s)
{
  struct job_host h;
  struct job_run r;
  struct tarn_progress p;

  (void)s;
  job_open(&h, NULL);
  start_slow(&r, &h);
  memset(&p, 0x55, sizeof p);
  p.size = offsetof(struct tarn_progress, files);
  assert_int_equal(tarn_job_progress(r.job, &p), 0);
  assert_int_equal(p.size, offsetof(struct tarn_progress, files));
  assert_int_equal(p.wire_bytes, 0);
  assert_true(p.files == UINT64_C(0x5555555555555555));
  p.size = 0;
  assert_int_equal(tarn_job_progress(r.job, &p), TARN_EINVAL);
  job_wait(&r);
  job_end(&h, &r);
  job_place_empty(&place);
}

static void an_error_names_the_cause_without_the_secrets_of_the_url(void **s)
{
  struct job_host h;
  struct job_run r;

  (void)s;
  job_begin(&h, &r);
  (void)snprintf(place.url, sizeof place.url,
                 "http://user:secret@127.0.0.1:%u/missing?key=secret",
                 place.server.port);
  r.opts.url = place.url;
  r.opts.path = place.target_path;
  assert_int_equal(job_start(&r, NULL), 0);
  job_wait(&r);
  assert_int_equal(r.err.code, TARN_ENOTFOUND);
  assert_int_equal(r.err.http_status, 404);
  assert_non_null(strstr(r.err.text, "/missing"));
  assert_null(strstr(r.err.text, "secret"));
  job_end(&h, &r);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_url_is_extracted_into_a_directory),
      cmocka_unit_test(
          bytes_given_by_put_come_out_by_callback_at_the_least_memory),
      cmocka_unit_test(a_descriptor_of_any_kind_is_read_to_its_end),
      cmocka_unit_test(ranges_of_a_url_come_by_callback_in_order),
      cmocka_unit_test(credit_that_is_kept_stops_the_job_at_its_memory),
      cmocka_unit_test(a_file_appears_whole_or_not_at_all),
      cmocka_unit_test(a_descriptor_gets_the_bytes_and_stays_open),
      cmocka_unit_test(a_cancel_at_any_turn_ends_the_job_once),
      cmocka_unit_test(a_cancel_inside_any_event_ends_the_job_once),
      cmocka_unit_test(closing_the_context_ends_every_job_first),
      cmocka_unit_test(a_refused_request_leaves_nothing_behind),
      cmocka_unit_test(an_older_or_newer_option_struct_is_understood),
      cmocka_unit_test(two_jobs_share_one_context),
      cmocka_unit_test(progress_can_be_asked_by_an_older_caller),
      cmocka_unit_test(an_error_names_the_cause_without_the_secrets_of_the_url),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
