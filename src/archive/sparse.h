/*
 * The map of a sparse file: which of its bytes an archive holds. What lies
 * between the pieces, and behind the last, is a hole.
 *
 *   tarn_sparse_clear(&s);
 *   rc = tarn_sparse_add(&s, 0, 512, &why);
 *   rc = tarn_sparse_add(&s, 65536, 100, &why);
 *   rc = tarn_sparse_seal(&s, 65636, 612, TARN_SPARSE_BLOCKS, &why);
 *   while ((n = tarn_sparse_take(&s, len, &at)) > 0) ... n stored bytes at `at`
 *
 * Entries that go backward or overlap are counted and not kept: how many bytes
 * a map claims is known also when it cannot be.
 *
 * Invariants: 1. pieces ascend, do not overlap, are not empty and end at
 * INT64_MAX or before. 2. Once sealed they end within the file and their sum is
 * what is stored.
 *
 * Memory: 16 bytes for each piece, at most TARN_SPARSE_MAX_ENTRIES, kept for
 * reuse. Threads: the owner's.
 */
#ifndef TARN_ARCHIVE_SPARSE_H
#define TARN_ARCHIVE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Entries of one map: what 1 MiB of text can hold. */
#define TARN_SPARSE_MAX_ENTRIES (256 * 1024)

struct tarn_sparse_piece {
  uint64_t at, len;
};

struct tarn_sparse {
  struct tarn_sparse_piece *pieces;
  size_t n, cap;
  size_t n_entries; /* empty ones are counted and not kept */
  uint64_t end;     /* behind the last entry */
  uint64_t sum;     /* bytes in all entries, UINT64_MAX for more */
  bool backward;    /* some entry began before the end of the one before */
  bool uneven;      /* some piece before the last is no whole number of
                       blocks */
  size_t next;      /* the piece that is being taken, and */
  uint64_t taken;   /* how much of it */
};

/* How pieces lie in the archive. */
enum tarn_sparse_layout {
  TARN_SPARSE_PACKED = 0, /* one behind the other */
  TARN_SPARSE_BLOCKS,     /* the same; but readers disagree when a piece before
                             the last is no multiple of 512, so it must be */
  TARN_SPARSE_WHOLE       /* holes are stored as well */
};

void tarn_sparse_init(struct tarn_sparse *s);
void tarn_sparse_close(struct tarn_sparse *s);
/* Forgets all entries. */
void tarn_sparse_clear(struct tarn_sparse *s);

/*
 * Adds an entry. 0, or with a static text in *why: TARN_EDATA when it lies
 * beyond what a file can be, TARN_ELIMIT, TARN_ENOMEM.
 */
int tarn_sparse_add(struct tarn_sparse *s, uint64_t at, uint64_t len,
                    const char **why);

/*
 * All entries are there; the file has `size` bytes, of which `stored` are in
 * the archive. 0, or TARN_EDATA with a static text in *why.
 */
int tarn_sparse_seal(struct tarn_sparse *s, uint64_t size, uint64_t stored,
                     enum tarn_sparse_layout layout, const char **why);

/*
 * Takes the next packed bytes: returns how many of `len` belong together and
 * sets *at to their offset in the file; 0 when len is 0 or all are taken.
 */
size_t tarn_sparse_take(struct tarn_sparse *s, size_t len, uint64_t *at);

/*
 * Where holes are stored too: the bytes at `at` belong to a hole (*is_hole) or
 * to a piece that goes on to *end; UINT64_MAX for the hole behind the last.
 * `at` never goes back.
 */
void tarn_sparse_look(struct tarn_sparse *s, uint64_t at, bool *is_hole,
                      uint64_t *end);

#endif
