#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/trace.h"

struct seen {
  unsigned n, channel;
  char text[1024];
};

static void on_trace(unsigned channel, const char *text, void *user)
{
  struct seen *seen = user;

  seen->n++;
  seen->channel = channel;
  (void)snprintf(seen->text, sizeof seen->text, "%s", text);
}

static int count(int *n)
{
  return ++*n;
}

static void a_channel_in_the_mask_is_told(void **s)
{
  struct seen seen = {0};
  struct tarn_trace trace = {TARN_TRACE_DISK | TARN_TRACE_CURL, on_trace,
                             &seen};
  const struct tarn_trace *t = &trace;

  (void)s;
  TARN_TRACE(t, TARN_TRACE_DISK, "batch of %d: %s", 7, "x");
  assert_int_equal(seen.n, 1);
  assert_int_equal(seen.channel, TARN_TRACE_DISK);
  assert_string_equal(seen.text, "batch of 7: x");
}

static void a_channel_that_is_off_costs_not_even_its_arguments(void **s)
{
  struct seen seen = {0};
  struct tarn_trace trace = {TARN_TRACE_DISK, on_trace, &seen};
  const struct tarn_trace *t = &trace;
  const struct tarn_trace *none = NULL;
  int n = 0;

  (void)s;
  TARN_TRACE(t, TARN_TRACE_CURL, "%d", count(&n));
  TARN_TRACE(none, TARN_TRACE_CURL, "%d", count(&n));
  assert_int_equal(n, 0);
  assert_int_equal(seen.n, 0);
  TARN_TRACE(t, TARN_TRACE_DISK, "%d", count(&n));
  assert_int_equal(n, 1);
}

static void a_mask_without_a_callback_is_silent(void **s)
{
  struct tarn_trace trace = {~0u, NULL, NULL};
  const struct tarn_trace *t = &trace;

  (void)s;
  TARN_TRACE(t, TARN_TRACE_STATE, "nobody listens");
}

static void a_long_line_is_cut(void **s)
{
  struct seen seen = {0};
  struct tarn_trace trace = {~0u, on_trace, &seen};
  const struct tarn_trace *t = &trace;
  char text[800];

  (void)s;
  memset(text, 'a', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  TARN_TRACE(t, TARN_TRACE_MEMORY, "%s", text);
  assert_int_equal(strlen(seen.text), 511);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_channel_in_the_mask_is_told),
      cmocka_unit_test(a_channel_that_is_off_costs_not_even_its_arguments),
      cmocka_unit_test(a_mask_without_a_callback_is_silent),
      cmocka_unit_test(a_long_line_is_cut),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
