/*
 * One tar block of 512 bytes: is it a header, and what do its fields say?
 *
 *   switch (tarn_tar_block_judge(block)) {
 *   case TARN_TAR_BLOCK_HEADER:
 *     damaged = tarn_tar_header_parse(block, &h);   // NULL: every field is
 * fine
 *
 * Layouts: POSIX.1-1988 (ustar), GNU tar's manual "Basic Tar Format", star(5).
 * Memory: none of its own. Threads: any.
 */
#ifndef TARN_ARCHIVE_TAR_HEADER_H
#define TARN_ARCHIVE_TAR_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARN_TAR_BLOCK            512
/* Bytes of an entry of a sparse map, and how many are in a header. */
#define TARN_TAR_SPARSE_ENTRY     24
#define TARN_TAR_SPARSE_IN_HEADER 4
/* Larger sizes could not be padded to a whole block within an int64_t. */
#define TARN_TAR_MAX_SIZE         ((uint64_t)INT64_MAX - 511)

enum tarn_tar_block {
  TARN_TAR_BLOCK_HEADER = 0,
  TARN_TAR_BLOCK_ZERO,   /* all zeros */
  TARN_TAR_BLOCK_DAMAGED /* the checksum is wrong */
};

enum tarn_tar_format {
  TARN_TAR_V7 = 0, /* no magic */
  TARN_TAR_USTAR,  /* "ustar\0": has a prefix; pax and newer star too */
  TARN_TAR_GNU     /* "ustar  \0": no prefix */
};

/*
 * What a header of type S tells of its file: its size and the first entries of
 * its map, 24 bytes each (offset and length, 12 bytes each).
 */
struct tarn_tar_header_sparse {
  bool star;     /* laid out as in star, not as in GNU tar */
  bool more;     /* blocks with further entries follow */
  bool has_size; /* the size field is a number */
  uint64_t size;
  size_t n_entries;
  uint8_t entries[TARN_TAR_SPARSE_IN_HEADER * TARN_TAR_SPARSE_ENTRY];
};

struct tarn_tar_header {
  enum tarn_tar_format format;
  char type; /* the typeflag, as it is */
  uint64_t size;
  /* The rest is filled for members only, not for long headers. */
  size_t path_len, link_len;
  char path[155 + 1 + 100 + 1]; /* prefix and name joined */
  char link[100 + 1];
  char uname[32 + 1], gname[32 + 1];
  uint32_t mode; /* permission bits and 07000 */
  uint64_t uid, gid;
  int64_t mtime;
  uint32_t dev_major, dev_minor;        /* types 3 and 4 only */
  struct tarn_tar_header_sparse sparse; /* type S only */
};

/* The checksum may be a sum of unsigned or of signed bytes. */
enum tarn_tar_block tarn_tar_block_judge(const uint8_t *block);

/* All of `len` bytes, at least one, are zero. */
bool tarn_tar_only_zeros(const void *ptr, size_t len);

/* x, X, g, L, K: a header whose content describes the members behind it. */
bool tarn_tar_is_long(char type);

/*
 * Fills *h from a block judged HEADER. Returns NULL, or the static name of the
 * first field that is damaged.
 */
const char *tarn_tar_header_parse(const uint8_t *block,
                                  struct tarn_tar_header *h);

/*
 * A number field of `width` bytes: an optional NUL, blanks, octal digits, then
 * a NUL or blanks or the end; without digits it is 0. Or base-256: big-endian
 * two's complement behind a first byte of 0x80 (positive) or 0xff. False for
 * anything else and for what does not fit; negative numbers are allowed only
 * in base-256.
 */
bool tarn_tar_number(const uint8_t *field, size_t width, int64_t *out);

#endif
