#include "os_harness.h"

bool os_use_openat2(void **state)
{
  const bool *use_openat2 = *state;

  return *use_openat2;
}

static int run_one_way(struct CMUnitTest *tests, size_t n_tests,
                       bool use_openat2)
{
  size_t i;

  for (i = 0; i < n_tests; i++)
    tests[i].initial_state = &use_openat2;
  /* What the macro calls; the macro takes arrays only. */
  return _cmocka_run_group_tests(use_openat2 ? "openat2" : "walk", tests,
                                 n_tests, NULL, NULL);
}

int os_run(struct CMUnitTest *tests, size_t n_tests, CMFixtureFunction set_up,
           CMFixtureFunction tear_down)
{
  size_t i;
  int failed;

  for (i = 0; i < n_tests; i++) {
    tests[i].setup_func = set_up;
    tests[i].teardown_func = tear_down;
  }
  failed = run_one_way(tests, n_tests, true);
  return failed + run_one_way(tests, n_tests, false);
}
