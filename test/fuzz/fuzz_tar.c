/*
 * Any bytes as a tar archive. Read whole and in pieces whose lengths come from
 * the bytes themselves; both readings must tell the same, and every promise of
 * tar_read.h is checked.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/tar_header.h"
#include "archive/tar_read.h"
#include "base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed);
/* Part of libFuzzer, absent when a corpus is only replayed. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size,
                                              size_t max);

struct reading {
  struct tarn_tar_read *r;
  struct tarn_err err;
  uint64_t hash, body, size, sum;
  bool in_member, sparse;
  int rc;
};

static void mix(struct reading *d, const void *ptr, size_t len)
{
  const uint8_t *p = ptr;
  size_t i;

  for (i = 0; i < len; i++)
    d->hash = (d->hash ^ p[i]) * 1099511628211u;
}

static void mix_number(struct reading *d, uint64_t n)
{
  mix(d, &n, sizeof n);
}

static void on_member(struct reading *d)
{
  const struct tarn_entry *e = tarn_tar_read_entry(d->r);
  size_t i;

  TARN_CHECK(!d->in_member);
  TARN_CHECK(e->path_len > 0 && strlen(e->path) == e->path_len);
  TARN_CHECK(strlen(e->link) == e->link_len);
  TARN_CHECK(e->mtime.nsec < 1000000000 && e->mode <= 07777);
  TARN_CHECK(e->size <= TARN_TAR_MAX_SIZE);
  TARN_CHECK(!e->sparse || e->type == TARN_ENTRY_FILE);
  mix(d, e->path, e->path_len);
  mix(d, e->link, e->link_len);
  mix(d, e->uname, strlen(e->uname));
  mix(d, e->gname, strlen(e->gname));
  mix(d, e->acl_access, strlen(e->acl_access));
  mix(d, e->acl_default, strlen(e->acl_default));
  mix_number(d, e->size ^ e->uid << 7 ^ e->gid << 13 ^ e->mode);
  mix_number(d, (uint64_t)e->mtime.sec ^ e->mtime.nsec);
  for (i = 0; i < e->n_xattrs; i++) {
    mix(d, e->xattrs[i].name, strlen(e->xattrs[i].name));
    mix(d, e->xattrs[i].value, e->xattrs[i].len);
  }
  d->in_member = true;
  d->body = 0;
  d->size = e->size;
  d->sparse = e->sparse;
}

/* Zeros of a stored hole may come or not: it depends on the pieces. */
static void mix_sparse(struct reading *d, const uint8_t *ptr, size_t len,
                       uint64_t at)
{
  size_t i;

  for (i = 0; i < len; i++)
    d->sum += (at + i + 1) * 0x9e3779b97f4a7c15u * ptr[i];
}

static void on_body(struct reading *d, const uint8_t *ptr, size_t len)
{
  uint64_t at = tarn_tar_read_body_at(d->r);

  TARN_CHECK(d->in_member && len > 0);
  TARN_CHECK(d->sparse ? at >= d->body : at == d->body);
  TARN_CHECK(at <= d->size && len <= d->size - at);
  if (d->sparse)
    mix_sparse(d, ptr, len, at);
  else
    mix(d, ptr, len);
  d->body = at + len;
}

static void on_event(struct reading *d, const uint8_t *ptr, size_t used)
{
  switch (d->rc) {
  case TARN_TAR_MEMBER:
    on_member(d);
    break;
  case TARN_TAR_BODY:
    on_body(d, ptr, used);
    break;
  case TARN_TAR_FINISH:
    TARN_CHECK(d->in_member && (d->sparse || d->body == d->size));
    mix_number(d, d->sum);
    d->sum = 0;
    d->in_member = false;
    break;
  case TARN_TAR_WARNING:
    mix(d, tarn_tar_read_warning(d->r), strlen(tarn_tar_read_warning(d->r)));
    break;
  case TARN_TAR_REFUSED:
    TARN_CHECK(!d->in_member && d->err.code < 0);
    mix(d, d->err.text, strlen(d->err.text));
    break;
  default:
    TARN_CHECK(d->rc <= 0);
  }
}

static void feed(struct reading *d, const uint8_t *ptr, size_t len)
{
  size_t used;

  do {
    d->rc = tarn_tar_read_step(d->r, ptr, len, &used, &d->err);
    TARN_CHECK(used <= len);
    on_event(d, ptr, used);
    ptr += used;
    len -= used;
  } while (d->rc > 0);
  TARN_CHECK(d->rc < 0 || len == 0);
}

static uint64_t read_all(const uint8_t *data, size_t size, bool cut,
                         const struct tarn_tar_options *opts)
{
  struct reading d = {.hash = 14695981039346656037u};
  size_t at = 0, n;

  if (tarn_tar_read_new(&d.r, opts, &d.err) < 0)
    abort();
  for (; at < size && d.rc == 0; at += n) {
    n = cut ? (size_t)data[at] * 3 + 1 : size;
    n = n < size - at ? n : size - at;
    feed(&d, data + at, n);
  }
  while (d.rc == 0 && (d.rc = tarn_tar_read_end(d.r, true, &d.err)) != 0) {
    TARN_CHECK(d.rc != TARN_TAR_BODY && d.rc != TARN_TAR_MORE);
    on_event(&d, NULL, 0);
    if (d.rc > 0)
      d.rc = 0;
    else
      break;
  }
  if (d.rc < 0)
    mix(&d, d.err.text, strlen(d.err.text));
  mix_number(&d, (uint64_t)(int64_t)d.rc);
  tarn_tar_read_free(d.r);
  return d.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const struct tarn_tar_options zeros = {.ignore_zeros = true};

  TARN_CHECK(read_all(data, size, false, NULL) ==
             read_all(data, size, true, NULL));
  TARN_CHECK(read_all(data, size, false, &zeros) ==
             read_all(data, size, true, &zeros));
  return 0;
}

static void put_sum(uint8_t *block)
{
  char text[8];
  unsigned sum = 0;
  size_t i;

  memset(block + 148, ' ', 8);
  for (i = 0; i < 512; i++)
    sum += block[i];
  (void)snprintf(text, sizeof text, "%06o", sum);
  memcpy(block + 148, text, 7);
}

/* Blocks with the map of a GNU sparse file, which are no headers. */
static size_t map_blocks(const uint8_t *data, size_t at, size_t size)
{
  bool more = data[at + 156] == 'S' &&
              memcmp(data + at + 257, "ustar ", 6) == 0 && data[at + 482] != 0;
  size_t n = 0;

  for (; more && at + 512 * (n + 2) <= size; n++)
    more = data[at + 512 * (n + 1) + 504] != 0;
  return n;
}

/* Checksums hold back blind changes: most times they are made right again. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
                               unsigned seed)
{
  size_t at = 0, blocks;
  int64_t body;

  size = LLVMFuzzerMutate(data, size, max);
  if (seed % 8 == 0)
    return size;
  while (at + 512 <= size) {
    if (tarn_tar_block_judge(data + at) == TARN_TAR_BLOCK_DAMAGED)
      put_sum(data + at);
    if (!tarn_tar_number(data + at + 124, 12, &body) || body < 0)
      body = 0;
    blocks = 1 + (size_t)(body / 512) + (body % 512 != 0);
    blocks += map_blocks(data, at, size);
    if (blocks > (size - at) / 512)
      break;
    at += 512 * blocks;
  }
  return size;
}
