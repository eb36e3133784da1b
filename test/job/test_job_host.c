/*
 * A host program that has its own life on the loop: timers, pool work,
 * signals as they are by default. The library must not disturb it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <curl/curl.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job_harness.h"

enum { POOL = 4, TICK_MS = 5, WORK_MS = 3 };

static struct job_server server;
static char url_a[128], url_b[128];

static int set_up_group(void **s)
{
  (void)s;
  /* The host initialises libcurl itself, first. */
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return -1;
  job_server_start(&server, NULL);
  return 0;
}

static int tear_down_group(void **s)
{
  (void)s;
  job_server_stop(&server);
  curl_global_cleanup();
  return 0;
}

/* The host's own work: each of four items waits in a worker, again and again.
 */
struct host_work {
  uv_work_t req;
  uv_loop_t *loop;
  unsigned n_done;
  const bool *stop;
};

static void wait_on_worker(uv_work_t *req)
{
  (void)req;
  (void)usleep(WORK_MS * 1000);
}

static void on_work_done(uv_work_t *req, int status)
{
  struct host_work *w = req->data;

  assert_int_equal(status, 0);
  w->n_done++;
  if (!*w->stop)
    assert_int_equal(
        uv_queue_work(w->loop, &w->req, wait_on_worker, on_work_done), 0);
}

struct ticker {
  uv_timer_t timer;
  unsigned n;
  uint64_t last_ns, longest_ns;
};

static void on_tick(uv_timer_t *timer)
{
  struct ticker *t = timer->data;
  uint64_t now = uv_hrtime();

  if (t->last_ns && now - t->last_ns > t->longest_ns)
    t->longest_ns = now - t->last_ns;
  t->last_ns = now;
  t->n++;
}

static void two_jobs_run_beside_the_work_of_a_busy_host(void **s)
{
  struct job_host h;
  struct job_run a, b;
  struct host_work work[POOL];
  struct ticker ticker = {0};
  bool stop = false;
  size_t i;

  (void)s;
  job_open(&h, NULL);
  (void)uv_timer_init(&h.loop, &ticker.timer);
  ticker.timer.data = &ticker;
  (void)uv_timer_start(&ticker.timer, on_tick, TICK_MS, TICK_MS);
  for (i = 0; i < POOL; i++) {
    work[i] = (struct host_work){.loop = &h.loop, .stop = &stop};
    work[i].req.data = &work[i];
    assert_int_equal(
        uv_queue_work(&h.loop, &work[i].req, wait_on_worker, on_work_done), 0);
  }
  job_run_init(&a, &h);
  a.opts.url = job_server_url(&server, "/bytes/20000000", url_a, sizeof url_a);
  a.opts.target = TARN_TO_CALLBACK;
  a.opts.memory = 8u << 20;
  job_run_init(&b, &h);
  b.opts = a.opts;
  b.opts.user = &b;
  b.opts.flags = TARN_RAW;
  b.opts.url = job_server_url(&server, "/bytes/15000000", url_b, sizeof url_b);
  assert_int_equal(job_start(&a, NULL), 0);
  assert_int_equal(job_start(&b, NULL), 0);
  job_wait(&a);
  job_wait(&b);
  assert_string_equal(a.err.text, "");
  assert_string_equal(b.err.text, "");
  assert_true(a.len == 20000000 && job_is_pattern(a.got, a.len));
  assert_true(b.len == 15000000 && job_is_pattern(b.got, b.len));
  stop = true;
  assert_true(ticker.n > 2);
  assert_true(ticker.longest_ns < UINT64_C(2000000000));
  uv_close((uv_handle_t *)&ticker.timer, NULL);
  job_run_free(&a);
  job_run_free(&b);
  job_close(&h);
  for (i = 0; i < POOL; i++)
    assert_true(work[i].n_done > 0);
}

