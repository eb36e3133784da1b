#include "os/acl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
  /* As in linux/posix_acl_xattr.h and linux/posix_acl.h. */
  VERSION = 2,
  USER_OBJ = 0x01,
  USER = 0x02,
  GROUP_OBJ = 0x04,
  GROUP = 0x08,
  MASK = 0x10,
  OTHER = 0x20,
  HEADER_LEN = 4,
  ENTRY_LEN = 8,
  NAME_CAP = 256
};

static const uint32_t NO_ID = UINT32_MAX;

struct entry {
  uint16_t tag, perm;
  uint32_t id;
};

struct list {
  struct entry entries[TARN_ACL_MAX_ENTRIES];
  size_t n;
};

/* ---- what both forms share ---- */

static bool is_named(uint16_t tag)
{
  return tag == USER || tag == GROUP;
}

static int map_id(const struct tarn_acl_ids *ids, struct entry *e)
{
  const struct tarn_id_map *map = e->tag == USER ? ids->uid_map : ids->gid_map;
  uint64_t to = e->id;

  if (map && !tarn_id_map_find(map, e->id, &to))
    return -EOVERFLOW;
  e->id = (uint32_t)to;
  return 0;
}

static int add(struct list *l, const struct tarn_acl_ids *ids, struct entry e)
{
  int rc = is_named(e.tag) ? map_id(ids, &e) : 0;

  if (rc < 0)
    return rc;
  if (l->n == TARN_ACL_MAX_ENTRIES)
    return -E2BIG;
  l->entries[l->n++] = e;
  return 0;
}

static int by_tag_and_id(const void *a, const void *b)
{
  const struct entry *x = a, *y = b;

  if (x->tag != y->tag)
    return x->tag < y->tag ? -1 : 1;
  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  return 0;
}

/* As most lists are from the start. */
static bool is_sorted(const struct list *l)
{
  size_t i;

  for (i = 1; i < l->n; i++)
    if (by_tag_and_id(&l->entries[i - 1], &l->entries[i]) > 0)
      return false;
  return true;
}

/* One of each of the three that every list has, and a mask where somebody is
   named. The list is sorted. */
static bool is_complete(const struct list *l)
{
  unsigned tags = 0;
  size_t i;

  for (i = 0; i < l->n; i++) {
    if (i > 0 && by_tag_and_id(&l->entries[i - 1], &l->entries[i]) == 0)
      return false;
    tags |= l->entries[i].tag;
  }
  if ((tags & (USER_OBJ | GROUP_OBJ | OTHER)) != (USER_OBJ | GROUP_OBJ | OTHER))
    return false;
  return !(tags & (USER | GROUP)) || tags & MASK;
}

