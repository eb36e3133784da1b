#include "os/xattr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#define ACL_ACCESS  "system.posix_acl_access"
#define ACL_DEFAULT "system.posix_acl_default"
#define CAPABILITY  "security.capability"

/* What becomes of a list when it is resolved. */
enum form { READY = 0, TEXT, VALUE };

struct item {
  enum tarn_xattr_step step;
  enum form form;
  const char *name;
  uint8_t *value;
  size_t len, cap;
  int failed; /* a list that could not be resolved: -errno */
};

struct tarn_xattrs {
  size_t n, size;
  unsigned refs;
  struct item items[];
};

/* ---- which ---- */

static bool is_list(const char *name)
{
  return strcmp(name, ACL_ACCESS) == 0 || strcmp(name, ACL_DEFAULT) == 0;
}

static enum tarn_xattr_step step_of(const char *name)
{
  if (is_list(name))
    return TARN_XATTR_LISTS;
  return strcmp(name, CAPABILITY) == 0 ? TARN_XATTR_CAPABILITIES
                                       : TARN_XATTR_PLAIN;
}

static bool is_usual(const struct tarn_xattr_policy *p, const char *name)
{
  switch (step_of(name)) {
  case TARN_XATTR_LISTS:
    return p->privileged && !p->no_lists;
  case TARN_XATTR_CAPABILITIES:
    return p->privileged;
  case TARN_XATTR_PLAIN:
  default:
    return strncmp(name, "user.", 5) == 0;
  }
}

bool tarn_xattr_wanted(const struct tarn_xattr_policy *p, const char *name)
{
  if (p->none)
    return false;
  return is_usual(p, name) ||
         (p->include && tarn_select_takes(p->include, name, strlen(name)));
}

/* ---- copying ---- */

/* What is wanted of an entry, one after another. */
struct wanted {
  const struct tarn_xattr_policy *policy;
  const struct tarn_entry *entry;
  size_t next; /* the lists' texts, then the attributes */
};

/* Symbolic links have no lists, and only directories have a default one. */
static bool has_lists(const struct tarn_entry *e, bool is_default)
{
  return is_default ? e->type == TARN_ENTRY_DIR : e->type != TARN_ENTRY_SYMLINK;
}

static const char *text_of(const struct tarn_entry *e, bool is_default)
{
  if (!has_lists(e, is_default))
    return "";
  return is_default ? e->acl_default : e->acl_access;
}

/* A list may come as text and as the attribute: the text is portable. */
static bool is_wanted(const struct wanted *w, const struct tarn_xattr *x)
{
  bool is_default = strcmp(x->name, ACL_DEFAULT) == 0;

  if (!tarn_xattr_wanted(w->policy, x->name))
    return false;
  return !is_list(x->name) || (has_lists(w->entry, is_default) &&
                               text_of(w->entry, is_default)[0] == '\0');
}

static bool next_wanted(struct wanted *w, struct item *item)
{
  static const char *const lists[] = {ACL_ACCESS, ACL_DEFAULT};

  while (w->next < 2 + w->entry->n_xattrs) {
    size_t i = w->next++;
    const struct tarn_xattr *x;

    memset(item, 0, sizeof *item);
    if (i < 2) {
      const char *text = text_of(w->entry, i == 1);

      if (!text[0] || !tarn_xattr_wanted(w->policy, lists[i]))
        continue;
      item->step = TARN_XATTR_LISTS;
      item->form = TEXT;
      item->name = lists[i];
      item->value = (uint8_t *)(uintptr_t)text; /* copied, never written */
      item->len = strlen(text);
      item->cap = item->len + tarn_acl_value_cap(text, item->len);
      return true;
    }
    x = &w->entry->xattrs[i - 2];
    if (!is_wanted(w, x))
      continue;
    item->step = step_of(x->name);
    item->form = is_list(x->name) ? VALUE : READY;
    item->name = x->name;
    item->value = (uint8_t *)(uintptr_t)x->value;
    item->len = item->cap = x->len;
    return true;
  }
  return false;
}

static size_t bytes_of(const struct item *item)
{
  return strlen(item->name) + 1 + item->cap;
}

/* With room for `n` items and the bytes of all. */
static struct tarn_xattrs *alloc(size_t n, size_t bytes)
{
  size_t size = sizeof(struct tarn_xattrs) + n * sizeof(struct item) + bytes;
  struct tarn_xattrs *x = calloc(1, size);

  if (!x)
    return NULL;
  x->size = size;
  x->refs = 1;
  return x;
}

/* Adds a copy whose bytes are at `at`; returns what is behind them. */
static char *add_copy(struct tarn_xattrs *x, struct item item, char *at)
{
  size_t name_len = strlen(item.name) + 1;

  memcpy(at, item.name, name_len);
  item.name = at;
  at += name_len;
  if (item.len > 0)
    memcpy(at, item.value, item.len);
  item.value = (uint8_t *)at;
  x->items[x->n++] = item;
  return at + item.cap;
}

