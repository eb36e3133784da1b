/*
 * Reading FA1, fast-archiver's format: a pure step machine over bytes.
 *
 * Used like archive/tar_read.h. What differs: the blocks of several files are
 * mixed, so that events tell which file they are about. The caller hangs what
 * it knows of a file on it:
 *
 *   rc = tarn_fa1_read_new(&r, tarn_crc64, &err);
 *   do {
 *     rc = tarn_fa1_read_step(r, ptr, len, &used, &err);
 *     switch (rc) {
 *     case TARN_FA1_MEMBER:
 *       tarn_fa1_read_set_user(r, begin(tarn_fa1_read_entry(r)));
 *       break;
 *     case TARN_FA1_BODY:
 *       n = tarn_fa1_read_body_len(r);
 *       write(tarn_fa1_read_user(r), ptr + used - n, n,
 *             tarn_fa1_read_body_at(r));
 *       break;
 *     case TARN_FA1_FINISH:
 *       finish(tarn_fa1_read_user(r));
 *       ...
 *     }
 *     ptr += used; len -= used;
 *   } while (rc > 0);
 *   rc = tarn_fa1_read_end(r, proven, &err);
 *
 * The format, integers big-endian: 8 bytes 89 46 41 31 0D 0A 1A 0A, then
 * blocks: uint16 length of the path, path, uint8 type, and by type
 *
 *   0 data       uint16 size, bytes
 *   1 file       uint32 uid, gid, mode as in Go's os.FileMode
 *   2 end        nothing
 *   3 directory  as 1
 *   4 checksum   path of length 0; uint64 CRC-64 (ECMA polynomial, reflected,
 *                all ones before and behind) of every byte before it:
 * signature, earlier checksums and the head of its own block
 *
 * Memory: the names of the files that are open, at most 256 of 64 KiB, and
 * 64 KiB more. Threads: the owner's.
 */
#ifndef TARN_ARCHIVE_FA1_READ_H
#define TARN_ARCHIVE_FA1_READ_H

#include "archive/entry.h"
#include "base/err.h"

enum tarn_fa1_event {
  TARN_FA1_MORE = 0,
  TARN_FA1_MEMBER,  /* a member begins; its size is not known yet */
  TARN_FA1_BODY,    /* content of a file that is open */
  TARN_FA1_FINISH,  /* a member is complete; comes for every MEMBER */
  TARN_FA1_WARNING, /* text to report; reading goes on */
  TARN_FA1_REFUSED  /* this member cannot be restored (reason in *err); its
                       blocks are skipped, no FINISH comes */
};

/* Length of the signature, most files open at once. */
#define TARN_FA1_SIGNATURE 8
#define TARN_FA1_MAX_OPEN  256

/* The CRC of what `crc` is of, and of `len` more bytes; 0 is of none. */
typedef uint64_t (*tarn_crc64_fn)(uint64_t crc, const void *ptr, size_t len);

struct tarn_fa1_read;

/* Whether the first TARN_FA1_SIGNATURE bytes of a stream are FA1's. */
bool tarn_fa1_is(const uint8_t *ptr);

/* TARN_ENOMEM. */
int tarn_fa1_read_new(struct tarn_fa1_read **r, tarn_crc64_fn crc,
                      struct tarn_err *err);
void tarn_fa1_read_free(struct tarn_fa1_read *r); /* NULL is fine */

/*
 * One step, by the rules of tarn_tar_read_step, but that the content of a BODY
 * event is the last of the *used bytes. Errors are final: TARN_EDATA (a
 * checksum that is wrong, a block that cannot be, named with its offset),
 * TARN_ENOTARCHIVE (no signature), TARN_ELIMIT (too many open files),
 * TARN_ENOMEM.
 */
int tarn_fa1_read_step(struct tarn_fa1_read *r, const uint8_t *ptr, size_t len,
                       size_t *used, struct tarn_err *err);

/*
 * The stream has ended. 0 when its last block was a checksum and no file is
 * open; TARN_ETRUNCATED otherwise, TARN_ENOTARCHIVE within the signature. The
 * format marks no checksum as the last, so without `proven` a WARNING says that
 * more may have followed. May return an event that was waiting first (WARNING,
 * FINISH; never MORE or BODY): take it and call again.
 */
int tarn_fa1_read_end(struct tarn_fa1_read *r, bool proven,
                      struct tarn_err *err);

/* The member of the last MEMBER or REFUSED event (the path of a REFUSED one
   may be empty or hold a NUL); valid until the next step. */
const struct tarn_entry *tarn_fa1_read_entry(const struct tarn_fa1_read *r);
/* What the caller has hung on the member of the last event, from MEMBER to
   FINISH; NULL at first. set_user is for MEMBER events. */
void *tarn_fa1_read_user(const struct tarn_fa1_read *r);
void tarn_fa1_read_set_user(struct tarn_fa1_read *r, void *user);
/* The last BODY event: how many of the bytes used, the last, are content, and
   the offset of these in the file. */
size_t tarn_fa1_read_body_len(const struct tarn_fa1_read *r);
uint64_t tarn_fa1_read_body_at(const struct tarn_fa1_read *r);
/* Text of the last WARNING event; valid until the next step. */
const char *tarn_fa1_read_warning(const struct tarn_fa1_read *r);
/* Bytes consumed since the start. */
uint64_t tarn_fa1_read_at(const struct tarn_fa1_read *r);

#endif
