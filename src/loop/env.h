/*
 * What a context lends to everything that runs in it.
 */
#ifndef TARN_LOOP_ENV_H
#define TARN_LOOP_ENV_H

#include <sys/types.h>

#include "base/trace.h"
#include "loop/curl_loop.h"
#include "loop/defer.h"
#include "loop/work.h"

struct tarn_env {
  uv_loop_t *loop;
  struct tarn_defers defers;
  struct tarn_work work;
  struct tarn_curl_loop curl;
  struct tarn_trace trace;
  mode_t umask;
};

#endif
