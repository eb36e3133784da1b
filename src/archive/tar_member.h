/*
 * What a member of a tar archive is, from its header and the long headers
 * before it: the rules of types, names and sizes in one place.
 *
 *   rc = tarn_tar_member_make(&m, &header, &longs, at, &notes, err);
 *
 * Where pax and header disagree pax wins, for the size too: m->stored alone
 * tells where the next header is.
 *
 * Memory: strings point into the header and the long headers. Threads: any.
 */
#ifndef TARN_ARCHIVE_TAR_MEMBER_H
#define TARN_ARCHIVE_TAR_MEMBER_H

#include "archive/entry.h"
#include "archive/tar_long.h"
#include "archive/tar_sparse.h"

enum tarn_tar_member_kind {
  TARN_TAR_MEMBER_WHOLE = 0, /* its content is content of the entry */
  TARN_TAR_MEMBER_HOLLOW,    /* an entry whose stored bytes are not its own */
  TARN_TAR_MEMBER_REFUSED,   /* cannot be restored */
  TARN_TAR_MEMBER_LABEL      /* not a member: skip it, long headers wait on */
};

struct tarn_tar_member {
  enum tarn_tar_member_kind kind;
  struct tarn_entry entry; /* also for REFUSED, so that it can be named */
  uint64_t stored;         /* bytes behind the header, without padding */
  enum tarn_tar_sparse_form sparse; /* its map is not judged yet */
  int refused;                      /* REFUSED: the code, and */
  const char *why;                  /* its static text */
};

/*
 * 0, or TARN_EDATA when readers of the header would disagree about where the
 * next one is.
 */
int tarn_tar_member_make(struct tarn_tar_member *m,
                         const struct tarn_tar_header *h,
                         const struct tarn_tar_long *l, uint64_t at,
                         struct tarn_tar_notes *notes, struct tarn_err *err);

/* Makes it REFUSED, unless it is already. `why` is static. */
void tarn_tar_member_refuse(struct tarn_tar_member *m, int code,
                            const char *why);

/*
 * Fills *err and returns `code`: the readers this archive was made for disagree
 * about this member, and nothing behind it is safe.
 */
int tarn_tar_member_damage(const struct tarn_tar_member *m, int code,
                           const char *what, struct tarn_err *err);

#endif
