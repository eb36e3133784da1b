/*
 * The hazards of libcurl on libuv, each with its test. Calls into libcurl pass
 * through here: none may be made from inside one of its callbacks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "curl_watch.h"
#include "loop/xfer.h"
#include "mini_server.h"

enum { WATCHDOG_MS = 60000, MIB = 1 << 20 };

/* Names take three seconds to be not found; addresses need no look-up. */
static atomic_uint n_lookups, n_looked_up;

__attribute__((visibility("default"))) int
getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
            struct addrinfo **res)
{
  (void)node;
  (void)service;
  (void)hints;
  *res = NULL;
  (void)atomic_fetch_add(&n_lookups, 1);
  (void)sleep(3);
  (void)atomic_fetch_add(&n_looked_up, 1);
  return EAI_FAIL;
}

/* ---- one request on a loop ---- */

struct fixture {
  uv_loop_t loop;
  uv_timer_t watchdog;
  struct tarn_env env;
  struct tarn_closer closer;
  struct mini_server server;
  struct tarn_get_options opts;
  struct tarn_http_settings settings;
  char url[128];
  bool closed;
};

struct request {
  struct tarn_xfer x;
  size_t len;
  unsigned n_done;
  struct tarn_err err;
  char redirect[128];
};

static void on_watchdog(uv_timer_t *timer)
{
  (void)timer;
  fail_msg("nothing happens any more");
}

static void on_closed(struct tarn_closer *closer)
{
  TARN_CONTAINER(closer, struct fixture, closer)->closed = true;
}

static void set_up(struct fixture *f,
                   void (*serve)(struct mini_server *s, int fd, void *user),
                   void *user)
{
  memset(f, 0, sizeof *f);
  curl_watch_begin(&f->loop);
  mini_server_start(&f->server, serve, user);
  assert_int_equal(uv_loop_init(&f->loop), 0);
  (void)uv_timer_init(&f->loop, &f->watchdog);
  (void)uv_timer_start(&f->watchdog, on_watchdog, WATCHDOG_MS, 0);
  f->env.loop = &f->loop;
  tarn_defers_init(&f->env.defers, &f->loop);
  tarn_work_init(&f->env.work, &f->loop, 4);
  assert_int_equal(tarn_curl_loop_init(&f->env.curl, &f->loop, &f->env.defers,
                                       &f->env.trace, NULL),
                   0);
  tarn_closer_init(&f->closer, on_closed);
  (void)snprintf(f->url, sizeof f->url, "http://127.0.0.1:%u/x",
                 f->server.port);
  f->opts.url = f->url;
}

static void tear_down(struct fixture *f)
{
  tarn_curl_loop_close(&f->env.curl, &f->closer);
  tarn_defers_close(&f->env.defers, &f->closer);
  tarn_closer_drop(&f->closer);
  uv_close((uv_handle_t *)&f->watchdog, NULL);
  (void)uv_run(&f->loop, UV_RUN_DEFAULT);
  assert_true(f->closed);
  assert_int_equal(uv_loop_close(&f->loop), 0);
  curl_watch_end();
  tarn_http_settings_close(&f->settings);
  mini_server_stop(&f->server);
}

static bool on_head(struct tarn_xfer *x)
{
  return x->reply.status == 200;
}

static bool on_data(struct tarn_xfer *x, const uint8_t *ptr, size_t len)
{
  struct request *r = TARN_CONTAINER(x, struct request, x);

  (void)ptr;
  seen.call_bytes += len;
  r->len += len;
  return true;
}

static void on_done(struct tarn_xfer *x, const struct tarn_err *err,
                    const char *redirect)
{
  struct request *r = TARN_CONTAINER(x, struct request, x);

  assert_int_equal(seen.depth, 0);
  r->n_done++;
  r->err = *err;
  if (redirect)
    (void)snprintf(r->redirect, sizeof r->redirect, "%s", redirect);
}

static void start(struct fixture *f, struct request *r, const char *url)
{
  struct tarn_xfer_ask ask = {.url = url};

  if (!f->settings.url)
    assert_int_equal(
        tarn_http_settings_init(&f->settings, &f->env.work, &f->opts, NULL), 0);
  memset(r, 0, sizeof *r);
  tarn_xfer_init(&r->x, &f->env);
  r->x.on_head = on_head;
  r->x.on_data = on_data;
  r->x.on_done = on_done;
  assert_int_equal(tarn_xfer_start(&r->x, &f->settings, &ask, NULL), 0);
}

static void run(struct fixture *f, struct request *r)
{
  while (r->n_done == 0)
    (void)uv_run(&f->loop, UV_RUN_ONCE);
  assert_int_equal(r->n_done, 1);
}

