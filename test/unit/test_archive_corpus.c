#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tar_log.h"

/*
 * Archives of one tree in every format (data/dotnet-tar, MIT), and what
 * GNU tar lists of them: "== archive", then a name a line.
 */

struct text {
  char *data;
  size_t len;
};

static void read_stream(FILE *f, struct text *t)
{
  size_t cap = 0, n;

  t->data = NULL;
  t->len = 0;
  do {
    if (cap - t->len < 65536) {
      cap = 2 * cap + 65536;
      t->data = realloc(t->data, cap + 1);
      assert_non_null(t->data);
    }
    n = fread(t->data + t->len, 1, cap - t->len, f);
    t->len += n;
  } while (n > 0);
  t->data[t->len] = '\0';
}

static void read_archive(const char *name, struct text *t)
{
  bool packed = strcmp(name + strlen(name) - 3, ".gz") == 0;
  char command[1024];
  FILE *f;

  (void)snprintf(command, sizeof command,
                 packed ? "gzip -dc '%s/dotnet-tar/%s'" : "%s/dotnet-tar/%s",
                 TARN_TEST_DATA, name);
  f = packed ? popen(command, "r") : fopen(command, "rb");
  assert_non_null(f);
  read_stream(f, t);
  assert_int_equal(packed ? pclose(f) : fclose(f), 0);
}

static void check_archive(const char *name, const char *names, size_t len)
{
  struct tar_log log, cut;
  struct text t;
  unsigned seed = 7;

  read_archive(name, &t);
  tar_log_read(&log, (uint8_t *)t.data, t.len, tar_log_whole, NULL, NULL,
               false);
  if (log.rc != 0 || log.n_warnings != 0 || log.n_refused != 0 ||
      log.names_len != len || memcmp(log.names, names, len) != 0)
    print_error("%s:\n%s", name, log.text);
  assert_int_equal(log.rc, 0);
  assert_int_equal(log.n_warnings, 0);
  assert_int_equal(log.n_refused, 0);
  assert_int_equal(log.n_members, log.n_finished);
  assert_int_equal(log.names_len, len);
  assert_memory_equal(log.names, names, len);
  tar_log_read(&cut, (uint8_t *)t.data, t.len, tar_log_random, &seed, NULL,
               false);
  assert_string_equal(cut.text, log.text);
  tar_log_free(&cut);
  tar_log_free(&log);
  free(t.data);
}

static void every_archive_lists_as_with_gnu_tar(void **s)
{
  struct text listing;
  char *at, *end, *next;
  unsigned n = 0;
  FILE *f = fopen(TARN_TEST_DATA "/dotnet-tar/LISTING", "rb");

  (void)s;
  assert_non_null(f);
  read_stream(f, &listing);
  (void)fclose(f);
  for (at = listing.data; at; at = next) {
    assert_memory_equal(at, "== ", 3);
    end = strchr(at, '\n');
    assert_non_null(end);
    *end++ = '\0';
    next = end[0] == '=' && end[1] == '=' ? end : strstr(end, "\n== ");
    if (next && next != end)
      next++;
    check_archive(at + 3, end, next ? (size_t)(next - end) : strlen(end));
    n++;
  }
  assert_int_equal(n, 143);
  free(listing.data);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_archive_lists_as_with_gnu_tar),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
