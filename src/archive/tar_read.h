/*
 * Reading tar: a pure step machine over bytes, for get, extract and list.
 *
 * The caller hands it pieces of the decoded stream, cut anywhere. Each step
 * consumes some and returns one event.
 *
 *   rc = tarn_tar_read_new(&r, NULL, &err);
 *   do {
 *     rc = tarn_tar_read_step(r, ptr, len, &used, &err);
 *     switch (rc) {
 *     case TARN_TAR_MORE:    ... all of the piece is consumed
 *     case TARN_TAR_MEMBER:  ... tarn_tar_read_entry(r)
 *     case TARN_TAR_BODY:    ... `used` bytes at ptr are content,
 *                                at tarn_tar_read_body_at(r) in the file
 *     case TARN_TAR_FINISH:  ... the member is complete
 *     case TARN_TAR_WARNING: ... tarn_tar_read_warning(r)
 *     case TARN_TAR_REFUSED: ... the reason is in err
 *     default: error }
 *     ptr += used; len -= used;
 *   } while (rc > 0);
 *   rc = tarn_tar_read_end(r, proven, &err);
 *
 * Formats: v7, ustar (POSIX.1-1988), pax (POSIX.1-2001, "pax Interchange
 * Format"), GNU (long names K and L, base-256 numbers), old GNU, star, Solaris;
 * sparse files in all their forms (archive/tar_sparse.h).
 * Rules and their reasons: docs/formats.md.
 *
 * Memory: bounded by 1 MiB for each kind of long header (x, L, K, g), 4 MiB for
 * a sparse map and a few KiB, whatever the archive holds. Threads: the owner's.
 */
#ifndef TARN_ARCHIVE_TAR_READ_H
#define TARN_ARCHIVE_TAR_READ_H

#include "archive/entry.h"
#include "base/err.h"

enum tarn_tar_event {
  TARN_TAR_MORE = 0,
  TARN_TAR_MEMBER,  /* a member begins; an entry that needs a body gets it in
                       BODY events before FINISH */
  TARN_TAR_BODY,    /* content; between those of a sparse member, and behind
                       the last, are holes */
  TARN_TAR_FINISH,  /* comes for every MEMBER, with or without content */
  TARN_TAR_WARNING, /* text to report; reading goes on */
  TARN_TAR_REFUSED  /* this member cannot be restored (reason in *err); its
                       content is skipped, no FINISH comes; reading goes on */
};

struct tarn_tar_options {
  bool ignore_zeros; /* read on behind the end blocks */
};

struct tarn_tar_read;

/* Most bytes of a long header, and long headers in a row. */
#define TARN_TAR_MAX_HEADER   (1024 * 1024)
#define TARN_TAR_MAX_IN_A_ROW 16

/* TARN_ENOMEM. `opts` may be NULL. */
int tarn_tar_read_new(struct tarn_tar_read **r,
                      const struct tarn_tar_options *opts,
                      struct tarn_err *err);
void tarn_tar_read_free(struct tarn_tar_read *r); /* NULL is fine */

/*
 * One step: looks at up to `len` bytes at `ptr`, sets *used to how many are
 * consumed, returns an event or a TARN_E code. Events other than MORE may come
 * with *used == 0, and some wait when all input is consumed: a piece is done
 * when MORE says so, not when `len` is 0 (ptr may be NULL then, so that a
 * member is finished with its last byte). MORE always consumes everything. With
 * BODY the content is exactly the *used bytes at ptr: no copy is made. Errors
 * are final: TARN_EDATA (a damaged header, named with its offset),
 * TARN_ENOTARCHIVE (the very first header is none), TARN_ELIMIT, TARN_ENOMEM.
 */
int tarn_tar_read_step(struct tarn_tar_read *r, const uint8_t *ptr, size_t len,
                       size_t *used, struct tarn_err *err);

/*
 * The stream has ended. `proven` tells that the transport proved the length.
 * 0 when the end blocks were seen, or are missing behind a whole member while
 * `proven` (a warning is then waiting, see below). TARN_ETRUNCATED otherwise,
 * TARN_ENOTARCHIVE for an empty stream. May return an event that was waiting
 * first (WARNING, FINISH and others, never MORE or BODY): take it and call
 * again.
 */
int tarn_tar_read_end(struct tarn_tar_read *r, bool proven,
                      struct tarn_err *err);

/* The member of the last MEMBER or REFUSED event (the path of a REFUSED one
   may be empty or hold a NUL); valid until the next step. */
const struct tarn_entry *tarn_tar_read_entry(const struct tarn_tar_read *r);
/* Offset in the file of the bytes of the last BODY event. */
uint64_t tarn_tar_read_body_at(const struct tarn_tar_read *r);
/* Text of the last WARNING event; valid until the next step. */
const char *tarn_tar_read_warning(const struct tarn_tar_read *r);
/* Bytes consumed since the start. */
uint64_t tarn_tar_read_at(const struct tarn_tar_read *r);

#endif
