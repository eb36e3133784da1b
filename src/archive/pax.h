/*
 * Records of pax extended headers (POSIX.1-2001, "pax Interchange Format"):
 * "LENGTH KEYWORD=VALUE\n", one after another.
 *
 *   rc = tarn_pax_parse(&pax, buf, len, at, err);
 *   if (rc == 0 && (pax.has & TARN_PAX_SIZE)) size = pax.size;
 *
 * Understood: path linkpath size uid gid uname gname mtime hdrcharset (names
 * stay bytes either way); SCHILY.acl.access and .default; SCHILY.xattr.*,
 * LIBARCHIVE.xattr.* and RHT.security.selinux; what describes sparse files:
 * GNU.sparse.*, SCHILY.realsize, SUN.holesdata. Any other keyword is ignored.
 * The last record of a keyword counts (GNU.sparse.offset and .numbytes are a
 * list); one with an empty value takes the keyword back.
 *
 * Memory: strings point into the caller's buffer, which is changed in place;
 * an array of at most TARN_PAX_MAX_XATTRS attributes and one of 16 bytes for
 * each GNU.sparse.offset are kept for reuse.
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
  TARN_PAX_ACL_ACCESS = 1 << 8,
  TARN_PAX_ACL_DEFAULT = 1 << 9,
  TARN_PAX_SPARSE_NAME = 1 << 10, /* GNU.sparse.name: the real path */
  TARN_PAX_SPARSE_MAJOR = 1 << 11,
  TARN_PAX_SPARSE_MINOR = 1 << 12,
  TARN_PAX_SPARSE_SIZE = 1 << 13,   /* GNU.sparse.size, of version 0 */
  TARN_PAX_SPARSE_REAL = 1 << 14,   /* GNU.sparse.realsize, of version 1 */
  TARN_PAX_SPARSE_BLOCKS = 1 << 15, /* GNU.sparse.numblocks */
  TARN_PAX_SPARSE_MAP = 1 << 16,    /* GNU.sparse.map, of version 0.1 */
  TARN_PAX_SPARSE_LIST = 1 << 17,   /* GNU.sparse.offset, .numbytes: 0.0 */
  TARN_PAX_STAR_REAL = 1 << 18,     /* SCHILY.realsize */
  TARN_PAX_SUN_HOLES = 1 << 19      /* SUN.holesdata */
};

/* Any of GNU.sparse.*. */
#define TARN_PAX_SPARSE                                                        \
  (TARN_PAX_SPARSE_NAME | TARN_PAX_SPARSE_MAJOR | TARN_PAX_SPARSE_MINOR |      \
   TARN_PAX_SPARSE_SIZE | TARN_PAX_SPARSE_REAL | TARN_PAX_SPARSE_BLOCKS |      \
   TARN_PAX_SPARSE_MAP | TARN_PAX_SPARSE_LIST)

struct tarn_pax_text {
  const char *ptr; /* ends with a NUL; one may be inside, which is refused by
                      whoever uses it as a name */
  size_t len;
};

/* One GNU.sparse.offset and the GNU.sparse.numbytes behind it. */
struct tarn_pax_pair {
  uint64_t at, len;
};

struct tarn_pax {
  unsigned has;    /* enum tarn_pax_keyword: which of the following are set */
  unsigned erased; /* which had an empty value: they hide a global one */
  struct tarn_pax_text path, linkpath, uname, gname;
  struct tarn_pax_text acl_access, acl_default;
  struct tarn_pax_text sparse_name, sparse_map, sun_holes;
  uint64_t size;
  uint64_t sparse_major, sparse_minor, sparse_size, sparse_real, sparse_blocks;
  uint64_t star_real;
  uint64_t uid, gid; /* a negative one stays itself modulo 2^64 */
  struct tarn_time mtime;
  struct tarn_xattr *xattrs;
  size_t n_xattrs, cap_xattrs;
  /* Bit n: attribute n does not come from SCHILY.xattr, which wins. */
  uint8_t weak[TARN_PAX_MAX_XATTRS / 8];
  struct tarn_pax_pair *pairs;
  size_t n_pairs, cap_pairs;
  bool half_pair; /* an offset waits for its numbytes */
  bool bad_pairs; /* they did not alternate */
};

void tarn_pax_init(struct tarn_pax *p);
void tarn_pax_close(struct tarn_pax *p);
/* Forgets all records. */
void tarn_pax_clear(struct tarn_pax *p);

/* Forgets attributes and GNU.sparse.offset only. */
void tarn_pax_clear_lists(struct tarn_pax *p);

/*
 * Adds the records in `len` bytes at `buf` to *p. `at` is the offset of the
 * first in the stream, for errors. NULs behind the last record are padding.
 * TARN_EDATA for anything that is not a record, TARN_ELIMIT, TARN_ENOMEM.
 */
int tarn_pax_parse(struct tarn_pax *p, char *buf, size_t len, uint64_t at,
                   struct tarn_err *err);

#endif
