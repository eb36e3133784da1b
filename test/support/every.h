/*
 * How dense a test goes through the positions of its input: every one, or,
 * under a tool that makes it a hundred times slower, every n-th, where n is
 * TARN_TEST_EVERY in the environment. A prime, so that all places of a record
 * have their turn.
 */
#ifndef TARN_TEST_EVERY_H
#define TARN_TEST_EVERY_H

#include <stddef.h>
#include <stdlib.h>

static inline size_t test_every(void)
{
  const char *text = getenv("TARN_TEST_EVERY");
  size_t n = text ? (size_t)strtoul(text, NULL, 10) : 1;

  return n > 0 ? n : 1;
}

#endif
