#include "mini_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void *serve_connection(void *arg)
{
  struct mini_connection *c = arg;
  int fd = atomic_load(&c->fd);

  c->server->serve(c->server, fd, c->server->user);
  if (atomic_exchange(&c->fd, -1) >= 0)
    (void)close(fd);
  return NULL;
}

static void *accept_all(void *arg)
{
  struct mini_server *s = arg;
  int fd;

  while (s->n < MINI_CONNECTIONS &&
         (fd = accept(s->listener, NULL, NULL)) >= 0) {
    struct mini_connection *c = &s->connections[s->n];

    c->server = s;
    atomic_store(&c->fd, fd);
    if (pthread_create(&c->thread, NULL, serve_connection, c) != 0)
      break;
    s->n++;
  }
  return NULL;
}

void mini_server_start(struct mini_server *s,
                       void (*serve)(struct mini_server *s, int fd, void *user),
                       void *user)
{
  struct sockaddr_in address;
  socklen_t len = sizeof address;

  memset(s, 0, sizeof *s);
  s->serve = serve;
  s->user = user;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(s->listener >= 0);
  assert_int_equal(
      bind(s->listener, (const struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(s->listener, 64), 0);
  assert_int_equal(getsockname(s->listener, (struct sockaddr *)&address, &len),
                   0);
  s->port = ntohs(address.sin_port);
  assert_int_equal(pthread_create(&s->acceptor, NULL, accept_all, s), 0);
}

void mini_server_stop(struct mini_server *s)
{
  unsigned i;
  int fd;

  (void)shutdown(s->listener, SHUT_RDWR);
  (void)pthread_join(s->acceptor, NULL);
  (void)close(s->listener);
  for (i = 0; i < s->n; i++) {
    /* The thread closes it: here it is only woken. */
    fd = atomic_load(&s->connections[i].fd);
    if (fd >= 0)
      (void)shutdown(fd, SHUT_RDWR);
    (void)pthread_join(s->connections[i].thread, NULL);
  }
}

bool mini_server_head(struct mini_server *s, int fd, char *head, size_t cap)
{
  size_t n = 0;

  while (n + 1 < cap && recv(fd, head + n, 1, 0) == 1) {
    head[++n] = '\0';
    if (n >= 4 && memcmp(head + n - 4, "\r\n\r\n", 4) == 0) {
      (void)atomic_fetch_add(&s->n_heads, 1);
      return true;
    }
  }
  return false;
}

bool mini_server_bytes(int fd, const void *ptr, size_t len)
{
  const char *p = ptr;

  while (len > 0) {
    ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

    if (n <= 0)
      return false;
    p += n;
    len -= (size_t)n;
  }
  return true;
}

bool mini_server_text(int fd, const char *text)
{
  return mini_server_bytes(fd, text, strlen(text));
}

void mini_server_reset(int fd)
{
  const struct linger now = {1, 0};

  (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}