int tarn_xattrs_new(struct tarn_xattrs **out, const struct tarn_xattr_policy *p,
                    const struct tarn_entry *entry)
{
  struct wanted w = {p, entry, 0};
  size_t n = 0, bytes = 0;
  struct tarn_xattrs *x;
  struct item item;
  char *at;

  *out = NULL;
  if (entry->n_xattrs == 0 && !entry->acl_access[0] && !entry->acl_default[0])
    return 0;
  while (next_wanted(&w, &item)) {
    n++;
    bytes += bytes_of(&item);
  }
  if (n == 0)
    return 0;
  x = alloc(n, bytes);
  if (!x)
    return -ENOMEM;
  at = (char *)&x->items[n];
  w.next = 0;
  while (next_wanted(&w, &item))
    at = add_copy(x, item, at);
  *out = x;
  return 0;
}

void tarn_xattrs_free(struct tarn_xattrs *x)
{
  if (x && --x->refs == 0)
    free(x);
}

size_t tarn_xattrs_size(const struct tarn_xattrs *x)
{
  return x ? x->size : 0;
}

/* ---- keeping ---- */

/* The first from `i` on that is not plain. */
static const struct item *next_late(const struct tarn_xattrs *x, size_t *i)
{
  while (x && *i < x->n) {
    const struct item *item = &x->items[(*i)++];

    if (item->step != TARN_XATTR_PLAIN)
      return item;
  }
  return NULL;
}

static bool is_same(const struct item *a, const struct item *b)
{
  return strcmp(a->name, b->name) == 0 && a->failed == b->failed &&
         a->len == b->len &&
         (a->len == 0 || memcmp(a->value, b->value, a->len) == 0);
}

static bool keeps_the_same(const struct tarn_xattrs *x,
                           const struct tarn_xattrs *last)
{
  const struct item *item;
  size_t i = 0, n = 0;

  while ((item = next_late(x, &i)))
    if (n == last->n || !is_same(item, &last->items[n++]))
      return false;
  return n == last->n;
}

int tarn_xattrs_keep(struct tarn_xattrs **kept, const struct tarn_xattrs *x,
                     struct tarn_xattrs **last)
{
  size_t n = 0, bytes = 0, i = 0;
  const struct item *item;
  char *at;

  *kept = NULL;
  while ((item = next_late(x, &i))) {
    n++;
    bytes += strlen(item->name) + 1 + item->len;
  }
  if (n == 0)
    return 0;
  if (!*last || !keeps_the_same(x, *last)) {
    struct tarn_xattrs *copy = alloc(n, bytes);

    if (!copy)
      return -ENOMEM;
    at = (char *)&copy->items[n];
    for (i = 0; (item = next_late(x, &i));) {
      struct item exact = *item;

      exact.cap = exact.len;
      at = add_copy(copy, exact, at);
    }
    tarn_xattrs_free(*last);
    *last = copy;
  }
  (*last)->refs++;
  *kept = *last;
  return 0;
}

/* ---- applying ---- */

static int64_t resolve(struct item *item, const struct tarn_acl_ids *ids)
{
  uint8_t *text = item->value;

  if (item->form == VALUE)
    return tarn_acl_from_value(ids, item->value, item->len);
  item->value += item->len;
  return tarn_acl_from_text(ids, (const char *)text, item->len, item->value,
                            item->cap - item->len);
}

void tarn_xattrs_resolve(struct tarn_xattrs *x, const struct tarn_acl_ids *ids)
{
  size_t i;

  for (i = 0; x && i < x->n; i++) {
    struct item *item = &x->items[i];
    int64_t len;

    if (item->form == READY)
      continue;
    len = resolve(item, ids);
    item->form = READY;
    item->failed = len < 0 ? (int)len : 0;
    item->len = len < 0 ? 0 : (size_t)len;
  }
}

/* ext4 has a block for all attributes of a file and says ENOSPC when it is
   full, which is no full disk. */
static bool is_full_disk(const struct tarn_xattr_place *p)
{
  struct statvfs fs;

  return p->fd >= 0 && fstatvfs(p->fd, &fs) == 0 && fs.f_bfree == 0;
}

static int set(const struct tarn_xattr_place *p, const struct item *item)
{
  int rc;

  if (p->fd >= 0)
    rc = fsetxattr(p->fd, item->name, item->value, item->len, 0);
  else if (p->follow)
    rc = setxattr(p->path, item->name, item->value, item->len, 0);
  else
    rc = lsetxattr(p->path, item->name, item->value, item->len, 0);
  if (rc == 0)
    return 0;
  return errno == ENOSPC && !is_full_disk(p) ? -EOVERFLOW : -errno;
}

int tarn_xattrs_apply(const struct tarn_xattr_place *place,
                      const struct tarn_xattrs *x, enum tarn_xattr_step step,
                      const char **what)
{
  size_t i;
  int first = 0;

  for (i = 0; x && i < x->n; i++) {
    const struct item *item = &x->items[i];
    int rc;

    if (item->step != step)
      continue;
    rc = item->failed ? item->failed : set(place, item);
    if (rc < 0 && first == 0) {
      first = rc;
      *what = item->name;
    }
  }
  return first;
}

void tarn_xattrs_clear_default(const struct tarn_xattr_place *place,
                               const struct tarn_xattrs *x)
{
  size_t i;

  for (i = 0; x && i < x->n; i++)
    if (!x->items[i].failed && strcmp(x->items[i].name, ACL_DEFAULT) == 0)
      (void)lremovexattr(place->path, ACL_DEFAULT);
}
