/*
 * CRC-64 with the polynomial of ECMA-182, reflected, all ones before and
 * behind: what Go's hash/crc64 calls ECMA and the .xz format CRC64.
 *
 *   crc = tarn_crc64(0, "12345", 5);
 *   crc = tarn_crc64(crc, "6789", 4); // 0x995dc9bbdf1939fa
 *
 * One file of crc64_*.c is in the build. Threads: any.
 */
#ifndef TARN_CODEC_CRC64_H
#define TARN_CODEC_CRC64_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of what `crc` is of, and of `len` more bytes; 0 is of none. */
uint64_t tarn_crc64(uint64_t crc, const void *ptr, size_t len);

/* Version of liblzma, or NULL: this build cannot, and all values are 0. */
const char *tarn_crc64_library(void);

#endif
