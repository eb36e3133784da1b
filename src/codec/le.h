/* Little-endian numbers at any address. */
#ifndef TARN_CODEC_LE_H
#define TARN_CODEC_LE_H

#include <stddef.h>
#include <stdint.h>

/* `n` <= 8 bytes, least first. */
static inline uint64_t tarn_le(const uint8_t *ptr, size_t n)
{
  uint64_t value = 0;

  while (n-- > 0)
    value = value << 8 | ptr[n];
  return value;
}

static inline uint32_t tarn_le32(const uint8_t *ptr)
{
  return (uint32_t)tarn_le(ptr, 4);
}

#endif
