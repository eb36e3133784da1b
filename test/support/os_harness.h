/*
 * Runs tests of what looks names up beneath a directory twice: with openat2
 * and with the walk that stands in for it.
 *
 *   static int set_up(void **state)
 *   {
 *     ... tarn_beneath_init(&f->b, fd, os_use_openat2(state));
 *     *state = f;
 *   }
 *
 *   int main(void)
 *   {
 *     struct CMUnitTest tests[] = {...};
 *
 *     return os_run(tests, sizeof tests / sizeof tests[0], set_up, tear_down);
 *   }
 *
 * Memory: none is held. Threads: one.
 */
#ifndef TARN_TEST_OS_HARNESS_H
#define TARN_TEST_OS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* For a set-up function, before it writes *state. */
bool os_use_openat2(void **state);
/* Returns how many tests failed. */
int os_run(struct CMUnitTest *tests, size_t n_tests, CMFixtureFunction set_up,
           CMFixtureFunction tear_down);

#endif
