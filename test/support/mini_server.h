/*
 * A loopback server of a few lines: each connection is served by a function of
 * the test, on a thread of its own, so that its timing is exactly the test's.
 *
 *   mini_server_start(&s, serve, user);       // s.port
 *   static void serve(struct mini_server *s, int fd, void *user)
 *   {
 *     char head[4096];
 *     while (mini_server_head(s, fd, head, sizeof head))
 *       mini_server_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
 *   }
 *   mini_server_stop(&s);    // closes what is open, waits for the threads
 *
 * Memory: the struct. Threads: serve runs on others; what it shares with the
 * test must be atomic or read behind mini_server_stop.
 */
#ifndef TARN_TEST_MINI_SERVER_H
#define TARN_TEST_MINI_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

enum { MINI_CONNECTIONS = 256 };

struct mini_server {
  int listener;
  unsigned port;
  void (*serve)(struct mini_server *s, int fd, void *user);
  void *user;
  pthread_t acceptor;
  struct mini_connection {
    struct mini_server *server;
    pthread_t thread;
    atomic_int fd; /* -1: closed */
  } connections[MINI_CONNECTIONS];
  unsigned n;
  atomic_uint n_heads;
};

void mini_server_start(struct mini_server *s,
                       void (*serve)(struct mini_server *s, int fd, void *user),
                       void *user);
void mini_server_stop(struct mini_server *s);

/* Reads one request head, terminated; false when the client has gone. */
bool mini_server_head(struct mini_server *s, int fd, char *head, size_t cap);
/* False when the client has gone. */
bool mini_server_bytes(int fd, const void *ptr, size_t len);
bool mini_server_text(int fd, const char *text);
/* The close that follows is a reset. */
void mini_server_reset(int fd);

#endif
