/*
 * Any bytes as a path: what tarn_path_clean lets pass is safe, cleaning is
 * idempotent, and an escaped path holds nothing a terminal obeys. The first
 * byte is the number of components to strip.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_component(const char *name, size_t len)
{
  TARN_CHECK(len > 0 && len <= 255);
  TARN_CHECK(!(len == 1 && name[0] == '.'));
  TARN_CHECK(!(len == 2 && name[0] == '.' && name[1] == '.'));
}

static void check_clean(const char *path, size_t len)
{
  size_t at = 0, n;

  TARN_CHECK(strlen(path) == len);
  TARN_CHECK(tarn_path_parent_len(path, len) <= len);
  while (at < len) {
    n = strcspn(path + at, "/");
    check_component(path + at, n);
    at += n;
    if (at < len)
      at++;
    TARN_CHECK(at < len || path[len - 1] != '/');
  }
}

static void check_escape(const char *path, size_t len)
{
  size_t cap = 4 * len + 1, i;
  char *out = malloc(cap), *cut = malloc(len / 2 + 1);

  if (!out || !cut)
    abort();
  tarn_path_escape(path, len, out, cap);
  tarn_path_escape(path, len, cut, len / 2 + 1);
  TARN_CHECK(strncmp(out, cut, strlen(cut)) == 0);
  for (i = 0; out[i]; i++)
    TARN_CHECK((uint8_t)out[i] >= 0x20 && out[i] != 0x7f);
  free(out);
  free(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const char *path = (const char *)data + 1;
  char *out, *again;
  size_t len, len2;

  if (size == 0)
    return 0;
  size--;
  out = malloc(size + 1);
  again = malloc(size + 1);
  if (!out || !again)
    abort();
  switch (tarn_path_clean(path, size, data[0], out, &len)) {
  case TARN_PATH_OK:
  case TARN_PATH_WAS_ABSOLUTE:
    TARN_CHECK(len <= size);
    check_clean(out, len);
    TARN_CHECK(tarn_path_clean(out, len, 0, again, &len2) == TARN_PATH_OK);
    TARN_CHECK(len2 == len && memcmp(out, again, len) == 0);
    break;
  default:
    TARN_CHECK(len == 0 && out[0] == '\0');
  }
  check_escape(path, size);
  free(out);
  free(again);
  return 0;
}
