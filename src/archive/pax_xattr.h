/*
 * Extended attributes in pax records, in the three ways they are written:
 *
 *   SCHILY.xattr.NAME=VALUE      star, GNU tar, bsdtar; "%3D" and "%25" in NAME
 *   LIBARCHIVE.xattr.NAME=BASE64 bsdtar; NAME is URL-encoded
 *   RHT.security.selinux=VALUE   GNU tar: the attribute security.selinux
 *
 *   rc = tarn_pax_xattr(&pax, &record, err);
 *
 * The first wins, whatever the order, where several name one attribute. Part
 * of pax.c.
 *
 * Memory: names and values are decoded in place. Threads: the owner's.
 */
#ifndef TARN_ARCHIVE_PAX_XATTR_H
#define TARN_ARCHIVE_PAX_XATTR_H

#include "archive/pax.h"

/* One record; key and value end with a NUL each. */
struct tarn_pax_record {
  char *key, *value;
  size_t key_len, len; /* len: of the value */
  uint64_t at;         /* offset in the stream */
};

/*
 * Adds what the record says to p->xattrs; nothing when it is about something
 * else. 0, TARN_EDATA (without a text) for a wrong value, TARN_ELIMIT,
 * TARN_ENOMEM.
 */
int tarn_pax_xattr(struct tarn_pax *p, const struct tarn_pax_record *r,
                   struct tarn_err *err);

#endif
