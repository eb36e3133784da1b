/*
 * Any bytes as an FA1 archive. Read whole and in pieces whose lengths come from
 * the bytes themselves; both readings must tell the same, and every promise of
 * fa1_read.h is checked. The first byte chooses the checksum: a real one, or
 * one that is always 0, so that blind changes are not all held back by it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/fa1_read.h"
#include "base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What hangs on a file. */
struct told {
  uint64_t len, hash;
  bool open;
  struct told *next;
};

struct reading {
  struct tarn_fa1_read *r;
  struct tarn_err err;
  struct told *all;
  uint64_t hash;
  unsigned n_open;
  int rc;
};

static uint64_t no_crc(uint64_t crc, const void *ptr, size_t len)
{
  (void)ptr;
  TARN_CHECK(len > 0);
  return crc;
}

static uint64_t some_crc(uint64_t crc, const void *ptr, size_t len)
{
  const uint8_t *p = ptr;

  TARN_CHECK(len > 0);
  while (len-- > 0)
    crc = crc * 31 + *p++;
  return crc;
}

static uint64_t mixed(uint64_t hash, const void *ptr, size_t len)
{
  const uint8_t *p = ptr;
  size_t i;

  for (i = 0; i < len; i++)
    hash = (hash ^ p[i]) * 1099511628211u;
  return hash;
}

static void mix_number(struct reading *d, uint64_t n)
{
  d->hash = mixed(d->hash, &n, sizeof n);
}

static void on_member(struct reading *d)
{
  const struct tarn_entry *e = tarn_fa1_read_entry(d->r);
  struct told *t = calloc(1, sizeof *t);

  TARN_CHECK(t && !tarn_fa1_read_user(d->r));
  TARN_CHECK(e->path_len > 0 && strlen(e->path) == e->path_len);
  TARN_CHECK(e->type == TARN_ENTRY_FILE || e->type == TARN_ENTRY_DIR);
  TARN_CHECK(e->mode <= 07777 && e->no_mtime && e->size == 0);
  t->open = true;
  t->next = d->all;
  d->all = t;
  d->n_open++;
  TARN_CHECK(d->n_open <= TARN_FA1_MAX_OPEN + 1);
  tarn_fa1_read_set_user(d->r, t);
  d->hash = mixed(d->hash, e->path, e->path_len);
  mix_number(d, e->uid ^ e->gid << 32 ^ (uint64_t)e->mode << 16 ^ e->type);
}

static void on_body(struct reading *d, const uint8_t *ptr, size_t used)
{
  struct told *t = tarn_fa1_read_user(d->r);
  size_t len = tarn_fa1_read_body_len(d->r);

  TARN_CHECK(t && t->open && len > 0 && len <= used);
  TARN_CHECK(tarn_fa1_read_body_at(d->r) == t->len);
  t->hash = mixed(t->hash, ptr + used - len, len);
  t->len += len;
}

static void on_finish(struct reading *d)
{
  struct told *t = tarn_fa1_read_user(d->r);

  TARN_CHECK(t && t->open);
  t->open = false;
  d->n_open--;
  mix_number(d, t->hash);
  mix_number(d, t->len);
}

static void on_event(struct reading *d, const uint8_t *ptr, size_t used)
{
  switch (d->rc) {
  case TARN_FA1_MEMBER:
    on_member(d);
    break;
  case TARN_FA1_BODY:
    on_body(d, ptr, used);
    break;
  case TARN_FA1_FINISH:
    on_finish(d);
    break;
  case TARN_FA1_WARNING:
    d->hash = mixed(d->hash, tarn_fa1_read_warning(d->r),
                    strlen(tarn_fa1_read_warning(d->r)));
    break;
  case TARN_FA1_REFUSED:
    TARN_CHECK(d->err.code < 0);
    d->hash = mixed(d->hash, d->err.text, strlen(d->err.text));
    break;
  default:
    TARN_CHECK(d->rc <= 0);
  }
}

static void feed(struct reading *d, const uint8_t *data, size_t len)
{
  uint8_t *copy = malloc(len ? len : 1), *ptr = copy;
  size_t used;

  TARN_CHECK(copy);
  memcpy(copy, data, len);
  do {
    d->rc = tarn_fa1_read_step(d->r, ptr, len, &used, &d->err);
    TARN_CHECK(used <= len);
    on_event(d, ptr, used);
    ptr += used;
    len -= used;
  } while (d->rc > 0);
  TARN_CHECK(d->rc < 0 || len == 0);
  free(copy);
}

static uint64_t read_all(const uint8_t *data, size_t size, bool cut,
                         tarn_crc64_fn crc)
{
  struct reading d = {.hash = 14695981039346656037u};
  struct told *t;
  size_t at = 0, n;

  if (tarn_fa1_read_new(&d.r, crc, &d.err) < 0)
    abort();
  for (; at < size && d.rc == 0; at += n) {
    n = cut ? (size_t)data[at] % 40 + 1 : size;
    n = n < size - at ? n : size - at;
    feed(&d, data + at, n);
  }
  while (d.rc == 0 && (d.rc = tarn_fa1_read_end(d.r, false, &d.err)) > 0) {
    TARN_CHECK(d.rc != TARN_FA1_BODY);
    on_event(&d, NULL, 0);
    d.rc = 0;
  }
  TARN_CHECK(d.rc < 0 || (d.n_open == 0 && tarn_fa1_read_at(d.r) == size));
  if (d.rc < 0)
    d.hash = mixed(d.hash, d.err.text, strlen(d.err.text));
  mix_number(&d, (uint64_t)(int64_t)d.rc);
  tarn_fa1_read_free(d.r);
  while ((t = d.all)) {
    d.all = t->next;
    free(t);
  }
  return d.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  tarn_crc64_fn crc;

  if (size == 0)
    return 0;
  crc = data[0] & 1 ? some_crc : no_crc;
  TARN_CHECK(read_all(data + 1, size - 1, false, crc) ==
             read_all(data + 1, size - 1, true, crc));
  return 0;
}