/* ---- servers ---- */

static void serve_body(int fd, size_t len)
{
  static const char zeros[65536];
  char head[128];

  (void)snprintf(head, sizeof head,
                 "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", len);
  if (!mini_server_text(fd, head))
    return;
  while (len > 0) {
    size_t n = len < sizeof zeros ? len : sizeof zeros;

    if (!mini_server_bytes(fd, zeros, n))
      return;
    len -= n;
  }
}

static void serve_well(struct mini_server *s, int fd, void *user)
{
  char head[4096];

  while (mini_server_head(s, fd, head, sizeof head))
    serve_body(fd, *(const size_t *)user);
}

static void serve_and_reset(struct mini_server *s, int fd, void *user)
{
  char head[4096];

  (void)user;
  if (!mini_server_head(s, fd, head, sizeof head))
    return;
  (void)mini_server_text(
      fd, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nsome bytes");
  (void)usleep(50000);
  mini_server_reset(fd);
}

static void serve_once(struct mini_server *s, int fd, void *user)
{
  char head[4096];

  if (mini_server_head(s, fd, head, sizeof head))
    serve_body(fd, *(const size_t *)user);
}

/* Keeps the last head, and answers with nothing. */
static void serve_head(struct mini_server *s, int fd, void *user)
{
  while (mini_server_head(s, fd, user, 4096))
    serve_body(fd, 0);
}

/* ---- the tests ---- */

static void an_error_of_the_poll_is_told_and_never_stalls_a_request(void **s)
{
  size_t len = 3 * MIB;
  struct fixture f;
  struct request r;
  unsigned n, told = 0;

  (void)s;
  for (n = 1; n <= 6; n++) {
    set_up(&f, serve_well, &len);
    start(&f, &r, f.url);
    seen.fake_error = n;
    run(&f, &r); /* an error is an end too; silence is not */
    assert_true(r.err.code == 0 ? r.len == len
                                : r.err.code == TARN_ETRANSFER ||
                                      r.err.code == TARN_EUNREACHABLE);
    told += seen.n_told;
    tear_down(&f);
  }
  assert_true(told > 0);
}

static void a_socket_that_libcurl_keeps_is_watched_again(void **s)
{
  size_t len = 3 * MIB;
  struct fixture f;
  struct request r;
  unsigned n, rearmed = 0;

  (void)s;
  for (n = 1; n <= 6; n++) {
    set_up(&f, serve_well, &len);
    start(&f, &r, f.url);
    seen.fake_error = n;
    seen.keep = true;
    run(&f, &r);
    assert_int_equal(r.err.code, 0);
    assert_int_equal(r.len, len);
    rearmed += seen.n_rearmed;
    tear_down(&f);
  }
  assert_true(rearmed > 0);
}

static void a_reset_in_the_middle_is_told_at_once(void **s)
{
  struct fixture f;
  struct request r;
  uint64_t begin = uv_hrtime();

  (void)s;
  set_up(&f, serve_and_reset, NULL);
  start(&f, &r, f.url);
  run(&f, &r);
  assert_int_equal(r.err.code, TARN_ETRANSFER);
  assert_int_equal(r.len, 10);
  assert_true(uv_hrtime() - begin < UINT64_C(5000000000));
  tear_down(&f);
}

static void no_descriptor_is_closed_under_its_watcher(void **s)
{
  size_t len = 200000;
  struct fixture f;
  struct request r[4];
  unsigned round, i, turns;

  (void)s;
  set_up(&f, serve_once, &len);
  for (round = 0; round < 30; round++) {
    for (i = 0; i < 4; i++)
      start(&f, &r[i], f.url);
    /* Stopped at any point, with a change of the watch pending. */
    for (turns = 0; turns < round; turns++)
      (void)uv_run(&f.loop, UV_RUN_NOWAIT);
    tarn_xfer_stop(&r[0].x);
    tarn_xfer_stop(&r[2].x);
    start(&f, &r[2], f.url);
    run(&f, &r[1]);
    run(&f, &r[2]);
    run(&f, &r[3]);
    assert_true(r[0].n_done <= 1);
    assert_int_equal(r[2].err.code, 0);
    assert_int_equal(r[2].len, len);
  }
  tear_down(&f);
}

static void a_cancel_does_not_wait_for_a_name_to_be_found(void **s)
{
  size_t len = 1;
  struct fixture f;
  struct request r;
  uint64_t begin;
  unsigned i;

  (void)s;
  set_up(&f, serve_well, &len);
  start(&f, &r, "http://name.example/x");
  for (i = 0; i < 100 && atomic_load(&n_lookups) == 0; i++) {
    (void)usleep(10000);
    (void)uv_run(&f.loop, UV_RUN_NOWAIT);
  }
  if (atomic_load(&n_lookups) == 0) { /* this libcurl has its own resolver */
    tarn_xfer_stop(&r.x);
    tear_down(&f);
    skip();
  }
  begin = uv_hrtime();
  tarn_xfer_stop(&r.x);
  tear_down(&f);
  assert_true(uv_hrtime() - begin < UINT64_C(1500000000));
  assert_int_equal(r.n_done, 0);
  while (atomic_load(&n_looked_up) < atomic_load(&n_lookups))
    (void)usleep(10000);
  (void)usleep(200000); /* its thread ends */
}

static void one_call_hands_out_its_share_and_no_more(void **s)
{
  size_t len = 64 * MIB;
  struct fixture f;
  struct request r;

  (void)s;
  set_up(&f, serve_well, &len);
  start(&f, &r, f.url);
  while (r.n_done == 0) {
    (void)usleep(2000); /* the socket fills meanwhile */
    (void)uv_run(&f.loop, UV_RUN_NOWAIT);
  }
  assert_int_equal(r.err.code, 0);
  assert_int_equal(r.len, len);
  assert_true(seen.most_bytes > 0);
  assert_true(seen.most_bytes <= TARN_CURL_CALL_SHARE + 256 * 1024);
  tear_down(&f);
}

static void what_is_for_the_origin_is_not_carried_to_another(void **s)
{
  static const char *const headers[] = {"X-Secret: sesame", "Cookie: c=sesame"};
  static char at_origin[4096], elsewhere[4096];
  struct fixture f;
  struct mini_server other;
  struct request r;
  char other_url[128];

  (void)s;
  set_up(&f, serve_head, at_origin);
  mini_server_start(&other, serve_head, elsewhere);
  (void)snprintf(other_url, sizeof other_url, "http://127.0.0.1:%u/x",
                 other.port);
  f.opts.headers = headers;
  f.opts.n_headers = 2;
  f.opts.user_password = "name:word";
  start(&f, &r, f.url);
  run(&f, &r);
  start(&f, &r, other_url);
  run(&f, &r);
  assert_int_equal(r.err.code, 0);
  tear_down(&f);
  mini_server_stop(&other);
  assert_non_null(strstr(at_origin, "X-Secret: sesame"));
  assert_non_null(strstr(at_origin, "Authorization: Basic"));
  assert_non_null(strstr(at_origin, "Accept-Encoding: identity"));
  assert_null(strstr(elsewhere, "sesame"));
  assert_null(strstr(elsewhere, "Authorization"));
  assert_non_null(strstr(elsewhere, "Accept-Encoding: identity"));
}

static void serve_redirect(struct mini_server *s, int fd, void *user)
{
  char head[4096];

  (void)user;
  while (mini_server_head(s, fd, head, sizeof head))
    (void)mini_server_text(fd, "HTTP/1.1 302 Found\r\nLocation: /y\r\n"
                               "Content-Length: 4\r\n\r\nmove");
}

static void a_redirect_is_told_and_not_followed(void **s)
{
  struct fixture f;
  struct request r;

  (void)s;
  set_up(&f, serve_redirect, NULL);
  start(&f, &r, f.url);
  run(&f, &r);
  assert_int_equal(r.err.code, 0);
  assert_true(r.x.refused);
  assert_int_equal(r.len, 0);
  assert_non_null(strstr(r.redirect, "/y"));
  tear_down(&f);
  assert_int_equal(atomic_load(&f.server.n_heads), 1);
}

static void a_refused_connection_is_unreachable(void **s)
{
  size_t len = 1;
  struct fixture f;
  struct request r;

  (void)s;
  set_up(&f, serve_well, &len);
  start(&f, &r, "http://127.0.0.1:1/x");
  run(&f, &r);
  assert_int_equal(r.err.code, TARN_EUNREACHABLE);
  tear_down(&f);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_error_of_the_poll_is_told_and_never_stalls_a_request),
      cmocka_unit_test(a_socket_that_libcurl_keeps_is_watched_again),
      cmocka_unit_test(a_reset_in_the_middle_is_told_at_once),
      cmocka_unit_test(no_descriptor_is_closed_under_its_watcher),
      cmocka_unit_test(a_cancel_does_not_wait_for_a_name_to_be_found),
      cmocka_unit_test(one_call_hands_out_its_share_and_no_more),
      cmocka_unit_test(what_is_for_the_origin_is_not_carried_to_another),
      cmocka_unit_test(a_redirect_is_told_and_not_followed),
      cmocka_unit_test(a_refused_connection_is_unreachable),
  };

  if (argc > 1)
    cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
