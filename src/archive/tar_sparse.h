/*
 * Sparse members of tar: where each form keeps its map, and the way from the
 * stored bytes to places in the file.
 *
 *   form           map                                        holes stored
 *   GNU            type S: 4 entries in the header, then      no
 *                  blocks of 21, which the size does not count
 *   STAR           type S: the same, counted in the size      no
 *   PAX0           records GNU.sparse.offset and .numbytes    no
 *                  (version 0.0), or GNU.sparse.map (0.1)
 *   PAX1           text in front of the content, padded to    no
 *                  whole blocks (version 1.0)
 *   SUN            record SUN.holesdata: data and hole        yes
 *                  offsets in turns, each behind a blank
 *
 *   rc = tarn_tar_sparse_begin(&s, form, &header, &pax, size, stored, &why);
 *   while (rc == TARN_TAR_SPARSE_MORE)
 *     rc = tarn_tar_sparse_block(&s, block, &why);
 *   ... then, for the bytes behind the map:
 *   n = tarn_tar_sparse_body(&s, ptr, len, &at, &is_hole);
 *
 * Layouts: GNU tar's manual "Storing Sparse Files" and "Basic Tar Format",
 * star(5), Solaris archives.h(3HEAD).
 *
 * Memory: that of the map. Threads: the owner's.
 */
#ifndef TARN_ARCHIVE_TAR_SPARSE_H
#define TARN_ARCHIVE_TAR_SPARSE_H

#include "archive/pax.h"
#include "archive/sparse.h"
#include "archive/tar_header.h"

/* Bytes of a map behind its header: of text, or of blocks of entries. */
#define TARN_TAR_SPARSE_MAX_MAP (1024 * 1024)

enum tarn_tar_sparse_form {
  TARN_TAR_SPARSE_NONE = 0, /* not sparse */
  TARN_TAR_SPARSE_GNU,
  TARN_TAR_SPARSE_STAR,
  TARN_TAR_SPARSE_PAX0,
  TARN_TAR_SPARSE_PAX1,
  TARN_TAR_SPARSE_SUN
};

enum { TARN_TAR_SPARSE_MORE = 1 }; /* the map goes on in the next block */

/* A number of the text that is being read. */
struct tarn_tar_sparse_number {
  uint64_t value;
  unsigned n_digits;
};

struct tarn_tar_sparse {
  enum tarn_tar_sparse_form form;
  struct tarn_sparse map;
  uint64_t size, stored; /* of the file, and of what is behind the header */
  uint64_t map_len;      /* bytes of blocks read so far */
  bool announced;        /* GNU, STAR: another block follows */
  uint64_t at;           /* SUN: how far the body was taken */
  /* PAX1 */
  struct tarn_tar_sparse_number number;
  bool has_count, has_offset;
  uint64_t n_left, offset; /* entries still to come; of this entry */
};

void tarn_tar_sparse_init(struct tarn_tar_sparse *s);
void tarn_tar_sparse_close(struct tarn_tar_sparse *s);

/*
 * A member of this form begins: its file has `size` bytes, `stored` are behind
 * its header. 0 when the map is complete and right, TARN_TAR_SPARSE_MORE, or
 * with a static text in *why: TARN_EDATA or TARN_ELIMIT for a map that cannot
 * be, TARN_ENOMEM.
 */
int tarn_tar_sparse_begin(struct tarn_tar_sparse *s,
                          enum tarn_tar_sparse_form form,
                          const struct tarn_tar_header *h,
                          const struct tarn_pax *p, uint64_t size,
                          uint64_t stored, const char **why);
/* The next block of 512 bytes behind the header; the same codes. */
int tarn_tar_sparse_block(struct tarn_tar_sparse *s, const uint8_t *block,
                          const char **why);

/*
 * After an error: readers disagree about where the member ends. Some go by its
 * size, some by the blocks of its map and by the bytes these claim.
 */
bool tarn_tar_sparse_is_fatal(const struct tarn_tar_sparse *s);

/*
 * Of `len` stored bytes at `ptr`, behind the map: returns how many belong
 * together. They are content at *at in the file, or with *is_hole zeros that
 * need not be written: then they are all of the `len` bytes.
 */
size_t tarn_tar_sparse_body(struct tarn_tar_sparse *s, const uint8_t *ptr,
                            size_t len, uint64_t *at, bool *is_hole);

#endif
