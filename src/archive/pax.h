/*
 * Records of pax extended headers (POSIX.1-2001, "pax Interchange Format"):
 * "LENGTH KEYWORD=VALUE\n", one after another.
 *
 *   rc = tarn_pax_parse(&pax, buf, len, at, err);
 *   if (rc == 0 && (pax.has & TARN_PAX_SIZE)) size = pax.size;
 *
 * Understood: path linkpath size uid gid uname gname mtime hdrcharset (names
 * stay bytes either way), SCHILY.xattr.*, GNU.sparse.* (noted only). Any other
 * keyword is ignored. The last record of a keyword counts; one with an empty
 * value takes the keyword back.
 *
 * Memory: strings point into the caller's buffer, which is changed in place;
 * an array of at most TARN_PAX_MAX_XATTRS attributes is kept for reuse.
 * Threads: the owner's.
 */
#ifndef TARN_ARCHIVE_PAX_H
#define TARN_ARCHIVE_PAX_H

#include "archive/entry.h"
#include "base/err.h"

#define TARN_PAX_MAX_XATTRS 1024

enum tarn_pax_keyword {
  TARN_PAX_PATH = 1 << 0,
  TARN_PAX_LINKPATH = 1 << 1,
  TARN_PAX_SIZE = 1 << 2,
  TARN_PAX_UID = 1 << 3,
  TARN_PAX_GID = 1 << 4,
  TARN_PAX_UNAME = 1 << 5,
  TARN_PAX_GNAME = 1 << 6,
  TARN_PAX_MTIME = 1 << 7,
  TARN_PAX_SPARSE = 1 << 8,     /* some GNU.sparse keyword */
  TARN_PAX_SPARSE_NAME = 1 << 9 /* GNU.sparse.name: the real path */
};

struct tarn_pax_text {
  const char *ptr; /* ends with a NUL; one may be inside, which is refused by
                      whoever uses it as a name */
  size_t len;
};

struct tarn_pax {
  unsigned has;    /* enum tarn_pax_keyword: which of the following are set */
  unsigned erased; /* which had an empty value: they hide a global one */
  struct tarn_pax_text path, linkpath, uname, gname, sparse_name;
  uint64_t size;
  uint64_t uid, gid; /* a negative one stays itself modulo 2^64 */
  struct tarn_time mtime;
  struct tarn_xattr *xattrs;
  size_t n_xattrs, cap_xattrs;
};

void tarn_pax_init(struct tarn_pax *p);
void tarn_pax_close(struct tarn_pax *p);
/* Forgets all records. */
void tarn_pax_clear(struct tarn_pax *p);

/*
 * Adds the records in `len` bytes at `buf` to *p. `at` is the offset of the
 * first in the stream, for errors. NULs behind the last record are padding.
 * TARN_EDATA for anything that is not a record, TARN_ELIMIT, TARN_ENOMEM.
 */
int tarn_pax_parse(struct tarn_pax *p, char *buf, size_t len, uint64_t at,
                   struct tarn_err *err);

#endif
