/*
 * Sparse members of every form, sound ones, for tests to read or to damage.
 *
 *   static const struct tar_piece map[] = {{0, 512}, {8192, 100}};
 *   struct tar_sparse s = {TAR_GNU_S, "name", 8292, map, 2};
 *
 *   at = tar_make_sparse(&t, &s);
 *   ... tar_sparse_hash(&s) is what tar_log says of its content
 *
 * Byte i of a file is tar_make_pattern(i) within a piece, else zero. Maps are
 * written as they are: nothing is checked.
 *
 * Memory: that of struct tar_make. Threads: any.
 */
#ifndef TAR_MAKE_SPARSE_H
#define TAR_MAKE_SPARSE_H

#include <stdbool.h>

#include "tar_make.h"

struct tar_piece {
  uint64_t at, len;
};

enum tar_sparse_form {
  TAR_GNU_S = 0, /* type S of GNU tar */
  TAR_STAR_S,    /* of star, with entries in the header */
  TAR_XUSTAR_S,  /* of newer star: none there, the size in a pax record */
  TAR_PAX_0_0,   /* GNU.sparse.offset and .numbytes */
  TAR_PAX_0_1,   /* GNU.sparse.map */
  TAR_PAX_1_0,   /* text in front of the content */
  TAR_SUN_HOLES, /* SUN.holesdata */
  TAR_SPARSE_FORMS
};

struct tar_sparse {
  enum tar_sparse_form form;
  const char *name;
  uint64_t size;
  const struct tar_piece *map;
  size_t n;
  int64_t more_stored; /* what the header's size is too large by */
};

/* Appends the member; returns the offset of its header (not the pax one). */
size_t tar_make_sparse(struct tar_make *t, const struct tar_sparse *s);

/* The file's content, `size` bytes that the caller frees. */
uint8_t *tar_sparse_content(const struct tar_sparse *s);
/* Its FNV-1a. */
uint64_t tar_sparse_hash(const struct tar_sparse *s);

#endif
