#include "archive/tar_header.h"

#include <string.h>

/* Where a field lies in the block. */
struct field {
  uint16_t at, width;
};

static const struct field name_field = {0, 100};
static const struct field mode_field = {100, 8};
static const struct field uid_field = {108, 8};
static const struct field gid_field = {116, 8};
static const struct field size_field = {124, 12};
static const struct field mtime_field = {136, 12};
static const struct field sum_field = {148, 8};
static const struct field link_field = {157, 100};
static const struct field uname_field = {265, 32};
static const struct field gname_field = {297, 32};
static const struct field major_field = {329, 8};
static const struct field minor_field = {337, 8};
static const struct field prefix_field = {345, 155};
/* star(5): a shorter prefix, with two times behind it. */
static const struct field star_prefix_field = {345, 131};
static const struct field star_atime_field = {476, 12};
static const struct field star_ctime_field = {488, 12};
static const struct field star_real_field = {452, 12};
static const struct field gnu_real_field = {483, 12};

enum {
  TYPE_AT = 156,
  MAGIC_AT = 257,
  STAR_MORE_AT = 355,
  STAR_MAP_AT = 356,
  GNU_MAP_AT = 386,
  GNU_MORE_AT = 482,
  STAR_MAGIC_AT = 508
};

/* Octal digits, with nothing but a NUL or blanks behind them. */
static bool parse_octal(const uint8_t *field, size_t width, uint64_t *out)
{
  uint64_t value = 0;
  size_t i = 0;

  /* Some writers leave a NUL where the field before ran over. */
  if (field[0] == '\0')
    i++;
  while (i < width && field[i] == ' ')
    i++;
  for (; i < width && field[i] >= '0' && field[i] <= '7'; i++)
    value = value << 3 | (uint64_t)(field[i] - '0');
  *out = value;
  while (i < width && field[i] == ' ')
    i++;
  return i == width || field[i] == '\0';
}

static bool parse_base256(const uint8_t *field, size_t width, int64_t *out)
{
  bool negative = field[0] & 0x40;
  uint8_t fill = negative ? 0xff : 0;
  uint64_t value = negative ? UINT64_MAX : 0;
  size_t i;

  for (i = 0; i < width; i++) {
    /* The top bit of the first byte is the mark; the next is the sign. */
    uint8_t byte =
        i == 0 ? (uint8_t)((field[0] & 0x7f) | (fill & 0x80)) : field[i];

    if ((uint8_t)(value >> 56) != fill)
      return false;
    value = value << 8 | byte;
  }
  if (value >> 63 != (negative ? 1u : 0u))
    return false;
  *out = (int64_t)value;
  return true;
}

bool tarn_tar_number(const uint8_t *field, size_t width, int64_t *out)
{
  uint64_t value;

  if (field[0] & 0x80)
    return parse_base256(field, width, out);
  if (!parse_octal(field, width, &value) || value > INT64_MAX)
    return false;
  *out = (int64_t)value;
  return true;
}

/*
 * Sums a block eight bytes at a time: four lanes of 16 bits hold at most
 * 128 * 255. *high counts the bytes above 127, which signed sums take as
 * themselves less 256.
 */
static uint32_t sum_block(const uint8_t *block, uint32_t *high)
{
  const uint64_t lanes = 0x00ff00ff00ff00ffu, ones = 0x0101010101010101u;
  uint64_t sum = 0, tops = 0, word;
  uint32_t total = 0, count = 0;
  size_t i;

  for (i = 0; i < TARN_TAR_BLOCK; i += sizeof word) {
    memcpy(&word, block + i, sizeof word);
    sum += (word & lanes) + (word >> 8 & lanes);
    tops += word >> 7 & ones;
  }
  for (i = 0; i < 64; i += 16)
    total += (uint32_t)(sum >> i & 0xffff);
  for (i = 0; i < 64; i += 8)
    count += (uint32_t)(tops >> i & 0xff);
  *high = count;
  return total;
}

enum tarn_tar_block tarn_tar_block_judge(const uint8_t *block)
{
  uint32_t high, sum = sum_block(block, &high);
  int64_t stored, is;
  size_t i;

  if (sum == 0)
    return TARN_TAR_BLOCK_ZERO;
  if (!tarn_tar_number(block + sum_field.at, sum_field.width, &stored))
    return TARN_TAR_BLOCK_DAMAGED;
  /* The sum is made with blanks in its own field. */
  is = (int64_t)sum + 8 * ' ';
  for (i = 0; i < sum_field.width; i++) {
    is -= block[sum_field.at + i];
    high -= block[sum_field.at + i] >> 7;
  }
  if (stored == is || stored == is - 256 * (int64_t)high)
    return TARN_TAR_BLOCK_HEADER;
  return TARN_TAR_BLOCK_DAMAGED;
}

bool tarn_tar_only_zeros(const void *ptr, size_t len)
{
  const uint8_t *p = ptr;

  return p[0] == 0 && memcmp(p, p + 1, len - 1) == 0;
}

bool tarn_tar_is_long(char type)
{
  return type == 'x' || type == 'X' || type == 'g' || type == 'L' ||
         type == 'K';
}

