/*
 * Long headers of tar: x, X (pax), L, K (GNU) wait for the next member, g
 * (pax) holds for all that follow.
 *
 *   rc = tarn_tar_long_begin(l, &header, at, &notes, err);
 *   tarn_tar_long_put(l, ptr, len);      // the content, in any pieces
 *   rc = tarn_tar_long_end(l, &notes, err);
 *   ... a member uses l->pax, l->name, l->link, l->global
 *   tarn_tar_long_clear(l);              // the member is done with them
 *
 * Invariants: 1. what waits survives other long headers and labels, and goes
 * with the next member, also a refused one. 2. A second one of the same kind
 * replaces the first, and is noted.
 *
 * Memory: one buffer for each kind, at most TARN_TAR_MAX_HEADER each, reused.
 * Threads: the owner's.
 */
#ifndef TARN_ARCHIVE_TAR_LONG_H
#define TARN_ARCHIVE_TAR_LONG_H

#include "archive/pax.h"
#include "archive/tar_header.h"
#include "archive/tar_note.h"

enum tarn_tar_long_kind {
  TARN_TAR_LONG_PAX = 0,
  TARN_TAR_LONG_NAME,
  TARN_TAR_LONG_LINK,
  TARN_TAR_LONG_GLOBAL,
  TARN_TAR_LONG_KINDS
};

struct tarn_tar_long_buffer {
  char *data;
  size_t len, cap; /* data has room for cap + 1 */
};

struct tarn_tar_long {
  unsigned waiting; /* bit n: kind n waits for a member; never GLOBAL */
  unsigned n_in_a_row;
  bool any_pax; /* some x or g has come: this is a pax archive */
  struct tarn_pax pax, global;
  char *global_uname, *global_gname; /* what global's texts point to */
  struct tarn_tar_long_buffer buffers[TARN_TAR_LONG_KINDS];
  /* The one that is being read. */
  enum tarn_tar_long_kind kind;
  uint64_t at; /* offset of its content */
};

void tarn_tar_long_init(struct tarn_tar_long *l);
void tarn_tar_long_close(struct tarn_tar_long *l);

/*
 * A long header begins whose block ends at offset `at`; h->size bytes of
 * content follow. TARN_ELIMIT for one too large or too many in a row,
 * TARN_ENOMEM.
 */
int tarn_tar_long_begin(struct tarn_tar_long *l,
                        const struct tarn_tar_header *h, uint64_t at,
                        struct tarn_tar_notes *notes, struct tarn_err *err);
void tarn_tar_long_put(struct tarn_tar_long *l, const uint8_t *ptr, size_t len);
/* All content is there. TARN_EDATA for damaged records, ELIMIT, ENOMEM. */
int tarn_tar_long_end(struct tarn_tar_long *l, struct tarn_tar_notes *notes,
                      struct tarn_err *err);
/* Forgets what waits; the global records stay. */
void tarn_tar_long_clear(struct tarn_tar_long *l);

static inline bool tarn_tar_long_waits(const struct tarn_tar_long *l,
                                       enum tarn_tar_long_kind kind)
{
  return l->waiting & 1u << kind;
}

#endif
