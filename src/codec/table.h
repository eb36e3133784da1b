/*
 * The codecs of this build, and the libraries behind them.
 *
 * table.c is made by CMake from table.c.in: a missing optional library leaves
 * its source file out of the build and its line out of the table.
 */
#ifndef TARN_CODEC_TABLE_H
#define TARN_CODEC_TABLE_H

#include <stddef.h>

struct tarn_codec_library {
  const char *codec;            /* "zstd" */
  const char *library;          /* "libzstd" */
  const char *(*version)(void); /* of the library in use; NULL: not built in */
};

/* One line for each compression tarn knows, present or not. */
const struct tarn_codec_library *tarn_codec_libraries(size_t *n);

#endif