static enum tarn_tar_format format_of(const uint8_t *block)
{
  if (memcmp(block + MAGIC_AT, "ustar", 6) == 0)
    return TARN_TAR_USTAR;
  if (memcmp(block + MAGIC_AT, "ustar  ", 8) == 0)
    return TARN_TAR_GNU;
  return TARN_TAR_V7;
}

/* A time as star writes it: octal, and a blank at the end. */
static bool is_star_time(const uint8_t *block, struct field f)
{
  return block[f.at] >= '0' && block[f.at] <= '7' &&
         block[f.at + f.width - 1] == ' ';
}

/* Older star headers have a magic of their own, newer ones only their times. */
static bool is_star(const uint8_t *block)
{
  if (memcmp(block + STAR_MAGIC_AT, "tar", 4) == 0)
    return true;
  return block[star_prefix_field.at + star_prefix_field.width - 1] == '\0' &&
         is_star_time(block, star_atime_field) &&
         is_star_time(block, star_ctime_field);
}

/* Bytes up to the field's NUL or end, terminated; returns how many. */
static size_t copy_text(const uint8_t *block, struct field f, char *to)
{
  const uint8_t *from = block + f.at;
  const uint8_t *end = memchr(from, '\0', f.width);
  size_t len = end ? (size_t)(end - from) : f.width;

  memcpy(to, from, len);
  to[len] = '\0';
  return len;
}

static void copy_texts(const uint8_t *block, struct tarn_tar_header *h)
{
  size_t len = 0;

  if (h->format == TARN_TAR_USTAR && block[prefix_field.at] != '\0') {
    len = copy_text(block, prefix_field, h->path);
    h->path[len++] = '/';
  }
  h->path_len = len + copy_text(block, name_field, h->path + len);
  h->link_len = copy_text(block, link_field, h->link);
  h->uname[0] = h->gname[0] = '\0';
  if (h->format != TARN_TAR_V7) {
    (void)copy_text(block, uname_field, h->uname);
    (void)copy_text(block, gname_field, h->gname);
  }
}

static bool number_at(const uint8_t *block, struct field f, int64_t *out)
{
  return tarn_tar_number(block + f.at, f.width, out);
}

static bool number32_at(const uint8_t *block, struct field f, uint32_t *out)
{
  int64_t value;

  if (!number_at(block, f, &value) || value < 0 || value > UINT32_MAX)
    return false;
  *out = (uint32_t)value;
  return true;
}

/* A negative id stays itself modulo 2^64: no id that can be restored. */
static bool id_at(const uint8_t *block, struct field f, uint64_t *out)
{
  int64_t value;

  if (!number_at(block, f, &value))
    return false;
  *out = (uint64_t)value;
  return true;
}

static bool size_at(const uint8_t *block, struct field f, uint64_t *out)
{
  int64_t value;

  /* As unsigned, a negative size is too large as well. */
  if (!number_at(block, f, &value) || (uint64_t)value > TARN_TAR_MAX_SIZE)
    return false;
  *out = (uint64_t)value;
  return true;
}

/*
 * The newer star has no entries in the header, for it writes names where they
 * were; a block of entries follows always. The older one fills at least the
 * eleventh byte of the first entry.
 */
static void parse_sparse(const uint8_t *block, enum tarn_tar_format format,
                         struct tarn_tar_header_sparse *s)
{
  size_t map_at = GNU_MAP_AT;

  s->star = format == TARN_TAR_USTAR && is_star(block);
  s->n_entries = TARN_TAR_SPARSE_IN_HEADER;
  if (format == TARN_TAR_GNU) {
    s->has_size = size_at(block, gnu_real_field, &s->size);
    s->more = block[GNU_MORE_AT] != 0;
  } else {
    map_at = STAR_MAP_AT;
    s->has_size = s->star && size_at(block, star_real_field, &s->size);
    s->more = block[STAR_MORE_AT] != 0;
    if (!s->star || block[prefix_field.at] != '\0' ||
        block[STAR_MAP_AT + 10] == '\0') {
      s->n_entries = 0;
      s->more = true;
    }
  }
  memcpy(s->entries, block + map_at, sizeof s->entries);
}

static const char *parse_numbers(const uint8_t *block,
                                 struct tarn_tar_header *h)
{
  if (!number32_at(block, mode_field, &h->mode))
    return "mode";
  h->mode &= 07777;
  if (!id_at(block, uid_field, &h->uid))
    return "uid";
  if (!id_at(block, gid_field, &h->gid))
    return "gid";
  if (!number_at(block, mtime_field, &h->mtime))
    return "mtime";
  h->dev_major = h->dev_minor = 0;
  /* Other types have been seen with anything in these two. */
  if (h->type != '3' && h->type != '4')
    return NULL;
  if (!number32_at(block, major_field, &h->dev_major))
    return "devmajor";
  if (!number32_at(block, minor_field, &h->dev_minor))
    return "devminor";
  return NULL;
}

const char *tarn_tar_header_parse(const uint8_t *block,
                                  struct tarn_tar_header *h)
{
  h->format = format_of(block);
  h->type = (char)block[TYPE_AT];
  if (!size_at(block, size_field, &h->size))
    return "size";
  if (tarn_tar_is_long(h->type))
    return NULL;
  if (h->type == 'S')
    parse_sparse(block, h->format, &h->sparse);
  copy_texts(block, h);
  return parse_numbers(block, h);
}
