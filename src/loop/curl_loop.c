#include "loop/curl_loop.h"

#include <sys/socket.h>
#include <unistd.h>

#include "loop/sigpipe.h"

/* A socket libcurl has asked us to watch. */
struct sock {
  struct tarn_list link;
  struct tarn_curl_loop *cl;
  uv_poll_t poll;
  curl_socket_t fd;
  int events; /* of uv_poll that libcurl wants */
  bool closing;
};

static void on_poll(uv_poll_t *poll, int status, int events);

static struct sock *find_sock(struct tarn_curl_loop *cl, curl_socket_t fd)
{
  struct tarn_list *link;

  for (link = cl->sockets.next; link != &cl->sockets; link = link->next) {
    struct sock *s = TARN_CONTAINER(link, struct sock, link);
    if (s->fd == fd)
      return s;
  }
  return NULL;
}

static void on_sock_closed(uv_handle_t *handle)
{
  struct sock *s = handle->data;
  struct tarn_curl_loop *cl = s->cl;

  free(s);
  if (--cl->n_closing == 0 && cl->closer)
    tarn_closer_drop(cl->closer);
}

/* uv_close stops the watcher at once, so the descriptor may be closed next. */
static void drop_sock(struct sock *s)
{
  if (s->closing)
    return;
  s->closing = true;
  tarn_list_remove(&s->link);
  s->cl->n_closing++;
  uv_close((uv_handle_t *)&s->poll, on_sock_closed);
}

static struct sock *make_sock(struct tarn_curl_loop *cl, curl_socket_t fd)
{
  struct sock *s = calloc(1, sizeof *s);

  if (!s)
    return NULL;
  if (uv_poll_init_socket(cl->loop, &s->poll, fd) != 0) {
    free(s);
    return NULL;
  }
  s->cl = cl;
  s->fd = fd;
  s->poll.data = s;
  tarn_list_init(&s->link);
  tarn_list_append(&cl->sockets, &s->link);
  return s;
}