static void put16(uint8_t *to, uint16_t value)
{
  to[0] = (uint8_t)(value & 0xff);
  to[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *to, uint32_t value)
{
  put16(to, (uint16_t)(value & 0xffff));
  put16(to + 2, (uint16_t)(value >> 16));
}

static int64_t write_list(struct list *l, uint8_t *value, size_t cap)
{
  size_t i, len = HEADER_LEN + ENTRY_LEN * l->n;

  if (!is_sorted(l))
    qsort(l->entries, l->n, sizeof l->entries[0], by_tag_and_id);
  if (!is_complete(l))
    return -EINVAL;
  if (len > cap)
    return -E2BIG;
  put32(value, VERSION);
  value += HEADER_LEN;
  for (i = 0; i < l->n; i++, value += ENTRY_LEN) {
    put16(value, l->entries[i].tag);
    put16(value + 2, l->entries[i].perm);
    put32(value + 4, l->entries[i].id);
  }
  return (int64_t)len;
}

/* ---- text ---- */

static const struct tag {
  const char *word;
  uint16_t alone, named; /* named: 0 when there is no such */
} tags[] = {{"user", USER_OBJ, USER},
            {"group", GROUP_OBJ, GROUP},
            {"mask", MASK, 0},
            {"other", OTHER, 0}};

static const char *skip_blanks(const char *p)
{
  return p + strspn(p, " \t\r");
}

/* The word or its first letter, and a colon: what is behind, else NULL. */
static const char *behind_tag(const char *p, const char *word)
{
  size_t len = strcspn(p, ": \t\r,\n#");

  if (len == 0 || (len != 1 && len != strlen(word)) ||
      strncmp(p, word, len) != 0)
    return NULL;
  p = skip_blanks(p + len);
  return *p == ':' ? skip_blanks(p + 1) : NULL;
}

static bool is_octal(char c)
{
  return c >= '0' && c <= '7';
}

/* Up to the colon behind it, which must be there; what is behind, or NULL. */
static const char *take_name(const char *p, char name[NAME_CAP])
{
  size_t len = strcspn(p, ":,\n"), end = len, n = 0, i;

  if (p[len] != ':')
    return NULL;
  while (end > 0 && strchr(" \t\r", p[end - 1]))
    end--;
  for (i = 0; i < end; i++) {
    char c = p[i];

    if (c == '\\' && end - i > 3 && is_octal(p[i + 1]) && is_octal(p[i + 2]) &&
        is_octal(p[i + 3])) {
      c = (char)((p[i + 1] - '0') << 6 | (p[i + 2] - '0') << 3 |
                 (p[i + 3] - '0'));
      i += 3;
    }
    if (c == '\0' || n == NAME_CAP - 1)
      return NULL;
    name[n++] = c;
  }
  name[n] = '\0';
  return skip_blanks(p + len + 1);
}

static const char *take_perms(const char *p, uint16_t *perm)
{
  const char *from = p;

  for (*perm = 0; p - from < 3; p++) {
    uint16_t bit = *p == 'r' ? 4 : *p == 'w' ? 2 : *p == 'x' ? 1 : 0;

    if ((bit == 0 && *p != '-') || *perm & bit)
      break;
    *perm |= bit;
  }
  return p == from ? NULL : skip_blanks(p);
}

/* Digits only, and no more than an id may be. */
static const char *take_number(const char *p, uint32_t *id)
{
  const char *from = p;
  uint64_t value = 0;

  for (; *p >= '0' && *p <= '9' && value < NO_ID; p++)
    value = value * 10 + (uint64_t)(*p - '0');
  if (p == from || value >= NO_ID)
    return NULL;
  *id = (uint32_t)value;
  return p;
}

static bool is_number(const char *text, uint32_t *id)
{
  const char *end = take_number(text, id);

  return end && *end == '\0';
}

static bool look_up(struct tarn_owner_cache *owners, struct entry *e,
                    const char *name)
{
  return e->tag == USER ? tarn_owner_find_user(owners, name, &e->id)
                        : tarn_owner_find_group(owners, name, &e->id);
}

/* Nobody is asked for a name of digits: archives with numeric owners have many
   of them. */
static bool find_id(struct tarn_owner_cache *owners, struct entry *e,
                    const char *name, const uint32_t *number)
{
  bool numeric = tarn_owner_is_numeric(owners);
  bool digits = is_number(name, &e->id);

  if (!numeric && !digits && look_up(owners, e, name))
    return true;
  if (number)
    e->id = *number;
  return number || digits || (numeric && look_up(owners, e, name));
}

static const char *skip_comment(const char *p)
{
  static const char effective[] = "#effective:";

  if (*p != '#')
    return p;
  return p + strcspn(p, strncmp(p, effective, sizeof effective - 1) == 0
                            ? ",\n"
                            : "\n");
}

/* One entry from its tag to what ends it, or NULL. */
static const char *take_entry(const char *p, struct tarn_owner_cache *owners,
                              struct entry *e)
{
  const char *next = behind_tag(p, "default");
  uint32_t number, *has_number = NULL;
  char name[NAME_CAP] = "";
  size_t i;

  p = next ? next : p;
  for (i = 0; i < sizeof tags / sizeof tags[0]; i++)
    if ((next = behind_tag(p, tags[i].word)))
      break;
  if (!next)
    return NULL;
  if (tags[i].named)
    p = take_name(next, name);
  else
    p = *next == ':' ? skip_blanks(next + 1) : next;
  e->tag = name[0] ? tags[i].named : tags[i].alone;
  e->id = NO_ID;
  p = p ? take_perms(p, &e->perm) : NULL;
  if (p && *p == ':' && name[0]) {
    p = take_number(skip_blanks(p + 1), &number);
    has_number = &number;
  }
  if (!p)
    return NULL;
  p = skip_comment(skip_blanks(p));
  if ((*p != '\0' && *p != ',' && *p != '\n') ||
      (name[0] && !find_id(owners, e, name, has_number)))
    return NULL;
  return p;
}

static int64_t read_list(const struct tarn_acl_ids *ids, const char *p,
                         uint8_t *value, size_t cap)
{
  struct list l;
  int rc = 0;

  l.n = 0;
  while (rc == 0) {
    struct entry e;

    p += strspn(p, " \t\r\n,");
    if (*p == '\0')
      return write_list(&l, value, cap);
    if (*p == '#') {
      p = skip_comment(p);
      continue;
    }
    p = take_entry(p, ids->owners, &e);
    rc = p ? add(&l, ids, e) : -EINVAL;
  }
  return rc;
}

size_t tarn_acl_value_cap(const char *text, size_t len)
{
  size_t n = 1, i;

  for (i = 0; i < len && n < TARN_ACL_MAX_ENTRIES; i++)
    n += text[i] == ',' || text[i] == '\n';
  return HEADER_LEN + ENTRY_LEN * n;
}

int64_t tarn_acl_from_text(const struct tarn_acl_ids *ids, const char *text,
                           size_t len, uint8_t *value, size_t cap)
{
  char *copy;
  int64_t n;

  if (memchr(text, '\0', len))
    return -EINVAL;
  copy = strndup(text, len);
  if (!copy)
    return -ENOMEM;
  n = read_list(ids, copy, value, cap);
  free(copy);
  return n;
}

/* ---- a value ---- */

static uint16_t get16(const uint8_t *from)
{
  return (uint16_t)(from[0] | from[1] << 8);
}

static uint32_t get32(const uint8_t *from)
{
  return get16(from) | (uint32_t)get16(from + 2) << 16;
}

/* The id of those that are not named says nothing. */
static bool read_entry(const uint8_t *from, struct entry *e)
{
  e->tag = get16(from);
  e->perm = get16(from + 2);
  e->id = is_named(e->tag) ? get32(from + 4) : NO_ID;
  if (e->perm > 7 || (is_named(e->tag) && e->id == NO_ID))
    return false;
  return e->tag != 0 && e->tag <= OTHER && (e->tag & (e->tag - 1)) == 0;
}

int64_t tarn_acl_from_value(const struct tarn_acl_ids *ids, uint8_t *value,
                            size_t len)
{
  struct list l;
  size_t at;
  int rc = 0;

  if (len < HEADER_LEN || len % ENTRY_LEN != HEADER_LEN ||
      get32(value) != VERSION)
    return -EINVAL;
  l.n = 0;
  for (at = HEADER_LEN; at < len && rc == 0; at += ENTRY_LEN) {
    struct entry e;

    rc = read_entry(value + at, &e) ? add(&l, ids, e) : -EINVAL;
  }
  return rc < 0 ? rc : write_list(&l, value, len);
}
