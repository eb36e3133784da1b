/*
 * Writing without the signal: a socket or pipe whose reader is gone must give
 * EPIPE, whatever the host program does with SIGPIPE.
 *
 * The signal is blocked on this thread for the while, taken back when it came
 * and was not waiting before. No handler is touched (see sigaction's effect
 * on other threads).
 *
 *   tarn_sigpipe_block(&saved);
 *   ... write ...
 *   tarn_sigpipe_restore(&saved);
 *
 * Memory: none. Threads: any, on the same thread for both calls.
 */
#ifndef TARN_LOOP_SIGPIPE_H
#define TARN_LOOP_SIGPIPE_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

struct tarn_sigpipe {
  sigset_t old;
  bool was_pending;
};

static inline void tarn_sigpipe_block(struct tarn_sigpipe *s)
{
  sigset_t pipe_set, pending;

  (void)sigemptyset(&pipe_set);
  (void)sigaddset(&pipe_set, SIGPIPE);
  (void)sigemptyset(&pending);
  (void)sigpending(&pending);
  s->was_pending = sigismember(&pending, SIGPIPE) == 1;
  (void)pthread_sigmask(SIG_BLOCK, &pipe_set, &s->old);
}

static inline void tarn_sigpipe_restore(const struct tarn_sigpipe *s)
{
  static const struct timespec now = {0, 0};
  sigset_t pipe_set, pending;

  (void)sigemptyset(&pipe_set);
  (void)sigaddset(&pipe_set, SIGPIPE);
  (void)sigemptyset(&pending);
  (void)sigpending(&pending);
  if (!s->was_pending && sigismember(&pending, SIGPIPE) == 1)
    (void)sigtimedwait(&pipe_set, NULL, &now);
  (void)pthread_sigmask(SIG_SETMASK, &s->old, NULL);
}

#endif
