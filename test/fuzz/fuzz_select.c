/*
 * Any pattern on any name. Where the C library's fnmatch means the same it
 * must agree: in the POSIX locale, for each component the pattern may begin
 * at, with FNM_LEADING_DIR. It tries all stars, so inputs are short for it.
 *
 * The first byte is the length of the pattern, the name follows it.
 */
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "archive/glob.h"
#include "archive/select.h"
#include "base/check.h"

#define COMPARED_MAX 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *copy(const uint8_t *ptr, size_t len, bool terminated)
{
  char *text = malloc(len + terminated + !len);

  TARN_CHECK(text);
  if (len)
    memcpy(text, ptr, len);
  if (terminated)
    text[len] = 0;
  return text;
}

/* Brackets that are damaged mean other things elsewhere. */
static bool comparable(const char *pattern, const char *name)
{
  size_t len = strlen(name);

  return pattern[0] && strlen(pattern) <= COMPARED_MAX && len &&
         len <= COMPARED_MAX && !strchr(pattern, '[') && !strstr(name, "//") &&
         name[len - 1] != '/';
}

static bool by_fnmatch(const char *pattern, const char *name)
{
  while (name) {
    if (fnmatch(pattern, name, FNM_LEADING_DIR) == 0)
      return true;
    name = strchr(name, '/');
    if (name)
      name++;
  }
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct tarn_glob glob;
  struct tarn_select_patterns patterns = {0};
  struct tarn_select *select;
  char *pattern, *name, *text;
  const char *one;
  size_t n;
  bool matched;

  if (!size)
    return 0;
  n = data[0] < size - 1 ? data[0] : size - 1;
  pattern = copy(data + 1, n, true);
  name = copy(data + 1 + n, size - 1 - n, false);
  text = copy(data + 1 + n, size - 1 - n, true);
  TARN_CHECK(tarn_glob_init(&glob, pattern, NULL) == 0);
  matched = tarn_glob_matches(&glob, name, size - 1 - n);
  tarn_glob_close(&glob);
  if (strlen(text) == size - 1 - n && comparable(pattern, text))
    TARN_CHECK(matched == by_fnmatch(pattern, text));
  one = pattern;
  patterns.exclude = &one;
  patterns.n_exclude = 1;
  TARN_CHECK(tarn_select_new(&select, &patterns, NULL) == 0);
  TARN_CHECK(tarn_select_takes(select, name, size - 1 - n) == !matched);
  tarn_select_free(select);
  free(pattern);
  free(name);
  free(text);
  return 0;
}
