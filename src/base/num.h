/*
 * Checked arithmetic on sizes and offsets: each returns false, and leaves
 * *out unset, when the result does not fit.
 *
 *   if (!tarn_add_u64(at, len, &end)) return TARN_EDATA;
 *
 * Threads: any.
 */
#ifndef TARN_BASE_NUM_H
#define TARN_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool tarn_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
  return !__builtin_add_overflow(a, b, out);
}

static inline bool tarn_mul_size(size_t a, size_t b, size_t *out)
{
  return !__builtin_mul_overflow(a, b, out);
}

static inline size_t tarn_min_size(size_t a, size_t b)
{
  return a < b ? a : b;
}

static inline uint64_t tarn_min_u64(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static inline uint64_t tarn_max_u64(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

#endif
