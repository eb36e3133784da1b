/*
 * The codecs themselves, one source file each, and the library behind each.
 * table.c lists those that are in the build; nobody else needs this header.
 */
#ifndef TARN_CODEC_FORMATS_H
#define TARN_CODEC_FORMATS_H

#include "codec/codec.h"

extern const struct tarn_codec tarn_codec_plain;
extern const struct tarn_codec tarn_codec_gzip;
extern const struct tarn_codec tarn_codec_lz4;
extern const struct tarn_codec tarn_codec_zstd;
extern const struct tarn_codec tarn_codec_xz;
extern const struct tarn_codec tarn_codec_bzip2;

/* Version of the library that runs: static, never NULL. */
const char *tarn_plain_version(void);
const char *tarn_gzip_version(void);
const char *tarn_lz4_version(void);
const char *tarn_zstd_version(void);
const char *tarn_xz_version(void);
const char *tarn_bzip2_version(void);

#endif
