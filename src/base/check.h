/*
 * Invariants that stay checked in every build.
 *
 * TARN_CHECK states what the program's own logic guarantees. It is never used
 * on input: no archive and no server can make one fail.
 */
#ifndef TARN_BASE_CHECK_H
#define TARN_BASE_CHECK_H

#include <stdlib.h>

#define TARN_CHECK(condition)                                                  \
  do {                                                                         \
    if (!(condition))                                                          \
      abort();                                                                 \
  } while (0)

/* The struct that holds member `member` at `ptr`. */
#define TARN_CONTAINER(ptr, type, member)                                      \
  ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#endif