/* CURLMOPT_SOCKETFUNCTION */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user,
                     void *socket_user)
{
  struct tarn_curl_loop *cl = user;
  struct sock *s = find_sock(cl, fd);

  (void)easy;
  (void)socket_user;
  TARN_TRACE(cl->trace, TARN_TRACE_CURL, "socket %d: wants %d", (int)fd, what);
  if (what == CURL_POLL_REMOVE) {
    if (s)
      drop_sock(s);
    return 0;
  }
  /* Never -1: libcurl would refuse every request from then on. */
  if (!s && !(s = make_sock(cl, fd))) {
    cl->broken = true;
    return 0;
  }
  s->events = (what & CURL_POLL_IN ? UV_READABLE : 0) |
              (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
  if (uv_poll_start(&s->poll, s->events, on_poll) != 0)
    cl->broken = true;
  return 0;
}

/* CURLOPT_CLOSESOCKETFUNCTION: a watcher must never outlive its descriptor,
   or libuv aborts on the pending change. */
static int on_close_socket(void *user, curl_socket_t fd)
{
  struct tarn_curl_loop *cl = user;
  struct sock *s = find_sock(cl, fd);

  if (s)
    drop_sock(s);
  return close(fd);
}

/* CURLOPT_OPENSOCKETFUNCTION: a child of the host program must not hold a
   connection open. libcurl 7.88 by itself sets no such flag. */
static curl_socket_t on_open_socket(void *user, curlsocktype purpose,
                                    struct curl_sockaddr *address)
{
  (void)user;
  (void)purpose;
  return socket(address->family, address->socktype | SOCK_CLOEXEC,
                address->protocol);
}

/* One call into libcurl, with the signal of a broken pipe held off. */
static void act(struct tarn_curl_loop *cl, curl_socket_t fd, int flags)
{
  struct tarn_sigpipe saved;
  int running;

  cl->call_bytes = 0;
  tarn_sigpipe_block(&saved);
  if (curl_multi_socket_action(cl->multi, fd, flags, &running) != CURLM_OK)
    cl->broken = true;
  tarn_sigpipe_restore(&saved);
  tarn_defer_schedule(cl->defers, &cl->step);
}

static void on_timer(uv_timer_t *timer)
{
  act(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

/* CURLMOPT_TIMERFUNCTION */
static int on_timeout(CURLM *multi, long timeout_ms, void *user)
{
  struct tarn_curl_loop *cl = user;

  (void)multi;
  if (timeout_ms < 0) {
    (void)uv_timer_stop(&cl->timer);
    return 0;
  }
  uv_update_time(cl->loop);
  (void)uv_timer_start(&cl->timer, on_timer, (uint64_t)timeout_ms, 0);
  return 0;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
  struct sock *s = poll->data;
  int flags = status < 0 ? CURL_CSELECT_ERR : 0;

  if (events & UV_READABLE)
    flags |= CURL_CSELECT_IN;
  if (events & UV_WRITABLE)
    flags |= CURL_CSELECT_OUT;
  act(s->cl, s->fd, flags);
  /* On POLLERR libuv has stopped the watcher behind our back: if libcurl goes
     on with this socket it would wait for ever. */
  if (status < 0 && !s->closing && s->events)
    (void)uv_poll_start(&s->poll, s->events, on_poll);
}

static void reap(struct tarn_curl_loop *cl)
{
  CURLMsg *msg;
  int left;

  while ((msg = curl_multi_info_read(cl->multi, &left))) {
    struct tarn_curl_req *req = NULL;

    if (msg->msg != CURLMSG_DONE)
      continue;
    (void)curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &req);
    req->result = msg->data.result;
    tarn_curl_loop_remove(cl, req);
    req->done(req, req->result);
  }
}

static void add_waiting(struct tarn_curl_loop *cl)
{
  struct tarn_list *link, now;

  tarn_list_init(&now);
  tarn_list_splice(&now, &cl->adds);
  while ((link = tarn_list_shift(&now))) {
    struct tarn_curl_req *req =
        TARN_CONTAINER(link, struct tarn_curl_req, link);

    if (curl_multi_add_handle(cl->multi, req->easy) != CURLM_OK) {
      req->done(req, CURLE_OUT_OF_MEMORY);
    } else {
      req->added = true;
      tarn_list_append(&cl->active, &req->active);
    }
  }
}

static void resume_waiting(struct tarn_curl_loop *cl)
{
  struct tarn_list *link, now;

  tarn_list_init(&now);
  tarn_list_splice(&now, &cl->resumes);
  while ((link = tarn_list_shift(&now))) {
    struct tarn_curl_req *req =
        TARN_CONTAINER(link, struct tarn_curl_req, link);

    req->paused = false;
    cl->call_bytes = 0;
    if (curl_easy_pause(req->easy, CURLPAUSE_CONT) != CURLE_OK)
      cl->broken = true;
  }
}

/* A call that fails may leave a request that nothing wakes any more. */
static void end_all(struct tarn_curl_loop *cl)
{
  struct tarn_list *link, now;

  cl->broken = false;
  tarn_list_init(&now);
  tarn_list_splice(&now, &cl->active);
  while ((link = tarn_list_first(&now))) {
    struct tarn_curl_req *req =
        TARN_CONTAINER(link, struct tarn_curl_req, active);

    tarn_curl_loop_remove(cl, req);
    req->done(req, CURLE_OUT_OF_MEMORY);
  }
}

static void on_step(struct tarn_defer *d)
{
  struct tarn_curl_loop *cl = TARN_CONTAINER(d, struct tarn_curl_loop, step);
  struct tarn_sigpipe saved;

  tarn_sigpipe_block(&saved);
  add_waiting(cl);
  resume_waiting(cl);
  reap(cl);
  if (cl->broken)
    end_all(cl);
  tarn_sigpipe_restore(&saved);
}

int tarn_curl_loop_init(struct tarn_curl_loop *cl, uv_loop_t *loop,
                        struct tarn_defers *defers,
                        const struct tarn_trace *trace, struct tarn_err *err)
{
  cl->loop = loop;
  cl->defers = defers;
  cl->trace = trace;
  cl->call_bytes = 0;
  cl->n_closing = 0;
  cl->closer = NULL;
  tarn_defer_init(&cl->step, on_step);
  tarn_list_init(&cl->adds);
  tarn_list_init(&cl->resumes);
  tarn_list_init(&cl->active);
  cl->broken = false;
  tarn_list_init(&cl->sockets);
  cl->multi = curl_multi_init();
  if (!cl->multi)
    return tarn_err_nomem(err, "libcurl");
  (void)curl_multi_setopt(cl->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  (void)curl_multi_setopt(cl->multi, CURLMOPT_SOCKETDATA, cl);
  /* Over HTTP/2 too each range has a connection of its own: streams share one
     window, and a paused one would hold memory that no budget knows. */
  (void)curl_multi_setopt(cl->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
  (void)curl_multi_setopt(cl->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
  (void)curl_multi_setopt(cl->multi, CURLMOPT_TIMERDATA, cl);
  (void)uv_timer_init(loop, &cl->timer);
  cl->timer.data = cl;
  return 0;
}

static void on_timer_closed(uv_handle_t *handle)
{
  struct tarn_curl_loop *cl = handle->data;

  if (--cl->n_closing == 0)
    tarn_closer_drop(cl->closer);
}

void tarn_curl_loop_close(struct tarn_curl_loop *cl, struct tarn_closer *closer)
{
  struct tarn_sigpipe saved;
  struct tarn_list *link;

  tarn_defer_cancel(&cl->step);
  /* Sockets of the connection cache are closed here, by our callback. */
  tarn_sigpipe_block(&saved);
  (void)curl_multi_cleanup(cl->multi);
  tarn_sigpipe_restore(&saved);
  while ((link = tarn_list_first(&cl->sockets)))
    drop_sock(TARN_CONTAINER(link, struct sock, link));
  tarn_closer_hold(closer);
  cl->closer = closer;
  cl->n_closing++;
  uv_close((uv_handle_t *)&cl->timer, on_timer_closed);
}

void tarn_curl_loop_prepare(struct tarn_curl_loop *cl, CURL *easy)
{
  (void)curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
  (void)curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, cl);
  (void)curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
  (void)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  /* Without it, canceling while a name is looked up waits for the answer. */
  (void)curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
}

void tarn_curl_loop_add(struct tarn_curl_loop *cl, struct tarn_curl_req *req)
{
  req->added = false;
  req->paused = false;
  tarn_list_init(&req->link);
  tarn_list_init(&req->active);
  (void)curl_easy_setopt(req->easy, CURLOPT_PRIVATE, req);
  tarn_list_append(&cl->adds, &req->link);
  tarn_defer_schedule(cl->defers, &cl->step);
}

void tarn_curl_loop_remove(struct tarn_curl_loop *cl, struct tarn_curl_req *req)
{
  struct tarn_sigpipe saved;

  tarn_list_remove(&req->link);
  if (!req->added)
    return;
  req->added = false;
  tarn_list_remove(&req->active);
  tarn_sigpipe_block(&saved);
  (void)curl_multi_remove_handle(cl->multi, req->easy);
  tarn_sigpipe_restore(&saved);
}

bool tarn_curl_loop_may_take(struct tarn_curl_loop *cl, size_t len)
{
  if (cl->call_bytes >= TARN_CURL_CALL_SHARE)
    return false;
  cl->call_bytes += len;
  return true;
}

void tarn_curl_loop_resume(struct tarn_curl_loop *cl, struct tarn_curl_req *req)
{
  if (!req->paused)
    return;
  if (tarn_list_empty(&req->link))
    tarn_list_append(&cl->resumes, &req->link);
  tarn_defer_schedule(cl->defers, &cl->step);
}
