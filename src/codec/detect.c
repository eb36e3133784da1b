#include "codec/codec.h"

#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "codec/le.h"

struct magic {
  enum tarn_compression kind;
  size_t len;
  uint8_t bytes[10];
};

/*
 * bzip2 by the first block's or the end's mark too: three letters and a digit
 * may begin the name of a tar's first member.
 */
static const struct magic magics[] = {
    {TARN_COMPRESSION_GZIP, 3, {0x1f, 0x8b, 8}},
    {TARN_COMPRESSION_LZ4, 4, {0x04, 0x22, 0x4d, 0x18}},
    {TARN_COMPRESSION_LZ4, 4, {0x02, 0x21, 0x4c, 0x18}},
    {TARN_COMPRESSION_ZSTD, 4, {0x28, 0xb5, 0x2f, 0xfd}},
    {TARN_COMPRESSION_XZ, 6, {0xfd, '7', 'z', 'X', 'Z', 0}},
};

static const uint8_t bzip2_block[6] = {0x31, 0x41, 0x59, 0x26, 0x53, 0x59};
static const uint8_t bzip2_end[6] = {0x17, 0x72, 0x45, 0x38, 0x50, 0x90};

/* Whether `ptr` begins with `magic`, as far as it goes. */
static bool fits(const uint8_t *ptr, size_t len, const void *magic,
                 size_t n_magic)
{
  return memcmp(ptr, magic, tarn_min_size(len, n_magic)) == 0;
}

static bool fits_bzip2(const uint8_t *ptr, size_t len)
{
  if (!fits(ptr, len, "BZh", 3) || (len > 3 && (ptr[3] < '1' || ptr[3] > '9')))
    return false;
  return len <= 4 || fits(ptr + 4, len - 4, bzip2_block, sizeof bzip2_block) ||
         fits(ptr + 4, len - 4, bzip2_end, sizeof bzip2_end);
}

static bool fits_skippable(const uint8_t *ptr, size_t len)
{
  static const uint8_t rest[3] = {0x2a, 0x4d, 0x18};

  return (ptr[0] & 0xf0) == 0x50 &&
         (len < 2 || fits(ptr + 1, len - 1, rest, 3));
}

enum tarn_compression tarn_codec_detect(const uint8_t *ptr, size_t len,
                                        bool at_end, uint64_t *skip)
{
  const enum tarn_compression more =
      at_end ? TARN_COMPRESSION_NONE : TARN_COMPRESSION_AUTO;
  size_t i;

  *skip = 0;
  if (!len)
    return more;
  for (i = 0; i < sizeof magics / sizeof magics[0]; i++)
    if (fits(ptr, len, magics[i].bytes, magics[i].len))
      return len < magics[i].len ? more : magics[i].kind;
  if (fits_bzip2(ptr, len))
    return len < 10 ? more : TARN_COMPRESSION_BZIP2;
  if (fits_skippable(ptr, len)) {
    if (len < 8)
      return more;
    *skip = 8 + (uint64_t)tarn_le32(ptr + 4);
  }
  return TARN_COMPRESSION_NONE;
}

enum tarn_compression tarn_codec_by_name(const char *name, size_t len)
{
  static const struct {
    const char *ending;
    enum tarn_compression kind;
  } endings[] = {
      {".gz", TARN_COMPRESSION_GZIP},   {".tgz", TARN_COMPRESSION_GZIP},
      {".lz4", TARN_COMPRESSION_LZ4},   {".tlz4", TARN_COMPRESSION_LZ4},
      {".zst", TARN_COMPRESSION_ZSTD},  {".tzst", TARN_COMPRESSION_ZSTD},
      {".xz", TARN_COMPRESSION_XZ},     {".txz", TARN_COMPRESSION_XZ},
      {".bz2", TARN_COMPRESSION_BZIP2}, {".tbz2", TARN_COMPRESSION_BZIP2},
      {".tbz", TARN_COMPRESSION_BZIP2}, {".tar", TARN_COMPRESSION_NONE},
  };
  size_t i;

  for (i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    size_t n = strlen(endings[i].ending);

    if (len >= n && strncasecmp(name + len - n, endings[i].ending, n) == 0)
      return endings[i].kind;
  }
  return TARN_COMPRESSION_AUTO;
}

struct look {
  const char *what;
  size_t len;
  const char *bytes;
};

static const struct look binary_looks[] = {
    {"a zip archive", 4, "PK\3\4"},
    {"an empty zip archive", 4, "PK\5\6"},
    {"a 7-zip archive", 6, "7z\xbc\xaf\x27\x1c"},
    {"a rar archive", 6, "Rar!\x1a\x07"},
    {"an ar archive or Debian package", 8, "!<arch>\n"},
    {"an rpm package", 4, "\xed\xab\xee\xdb"},
    {"a cpio archive", 5, "07070"},
    {"lzip data", 4, "LZIP"},
    {"lzop data", 4, "\x89LZO"},
    {"compress (.Z) data", 2, "\x1f\x9d"},
    {"lzma data of the old format", 3, "\x5d\0\0"},
    {"snappy data", 10, "\xff\x06\0\0sNaPpY"},
    {"a squashfs image", 4, "hsqs"},
    {"an ELF program", 4,
     "\x7f"
     "ELF"},
    {"a PDF document", 5, "%PDF-"},
    {"a Git LFS pointer", 19, "version https://git"},
};

/* Case does not matter, nor white space before them. */
static const struct look text_looks[] = {
    {"an HTML page", 14, "<!doctype html"},
    {"an HTML page", 5, "<html"},
    {"an HTML page", 5, "<head"},
    {"an XML document", 5, "<?xml"},
    {"an XML document", 6, "<error"},
    {"a JSON document", 1, "{"},
    {"a JSON document", 1, "["},
};

static size_t white_space(const uint8_t *ptr, size_t len)
{
  size_t n = 0;

  if (len >= 3 && memcmp(ptr, "\xef\xbb\xbf", 3) == 0)
    n = 3; /* a byte order mark */
  while (n < len && ptr[n] && strchr(" \t\r\n", ptr[n]))
    n++;
  return n;
}

const char *tarn_codec_guess(const uint8_t *ptr, size_t len)
{
  size_t i, n;

  for (i = 0; i < sizeof binary_looks / sizeof binary_looks[0]; i++) {
    const struct look *look = &binary_looks[i];

    if (len >= look->len && memcmp(ptr, look->bytes, look->len) == 0)
      return look->what;
  }
  n = white_space(ptr, len);
  for (i = 0; i < sizeof text_looks / sizeof text_looks[0]; i++) {
    const struct look *look = &text_looks[i];

    if (len - n >= look->len &&
        strncasecmp((const char *)ptr + n, look->bytes, look->len) == 0)
      return look->what;
  }
  return NULL;
}