static void a_reader_that_goes_away_is_an_error_and_no_signal(void **s)
{
  struct job_host h;
  struct job_run r;
  struct sigaction action;
  sigset_t mask;
  int fds[2], kind;

  (void)s;
  (void)signal(SIGPIPE, SIG_DFL);
  for (kind = 0; kind < 2; kind++) {
    job_open(&h, NULL);
    assert_int_equal(
        kind ? socketpair(AF_UNIX, SOCK_STREAM, 0, fds) : pipe(fds), 0);
    job_run_init(&r, &h);
    r.opts.url = job_server_url(&server, "/bytes/5000000", url_a, sizeof url_a);
    r.opts.target = TARN_TO_FD;
    r.opts.to_fd = fds[1];
    r.opts.flags = TARN_RAW;
    assert_int_equal(job_start(&r, NULL), 0);
    (void)close(fds[0]);
    job_wait(&r);
    assert_int_equal(r.err.code, TARN_EPIPE);
    assert_int_equal(tarn_exit_code(r.err.code), 141);
    assert_true(fcntl(fds[1], F_GETFD) >= 0);
    (void)close(fds[1]);
    job_run_free(&r);
    job_close(&h);
  }
  /* Neither the disposition nor the mask has been touched. */
  assert_int_equal(sigaction(SIGPIPE, NULL, &action), 0);
  assert_true(action.sa_handler == SIG_DFL);
  assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &mask), 0);
  assert_int_equal(sigismember(&mask, SIGPIPE), 0);
  assert_int_equal(sigpending(&mask), 0);
  assert_int_equal(sigismember(&mask, SIGPIPE), 0);
}

static void the_process_is_left_as_it_was(void **s)
{
  char base[] = "/tmp/tarn-host-XXXXXX", before[512], after[512], path[600];
  struct job_host h;
  struct job_run r;
  mode_t mask;
  int fds, after_fds;

  (void)s;
  assert_non_null(mkdtemp(base));
  (void)snprintf(path, sizeof path, "%s/deep/target", base);
  assert_non_null(getcwd(before, sizeof before));
  (void)umask(027);
  fds = open("/dev/null", O_RDONLY);
  (void)close(fds);
  job_open(&h, NULL);
  job_run_init(&r, &h);
  /* Not an archive: the job ends with an error behind its first bytes. */
  r.opts.url = job_server_url(&server, "/bytes/5000000", url_a, sizeof url_a);
  r.opts.path = path;
  assert_int_equal(job_start(&r, NULL), 0);
  job_wait(&r);
  assert_int_equal(r.err.code, TARN_ENOTARCHIVE);
  job_run_free(&r);
  job_close(&h);
  mask = umask(022);
  assert_int_equal(mask, 027);
  assert_non_null(getcwd(after, sizeof after));
  assert_string_equal(before, after);
  after_fds = open("/dev/null", O_RDONLY);
  (void)close(after_fds);
  assert_int_equal(after_fds, fds); /* every descriptor is closed */
  (void)rmdir(path);
  (void)snprintf(path, sizeof path, "%s/deep", base);
  (void)rmdir(path);
  assert_int_equal(rmdir(base), 0);
}

static void libcurl_of_the_host_works_on_behind_the_context(void **s)
{
  struct job_host h;
  CURL *easy;

  (void)s;
  job_open(&h, NULL);
  job_close(&h);
  easy = curl_easy_init();
  assert_non_null(easy);
  assert_int_equal(curl_easy_setopt(easy, CURLOPT_URL,
                                    job_server_url(&server, "/bytes/10", url_a,
                                                   sizeof url_a)),
                   CURLE_OK);
  (void)curl_easy_setopt(easy, CURLOPT_NOBODY, 0L);
  (void)curl_easy_setopt(easy, CURLOPT_WRITEDATA, stderr);
  assert_int_equal(curl_easy_perform(easy), CURLE_OK);
  curl_easy_cleanup(easy);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_jobs_run_beside_the_work_of_a_busy_host),
      cmocka_unit_test(a_reader_that_goes_away_is_an_error_and_no_signal),
      cmocka_unit_test(the_process_is_left_as_it_was),
      cmocka_unit_test(libcurl_of_the_host_works_on_behind_the_context),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
