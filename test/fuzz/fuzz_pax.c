/*
 * Any bytes as pax records, in one piece and again behind others: what is
 * understood keeps every promise of pax.h, and parsing the same bytes twice
 * gives the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/pax.h"
#include "archive/tar_header.h"
#include "base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct tarn_pax *p, unsigned bit,
                       const struct tarn_pax_text *text, const char *buf,
                       size_t size)
{
  if (!(p->has & bit))
    return;
  TARN_CHECK(text->len > 0 && text->ptr >= buf);
  TARN_CHECK((size_t)(text->ptr - buf) + text->len < size);
  TARN_CHECK(text->ptr[text->len] == '\0');
}

static void check_xattrs(const struct tarn_pax *p)
{
  size_t i, k, sum = 0;

  TARN_CHECK(p->n_xattrs <= TARN_PAX_MAX_XATTRS);
  for (i = 0; i < p->n_xattrs; i++) {
    TARN_CHECK(p->xattrs[i].name[0] != '\0');
    for (k = 0; k < i; k++)
      TARN_CHECK(strcmp(p->xattrs[i].name, p->xattrs[k].name) != 0);
    for (k = 0; k < p->xattrs[i].len; k++)
      sum += p->xattrs[i].value[k];
  }
  TARN_CHECK(sum < SIZE_MAX);
}

static void check(const struct tarn_pax *p, const char *buf, size_t size)
{
  size_t i;

  check_text(p, TARN_PAX_PATH, &p->path, buf, size);
  check_text(p, TARN_PAX_LINKPATH, &p->linkpath, buf, size);
  check_text(p, TARN_PAX_UNAME, &p->uname, buf, size);
  check_text(p, TARN_PAX_GNAME, &p->gname, buf, size);
  check_text(p, TARN_PAX_ACL_ACCESS, &p->acl_access, buf, size);
  check_text(p, TARN_PAX_ACL_DEFAULT, &p->acl_default, buf, size);
  check_text(p, TARN_PAX_SPARSE_NAME, &p->sparse_name, buf, size);
  check_text(p, TARN_PAX_SPARSE_MAP, &p->sparse_map, buf, size);
  check_text(p, TARN_PAX_SUN_HOLES, &p->sun_holes, buf, size);
  if (p->has & TARN_PAX_SIZE)
    TARN_CHECK(p->size <= TARN_TAR_MAX_SIZE);
  if (p->has & TARN_PAX_SPARSE_SIZE)
    TARN_CHECK(p->sparse_size <= TARN_TAR_MAX_SIZE);
  if (p->has & TARN_PAX_SPARSE_REAL)
    TARN_CHECK(p->sparse_real <= TARN_TAR_MAX_SIZE);
  if (p->has & TARN_PAX_STAR_REAL)
    TARN_CHECK(p->star_real <= TARN_TAR_MAX_SIZE);
  if (p->has & TARN_PAX_MTIME)
    TARN_CHECK(p->mtime.nsec < 1000000000);
  TARN_CHECK(p->n_pairs <= p->cap_pairs);
  for (i = 0; i < p->n_pairs; i++)
    TARN_CHECK(p->pairs[i].at <= TARN_TAR_MAX_SIZE &&
               p->pairs[i].len <= TARN_TAR_MAX_SIZE);
  check_xattrs(p);
}

static int parse_copy(struct tarn_pax *p, char **copy, const uint8_t *data,
                      size_t size)
{
  struct tarn_err err;
  int rc;

  /* The NUL behind all records is the caller's promise. */
  *copy = malloc(size + 1);
  if (!*copy)
    abort();
  memcpy(*copy, data, size);
  (*copy)[size] = '\0';
  rc = tarn_pax_parse(p, *copy, size, 0, &err);
  TARN_CHECK(rc == 0 || (rc < 0 && err.code == rc && err.text[0] != '\0'));
  return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct tarn_pax once, twice;
  char *a, *b;
  int rc;

  tarn_pax_init(&once);
  tarn_pax_init(&twice);
  rc = parse_copy(&once, &a, data, size);
  if (rc == 0) {
    check(&once, a, size + 1);
    TARN_CHECK(parse_copy(&twice, &b, data, size) == 0);
    free(b);
    tarn_pax_clear(&twice);
    TARN_CHECK(parse_copy(&twice, &b, data, size) == 0);
    TARN_CHECK(once.has == twice.has && once.erased == twice.erased);
    TARN_CHECK(once.n_xattrs == twice.n_xattrs);
    TARN_CHECK(once.n_pairs == twice.n_pairs);
    check(&twice, b, size + 1);
    free(b);
  }
  free(a);
  tarn_pax_close(&once);
  tarn_pax_close(&twice);
  return 0;
}
