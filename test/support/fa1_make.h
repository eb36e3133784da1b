/*
 * Makes FA1 archives in memory, sound and damaged ones, for tests.
 *
 *   struct fa1_make a;
 *
 *   fa1_make_init(&a, fa1_make_toy_crc);
 *   fa1_make_dir(&a, "d", 0755);
 *   fa1_make_file(&a, "d/a", 0644);
 *   fa1_make_data(&a, "d/a", "hello", 5);
 *   fa1_make_end(&a, "d/a");
 *   fa1_make_sum(&a);
 *   ... a.buf.data, a.buf.len
 *   fa1_make_free(&a);
 *
 * Memory: the buffer grows; running out of memory aborts the test.
 */
#ifndef FA1_MAKE_H
#define FA1_MAKE_H

#include "archive/fa1_read.h"
#include "tar_make.h"

enum fa1_make_type {
  FA1_MAKE_DATA = 0,
  FA1_MAKE_FILE,
  FA1_MAKE_END,
  FA1_MAKE_DIR,
  FA1_MAKE_SUM
};

struct fa1_make {
  struct tar_make buf; /* bytes */
  tarn_crc64_fn crc;
  uint32_t uid, gid; /* of the members that follow */
};

/* A checksum that is no CRC but sees every change, for tests of what stands
   below the codecs. */
uint64_t fa1_make_toy_crc(uint64_t crc, const void *ptr, size_t len);

/* The signature. */
void fa1_make_init(struct fa1_make *a, tarn_crc64_fn crc);
void fa1_make_free(struct fa1_make *a);

/* Each returns the offset where its block begins. */
size_t fa1_make_dir(struct fa1_make *a, const char *path, uint32_t mode);
size_t fa1_make_file(struct fa1_make *a, const char *path, uint32_t mode);
size_t fa1_make_data(struct fa1_make *a, const char *path, const void *ptr,
                     uint16_t len);
size_t fa1_make_end(struct fa1_make *a, const char *path);
size_t fa1_make_sum(struct fa1_make *a);
/* The head of a block of any type, whose name may hold anything. */
size_t fa1_make_head(struct fa1_make *a, unsigned type, const void *path,
                     size_t len);
/* A number of `len` bytes, big-endian. */
void fa1_make_number(struct fa1_make *a, uint64_t n, size_t len);
/* File, data in one block, end. */
void fa1_make_whole(struct fa1_make *a, const char *path, const char *text);

/*
 * An archive with all that may be: directories, modes of every kind, files that
 * are mixed, empty ones, empty blocks, checksums between.
 */
void fa1_make_everything(struct fa1_make *a);

#endif
