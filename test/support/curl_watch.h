/*
 * Looks at every call into libcurl and at every watch of a socket, by the
 * linker's --wrap: asserts that no call is made from inside a libcurl
 * callback, that each succeeds, and that no descriptor is closed while a
 * watcher has it; counts what one call hands out; makes up errors of the poll.
 *
 *   curl_watch_begin(&loop);
 *   seen.fake_error = 1;      // the next watch gets a false POLLERR
 *   ... run the loop ...
 *   curl_watch_end();
 *
 * Memory: one struct for the program. Threads: the loop's; closes of others
 * pass unseen.
 */
#ifndef TARN_TEST_CURL_WATCH_H
#define TARN_TEST_CURL_WATCH_H

#include <curl/curl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct curl_watch {
  unsigned depth;    /* calls that may call back and have not returned */
  size_t call_bytes; /* handed out in the outermost of them */
  size_t most_bytes;
  unsigned fake_error; /* the n-th watch from now gets a false POLLERR */
  unsigned n_fakes, n_rearmed, n_told;
  bool keep; /* libcurl goes on with a socket that had an error */
  uv_poll_t *faked;
  uv_loop_t *loop;  /* whose watchers are looked at; NULL: none */
  pthread_t thread; /* the loop's */
};

extern struct curl_watch seen;

/* Everything from zero. Before other threads start. */
void curl_watch_begin(uv_loop_t *loop);
void curl_watch_end(void);

#endif
