#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sm.h"

enum { IDLE = 0, BUSY, DONE };

static const char *const names[] = {"idle", "busy", "done"};
static const uint32_t moves[] = {
    [IDLE] = 1u << BUSY, [BUSY] = 1u << IDLE | 1u << DONE, [DONE] = 0};
static const struct tarn_sm_table table = {"span", names, moves, 3};

static void a_machine_starts_in_state_0_and_moves_as_allowed(void **s)
{
  struct tarn_sm sm;

  (void)s;
  tarn_sm_init(&sm, &table, NULL);
  assert_int_equal(sm.state, IDLE);
  tarn_sm_to(&sm, BUSY);
  tarn_sm_to(&sm, IDLE);
  tarn_sm_to(&sm, BUSY);
  tarn_sm_to(&sm, DONE);
  assert_int_equal(sm.state, DONE);
}

/* The signal that ends a process which makes this move, or 0. */
static int signal_of_move(unsigned from, unsigned to)
{
  int status;
  pid_t child = fork();

  assert_true(child >= 0);
  if (child == 0) {
    struct tarn_sm sm;

    (void)signal(SIGABRT, SIG_DFL);
    tarn_sm_init(&sm, &table, NULL);
    sm.state = from;
    tarn_sm_to(&sm, to);
    _exit(0);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_move_that_is_not_in_the_table_aborts(void **s)
{
  (void)s;
  assert_int_equal(signal_of_move(IDLE, BUSY), 0);
  assert_int_equal(signal_of_move(IDLE, DONE), SIGABRT);
  assert_int_equal(signal_of_move(IDLE, IDLE), SIGABRT);
  assert_int_equal(signal_of_move(DONE, IDLE), SIGABRT);
  assert_int_equal(signal_of_move(BUSY, 3), SIGABRT);
  assert_int_equal(signal_of_move(BUSY, 40), SIGABRT);
}

static void keep_line(unsigned channel, const char *text, void *user)
{
  char *line = user;

  assert_int_equal(channel, TARN_TRACE_STATE);
  assert_true(strlen(text) < 100);
  memcpy(line, text, strlen(text) + 1);
}

static void every_move_is_traced_when_its_channel_is_on(void **s)
{
  char line[100] = "";
  struct tarn_trace trace = {TARN_TRACE_CURL, keep_line, line};
  struct tarn_sm sm;

  (void)s;
  tarn_sm_init(&sm, &table, &trace);
  tarn_sm_to(&sm, BUSY);
  assert_string_equal(line, "");
  trace.mask |= TARN_TRACE_STATE;
  tarn_sm_to(&sm, DONE);
  assert_string_equal(line, "span: busy -> done");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_machine_starts_in_state_0_and_moves_as_allowed),
      cmocka_unit_test(a_move_that_is_not_in_the_table_aborts),
      cmocka_unit_test(every_move_is_traced_when_its_channel_is_on),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
