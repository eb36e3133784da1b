#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "archive/tar_read.h"
#include "tar_make.h"
#include "tar_make_sparse.h"

/* Allocations of the reader pass here: the one that `countdown` ends at fails.
 */
static int countdown;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *ptr, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *ptr, size_t size);

static int fails(void)
{
  return countdown > 0 && --countdown == 0;
}

void *__wrap_malloc(size_t size)
{
  return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
  return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *ptr, size_t size)
{
  return fails() ? NULL : __real_realloc(ptr, size);
}

/* Reads it all, whatever it tells; the code of the last step. */
static int read_all(const struct tar_make *t)
{
  struct tarn_tar_read *r;
  struct tarn_err err = {0};
  size_t at = 0, used;
  int rc = tarn_tar_read_new(&r, NULL, &err);

  if (rc < 0)
    return rc;
  do {
    rc = tarn_tar_read_step(r, t->data + at, t->len - at, &used, &err);
    at += used;
  } while (rc > 0);
  while (rc == 0 && at == t->len && (rc = tarn_tar_read_end(r, true, &err)) > 0)
    rc = 0;
  assert_true(rc == 0 || err.code == rc);
  if (rc < 0)
    assert_int_equal(tarn_tar_read_step(r, NULL, 0, &used, &err), rc);
  tarn_tar_read_free(r);
  return rc;
}

static void make(struct tar_make *t)
{
  struct tar_piece pieces[40];
  struct tar_sparse sparse = {TAR_GNU_S, "s", 40 * 1024, pieces, 40, 0};
  struct tar_make_records r = {0};
  char name[3000];
  int form, i;

  tar_make_everything(t);
  t->len -= 1024;
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = '\0';
  for (i = 0; i < 40; i++) {
    pieces[i].at = (uint64_t)i * 1024;
    pieces[i].len = 512;
  }
  for (form = 0; form < TAR_SPARSE_FORMS; form++) {
    sparse.form = (enum tar_sparse_form)form;
    (void)tar_make_sparse(t, &sparse);
  }
  for (i = 0; i < 20; i++) {
    char key[] = "SCHILY.xattr.user.a";

    key[sizeof key - 2] = (char)('a' + i);
    tar_make_record(&r, key, "value");
  }
  tar_make_record(&r, "uname", name);
  (void)tar_make_pax(t, 'x', &r);
  (void)tar_make_file(t, "f", "x", 1);
  (void)tar_make_pax1(t, 'g', "gname", name);
  (void)tar_make_long(t, 'L', name);
  (void)tar_make_long(t, 'K', name);
  (void)tar_make_link(t, '2', "l", "x");
  (void)tar_make_end(t);
}

static void any_allocation_may_fail_and_nothing_is_left(void **s)
{
  struct tar_make t = {0};
  int n = 0, rc;

  (void)s;
  make(&t);
  do {
    countdown = ++n;
    rc = read_all(&t);
    /* Still counting: so many allocations are not made. */
    assert_int_equal(rc, countdown > 0 ? 0 : TARN_ENOMEM);
  } while (rc != 0);
  countdown = 0;
  assert_true(n > 12);
  tar_make_free(&t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_allocation_may_fail_and_nothing_is_left),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
