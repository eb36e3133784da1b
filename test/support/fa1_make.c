#include "fa1_make.h"

#include <stdio.h>
#include <string.h>

uint64_t fa1_make_toy_crc(uint64_t crc, const void *ptr, size_t len)
{
  const uint8_t *p = ptr;

  while (len-- > 0)
    crc = (crc ^ *p++) * 1099511628211u + 1;
  return crc;
}

void fa1_make_init(struct fa1_make *a, tarn_crc64_fn crc)
{
  static const uint8_t signature[] = {0x89, 0x46, 0x41, 0x31,
                                      0x0d, 0x0a, 0x1a, 0x0a};

  memset(a, 0, sizeof *a);
  a->crc = crc;
  (void)tar_make_bytes(&a->buf, signature, sizeof signature);
}

void fa1_make_free(struct fa1_make *a)
{
  tar_make_free(&a->buf);
}

void fa1_make_number(struct fa1_make *a, uint64_t n, size_t len)
{
  while (len-- > 0) {
    uint8_t byte = (uint8_t)(len < 8 ? n >> 8 * len : 0);

    (void)tar_make_bytes(&a->buf, &byte, 1);
  }
}

size_t fa1_make_head(struct fa1_make *a, unsigned type, const void *path,
                     size_t len)
{
  size_t at = a->buf.len;

  fa1_make_number(a, len, 2);
  (void)tar_make_bytes(&a->buf, path, len);
  fa1_make_number(a, type, 1);
  return at;
}

static size_t begin(struct fa1_make *a, unsigned type, const char *path,
                    uint32_t mode)
{
  size_t at = fa1_make_head(a, type, path, strlen(path));

  fa1_make_number(a, a->uid, 4);
  fa1_make_number(a, a->gid, 4);
  fa1_make_number(a, mode, 4);
  return at;
}

size_t fa1_make_dir(struct fa1_make *a, const char *path, uint32_t mode)
{
  return begin(a, FA1_MAKE_DIR, path, mode | UINT32_C(1) << 31);
}

size_t fa1_make_file(struct fa1_make *a, const char *path, uint32_t mode)
{
  return begin(a, FA1_MAKE_FILE, path, mode);
}

size_t fa1_make_data(struct fa1_make *a, const char *path, const void *ptr,
                     uint16_t len)
{
  size_t at = fa1_make_head(a, FA1_MAKE_DATA, path, strlen(path));

  fa1_make_number(a, len, 2);
  (void)tar_make_bytes(&a->buf, ptr, len);
  return at;
}

size_t fa1_make_end(struct fa1_make *a, const char *path)
{
  return fa1_make_head(a, FA1_MAKE_END, path, strlen(path));
}

size_t fa1_make_sum(struct fa1_make *a)
{
  size_t at = fa1_make_head(a, FA1_MAKE_SUM, "", 0);

  fa1_make_number(a, a->crc(0, a->buf.data, a->buf.len), 8);
  return at;
}

void fa1_make_whole(struct fa1_make *a, const char *path, const char *text)
{
  (void)fa1_make_file(a, path, 0644);
  (void)fa1_make_data(a, path, text, (uint16_t)strlen(text));
  (void)fa1_make_end(a, path);
}

void fa1_make_everything(struct fa1_make *a)
{
  static uint8_t filler[UINT16_MAX];
  size_t i;

  for (i = 0; i < sizeof filler; i++)
    filler[i] = tar_make_pattern(i);
  a->uid = 1000;
  a->gid = 65534;
  (void)fa1_make_dir(a, ".", 0755);
  (void)fa1_make_dir(a, "d", UINT32_C(1) << 20 | 0777);
  (void)fa1_make_file(a, "d/big", UINT32_C(3) << 22 | 0750);
  (void)fa1_make_data(a, "d/big", filler, UINT16_MAX);
  (void)fa1_make_file(a, "d/small", 0400);
  (void)fa1_make_data(a, "d/small", "one ", 4);
  (void)fa1_make_data(a, "d/big", filler, 4096);
  (void)fa1_make_sum(a);
  (void)fa1_make_file(a, "d/empty", 0);
  (void)fa1_make_data(a, "d/small", "", 0);
  (void)fa1_make_end(a, "d/empty");
  (void)fa1_make_data(a, "d/small", "two", 3);
  (void)fa1_make_dir(a, "d", 0700);
  (void)fa1_make_end(a, "d/big");
  (void)fa1_make_head(a, FA1_MAKE_FILE, "no\0name", 7);
  fa1_make_number(a, 0644, 12);
  (void)fa1_make_head(a, FA1_MAKE_DATA, "no\0name", 7);
  fa1_make_number(a, 2, 2);
  fa1_make_number(a, 0x4142, 2);
  (void)fa1_make_head(a, FA1_MAKE_END, "no\0name", 7);
  (void)fa1_make_end(a, "d/small");
  (void)fa1_make_sum(a);
  fa1_make_whole(a, "last", "text\n");
  (void)fa1_make_sum(a);
}
