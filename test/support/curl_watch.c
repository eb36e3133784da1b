#include "curl_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct curl_watch seen;

void curl_watch_begin(uv_loop_t *loop)
{
  memset(&seen, 0, sizeof seen);
  seen.thread = pthread_self();
  seen.loop = loop;
}

void curl_watch_end(void)
{
  seen.loop = NULL;
}

static void enter(void)
{
  assert_int_equal(seen.depth, 0);
  seen.depth++;
  seen.call_bytes = 0;
}

static void leave(void)
{
  seen.depth--;
  if (seen.call_bytes > seen.most_bytes)
    seen.most_bytes = seen.call_bytes;
}

CURLMcode __real_curl_multi_socket_action(CURLM *m, curl_socket_t fd, int mask,
                                          int *running);
CURLMcode __wrap_curl_multi_socket_action(CURLM *m, curl_socket_t fd, int mask,
                                          int *running);
CURLMcode __real_curl_multi_add_handle(CURLM *m, CURL *easy);
CURLMcode __wrap_curl_multi_add_handle(CURLM *m, CURL *easy);
CURLMcode __real_curl_multi_remove_handle(CURLM *m, CURL *easy);
CURLMcode __wrap_curl_multi_remove_handle(CURLM *m, CURL *easy);
CURLMsg *__real_curl_multi_info_read(CURLM *m, int *left);
CURLMsg *__wrap_curl_multi_info_read(CURLM *m, int *left);
CURLMcode __real_curl_multi_cleanup(CURLM *m);
CURLMcode __wrap_curl_multi_cleanup(CURLM *m);
CURLcode __real_curl_easy_pause(CURL *easy, int mask);
CURLcode __wrap_curl_easy_pause(CURL *easy, int mask);
void __real_curl_easy_cleanup(CURL *easy);
void __wrap_curl_easy_cleanup(CURL *easy);
int __real_uv_poll_start(uv_poll_t *poll, int events, uv_poll_cb cb);
int __wrap_uv_poll_start(uv_poll_t *poll, int events, uv_poll_cb cb);
int __real_close(int fd);
int __wrap_close(int fd);

CURLMcode __wrap_curl_multi_socket_action(CURLM *m, curl_socket_t fd, int mask,
                                          int *running)
{
  CURLMcode rc;

  if (mask == CURL_CSELECT_ERR)
    seen.n_told++;
  if (mask == CURL_CSELECT_ERR && seen.keep)
    return CURLM_OK;
  enter();
  rc = __real_curl_multi_socket_action(m, fd, mask, running);
  leave();
  assert_int_equal(rc, CURLM_OK);
  return rc;
}

CURLMcode __wrap_curl_multi_add_handle(CURLM *m, CURL *easy)
{
  CURLMcode rc;

  enter();
  rc = __real_curl_multi_add_handle(m, easy);
  leave();
  assert_int_equal(rc, CURLM_OK);
  return rc;
}

CURLMcode __wrap_curl_multi_remove_handle(CURLM *m, CURL *easy)
{
  CURLMcode rc;

  enter();
  rc = __real_curl_multi_remove_handle(m, easy);
  leave();
  assert_int_equal(rc, CURLM_OK);
  return rc;
}

CURLMsg *__wrap_curl_multi_info_read(CURLM *m, int *left)
{
  assert_int_equal(seen.depth, 0);
  return __real_curl_multi_info_read(m, left);
}

CURLMcode __wrap_curl_multi_cleanup(CURLM *m)
{
  CURLMcode rc;

  enter();
  rc = __real_curl_multi_cleanup(m);
  leave();
  assert_int_equal(rc, CURLM_OK);
  return rc;
}

CURLcode __wrap_curl_easy_pause(CURL *easy, int mask)
{
  CURLcode rc;

  enter();
  rc = __real_curl_easy_pause(easy, mask);
  leave();
  return rc;
}

void __wrap_curl_easy_cleanup(CURL *easy)
{
  assert_int_equal(seen.depth, 0);
  __real_curl_easy_cleanup(easy);
}

/* A false POLLERR comes as libuv tells a real one: the watcher has been
   stopped already. */
struct fake {
  uv_timer_t timer;
  uv_poll_t *poll;
  uv_poll_cb cb;
};

static void on_fake_closed(uv_handle_t *handle)
{
  free(handle->data);
}

static void on_fake(uv_timer_t *timer)
{
  struct fake *fake = timer->data;

  if (seen.faked == fake->poll && !uv_is_closing((uv_handle_t *)fake->poll)) {
    seen.n_fakes++;
    (void)uv_poll_stop(fake->poll);
    fake->cb(fake->poll, UV_EBADF, 0);
    seen.n_rearmed += !uv_is_closing((uv_handle_t *)fake->poll) &&
                      uv_is_active((uv_handle_t *)fake->poll);
  }
  uv_close((uv_handle_t *)timer, on_fake_closed);
}

int __wrap_uv_poll_start(uv_poll_t *poll, int events, uv_poll_cb cb)
{
  if (seen.fake_error > 0 && --seen.fake_error == 0) {
    struct fake *fake = malloc(sizeof *fake);

    assert_non_null(fake);
    fake->poll = seen.faked = poll;
    fake->cb = cb;
    (void)uv_timer_init(seen.loop, &fake->timer);
    fake->timer.data = fake;
    (void)uv_timer_start(&fake->timer, on_fake, 0, 0);
  }
  return __real_uv_poll_start(poll, events, cb);
}

static void expect_unwatched(uv_handle_t *handle, void *user)
{
  const int *fd = user;
  uv_os_fd_t watched;

  if (handle->type == UV_POLL && !uv_is_closing(handle) &&
      uv_fileno(handle, &watched) == 0)
    assert_int_not_equal(watched, *fd);
}

/* No descriptor is closed while a watcher has it. */
int __wrap_close(int fd)
{
  if (pthread_equal(pthread_self(), seen.thread) && seen.loop)
    uv_walk(seen.loop, expect_unwatched, &fd);
  return __real_close(fd);
}
