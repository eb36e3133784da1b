#include "tar_expect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { CUTS = 20 };

void tar_read_whole(struct tar_log *log, const struct tar_make *t, bool proven)
{
  tar_log_read(log, t->data, t->len, tar_log_whole, NULL, NULL, proven);
}

/* Reads whole, byte by byte and cut at random: all must tell the same. */
static void read_all_ways(struct tar_log *log, const struct tar_make *t,
                          const struct tarn_tar_options *opts, bool proven)
{
  struct tar_log other;
  unsigned seed, state;

  tar_log_read(log, t->data, t->len, tar_log_whole, NULL, opts, proven);
  tar_log_read(&other, t->data, t->len, tar_log_byte, NULL, opts, proven);
  assert_string_equal(other.text, log->text);
  tar_log_free(&other);
  for (seed = 1; seed <= CUTS; seed++) {
    state = seed;
    tar_log_read(&other, t->data, t->len, tar_log_random, &state, opts, proven);
    assert_string_equal(other.text, log->text);
    assert_int_equal(other.rc, log->rc);
    tar_log_free(&other);
  }
}

void tar_expect(struct tar_make *t, const struct tarn_tar_options *opts, int rc,
                const char *lines)
{
  char want[1024];
  const char *from, *found, *bar;
  struct tar_log log;
  size_t len;

  read_all_ways(&log, t, opts, true);
  if (log.rc != rc)
    print_error("%s", log.text);
  assert_int_equal(log.rc, rc);
  assert_true(rc < 0 || log.n_members == log.n_finished);
  from = log.text;
  for (; *lines; lines += len + (bar ? 1 : 0)) {
    bar = strchr(lines, '|');
    len = bar ? (size_t)(bar - lines) : strlen(lines);
    assert_true(len < sizeof want);
    memcpy(want, lines, len);
    want[len] = '\0';
    found = strstr(from, want);
    if (!found)
      print_error("no \"%s\" in:\n%s", want, log.text);
    assert_non_null(found);
    from = found + len;
  }
  tar_log_free(&log);
  tar_make_free(t);
}

void tar_expect_without(struct tar_make *t, const char *unwanted)
{
  struct tar_log log;

  tar_read_whole(&log, t, true);
  assert_null(strstr(log.text, unwanted));
  tar_log_free(&log);
}
