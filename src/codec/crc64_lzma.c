#include "codec/crc64.h"

#include <lzma.h>

uint64_t tarn_crc64(uint64_t crc, const void *ptr, size_t len)
{
  return lzma_crc64(ptr, len, crc);
}

const char *tarn_crc64_library(void)
{
  return lzma_version_string();
}
