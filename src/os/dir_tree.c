#include "os/dir_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum {
  NODES_IN_CHUNK = 1024,
  NAMES_IN_CHUNK = 64 * 1024, /* bytes */
  FIRST_SLOTS = 64,
  MOST_NAME = 255,
  /* Bits of `state`, above those of the mode. */
  LINKED = 1 << 12, /* has a place in the tree */
  META = 1 << 13,
  MODE = 1 << 14 /* the mode is to be set back */
};

struct tarn_dir_node {
  uint64_t ino;
  int64_t mtime_sec;
  uint32_t dev; /* 12 bits of major, 20 of minor, as the kernel has it */
  uint32_t mtime_nsec;
  uint32_t parent;
  uint32_t name; /* where it begins */
  uint32_t uid, gid;
  uint32_t extra; /* index + 1, or 0 */
  uint16_t state; /* 07777 and the bits above */
  uint8_t name_len;
  uint8_t set; /* 1: the owner, 2: times */
};

/*
 * Slots are 4 bytes; at most three quarters are full, and while they are
 * doubled the old and the new ones are there: 16 bytes for each node. Two
 * arrays of 4 bytes for sorting come when the slots have gone.
 */
_Static_assert(sizeof(struct tarn_dir_node) + 16 <= 64,
               "a directory takes 64 bytes at most and its name");

static struct tarn_dir_node *node(const struct tarn_dir_tree *t, uint32_t i)
{
  return &t->chunks[i / NODES_IN_CHUNK][i % NODES_IN_CHUNK];
}

static uint32_t pack(dev_t dev)
{
  return (uint32_t)((major(dev) & 0xfffu) << 20 | (minor(dev) & 0xfffffu));
}

static dev_t unpack(uint32_t dev)
{
  return makedev(dev >> 20, dev & 0xfffffu);
}

/* Inode numbers come in rows: spread by the golden ratio. */
static uint32_t slot_of(uint64_t ino, uint32_t dev, uint32_t n_slots)
{
  uint64_t h = (ino ^ (uint64_t)dev << 40) * 0x9e3779b97f4a7c15u;

  return (uint32_t)(h >> 32) & (n_slots - 1);
}

void tarn_dir_tree_init(struct tarn_dir_tree *t, void (*free_extra)(void *))
{
  memset(t, 0, sizeof *t);
  t->free_extra = free_extra;
}

void tarn_dir_tree_free(struct tarn_dir_tree *t)
{
  uint32_t i;

  for (i = 0; i < t->n_chunks; i++)
    free(t->chunks[i]);
  for (i = 0; i < t->n_names; i++)
    free(t->names[i]);
  for (i = 0; i < t->n_extras; i++)
    if (t->extras[i])
      t->free_extra(t->extras[i]);
  free(t->chunks);
  free(t->names);
  free(t->extras);
  free(t->slots);
  free(t->order);
  tarn_dir_tree_init(t, t->free_extra);
}

/* One more pointer in a table of them, which doubles: a few bytes for each
   chunk. */
static bool room_for_pointer(void *table, uint32_t n)
{
  void **old, **grown;

  if (n & (n - 1))
    return true;
  memcpy(&old, table, sizeof old);
  grown = realloc(old, (n ? (size_t)n * 2 : 1) * sizeof *grown);
  if (!grown)
    return false;
  memcpy(table, &grown, sizeof grown);
  return true;
}

/* ---- names ---- */

static const char *name_of(const struct tarn_dir_tree *t,
                           const struct tarn_dir_node *d)
{
  return t->names[d->name / NAMES_IN_CHUNK] + d->name % NAMES_IN_CHUNK;
}

static bool keep_name(struct tarn_dir_tree *t, struct tarn_dir_node *d,
                      const char *name, size_t len)
{
  if (len == d->name_len && (len == 0 || memcmp(name_of(t, d), name, len) == 0))
    return true;
  if (t->n_names == 0 || NAMES_IN_CHUNK - t->name_at < len) {
    if (t->n_names == UINT32_MAX / NAMES_IN_CHUNK ||
        !room_for_pointer(&t->names, t->n_names))
      return false;
    t->names[t->n_names] = malloc(NAMES_IN_CHUNK);
    if (!t->names[t->n_names])
      return false;
    t->n_names++;
    t->name_at = 0;
  }
  memcpy(t->names[t->n_names - 1] + t->name_at, name, len);
  d->name = (t->n_names - 1) * NAMES_IN_CHUNK + (uint32_t)t->name_at;
  d->name_len = (uint8_t)len;
  t->name_at += len;
  return true;
}

/* ---- finding ---- */

/* The slot that has the node, or the empty one where it would be. */
static uint32_t *find_slot(const struct tarn_dir_tree *t, uint64_t ino,
                           uint32_t dev)
{
  uint32_t at = slot_of(ino, dev, t->n_slots);

  for (;; at = (at + 1) & (t->n_slots - 1)) {
    const struct tarn_dir_node *d;

    if (t->slots[at] == 0)
      return &t->slots[at];
    d = node(t, t->slots[at] - 1);
    if (d->ino == ino && d->dev == dev)
      return &t->slots[at];
  }
}

static bool more_slots(struct tarn_dir_tree *t)
{
  uint32_t *old = t->slots, i;

  if (t->n < t->n_slots / 4 * 3)
    return true;
  if (t->n_slots > UINT32_MAX / 2)
    return false;
  t->n_slots = old ? t->n_slots * 2 : FIRST_SLOTS;
  t->slots = calloc(t->n_slots, sizeof *t->slots);
  if (!t->slots) {
    t->slots = old;
    t->n_slots = old ? t->n_slots / 2 : 0;
    return false;
  }
  for (i = 0; i < t->n; i++)
    *find_slot(t, node(t, i)->ino, node(t, i)->dev) = i + 1;
  free(old);
  return true;
}

/* Its index whether it is linked or not, or TARN_DIR_NONE. */
static uint32_t find_any(const struct tarn_dir_tree *t,
                         const struct tarn_inode *inode)
{
  if (!t->slots)
    return TARN_DIR_NONE;
  return *find_slot(t, (uint64_t)inode->ino, pack(inode->dev)) - 1;
}

uint32_t tarn_dir_tree_find(const struct tarn_dir_tree *t,
                            const struct tarn_inode *inode)
{
  uint32_t i = find_any(t, inode);

  return i != TARN_DIR_NONE && node(t, i)->state & LINKED ? i : TARN_DIR_NONE;
}

/* ---- putting ---- */

static uint32_t new_node(struct tarn_dir_tree *t,
                         const struct tarn_inode *inode)
{
  struct tarn_dir_node *d;

  if (t->n / NODES_IN_CHUNK == t->n_chunks) {
    if (!room_for_pointer(&t->chunks, t->n_chunks))
      return TARN_DIR_NONE;
    t->chunks[t->n_chunks] = malloc(NODES_IN_CHUNK * sizeof *d);
    if (!t->chunks[t->n_chunks])
      return TARN_DIR_NONE;
    t->n_chunks++;
  }
  if (!more_slots(t))
    return TARN_DIR_NONE;
  d = node(t, t->n);
  memset(d, 0, sizeof *d);
  d->ino = (uint64_t)inode->ino;
  d->dev = pack(inode->dev);
  d->parent = TARN_DIR_NONE;
  *find_slot(t, d->ino, d->dev) = t->n + 1;
  return t->n++;
}

uint32_t tarn_dir_tree_put(struct tarn_dir_tree *t,
                           const struct tarn_inode *inode, uint32_t parent,
                           const char *name, size_t len)
{
  uint32_t i = find_any(t, inode);
  struct tarn_dir_node *d;

  if (len > MOST_NAME)
    return TARN_DIR_NONE;
  if (i == TARN_DIR_NONE)
    i = new_node(t, inode);
  if (i == TARN_DIR_NONE || !keep_name(t, node(t, i), name, len))
    return TARN_DIR_NONE;
  d = node(t, i);
  d->parent = parent;
  d->state |= LINKED;
  return i;
}

static void drop_extra(struct tarn_dir_tree *t, struct tarn_dir_node *d)
{
  if (!d->extra)
    return;
  t->free_extra(t->extras[d->extra - 1]);
  t->extras[d->extra - 1] = NULL;
  d->extra = 0;
}

static bool keep_extra(struct tarn_dir_tree *t, struct tarn_dir_node *d,
                       void *extra)
{
  if (d->extra && extra) {
    t->free_extra(t->extras[d->extra - 1]);
    t->extras[d->extra - 1] = extra;
    return true;
  }
  drop_extra(t, d);
  if (!extra)
    return true;
  if (!room_for_pointer(&t->extras, t->n_extras)) {
    t->free_extra(extra);
    return false;
  }
  t->extras[t->n_extras] = extra;
  d->extra = ++t->n_extras;
  return true;
}

bool tarn_dir_tree_set(struct tarn_dir_tree *t, uint32_t i,
                       const struct tarn_meta *meta, void *extra)
{
  struct tarn_dir_node *d = node(t, i);

  d->mtime_sec = meta->mtime.sec;
  d->mtime_nsec = meta->mtime.nsec;
  d->uid = (uint32_t)meta->uid;
  d->gid = (uint32_t)meta->gid;
  d->set = (uint8_t)(meta->set_owner | meta->set_times << 1);
  d->state = (uint16_t)(LINKED | META | (meta->mode & 07777));
  return keep_extra(t, d, extra);
}

void tarn_dir_tree_keep_mode(struct tarn_dir_tree *t, uint32_t i, mode_t mode)
{
  struct tarn_dir_node *d = node(t, i);

  if (!(d->state & (META | MODE)))
    d->state = (uint16_t)(LINKED | MODE | (mode & 07777));
}

void tarn_dir_tree_forget(struct tarn_dir_tree *t,
                          const struct tarn_inode *inode)
{
  uint32_t i = find_any(t, inode);

  if (i == TARN_DIR_NONE)
    return;
  drop_extra(t, node(t, i));
  node(t, i)->state = 0;
}

/* ---- the end ---- */

/*
 * How deep each node is: up to the first that is known, and once more to say
 * it. What goes in a circle is not there any more: any depth will do.
 */
static uint32_t find_depths(const struct tarn_dir_tree *t, uint32_t *depth)
{
  const uint32_t on_the_way = UINT32_MAX;
  uint32_t i, deepest = 0;

  for (i = 0; i < t->n; i++) {
    uint32_t at = i, n = 0, base = 0;

    while (at != TARN_DIR_NONE && depth[at] == 0) {
      depth[at] = on_the_way;
      at = node(t, at)->parent;
      n++;
    }
    if (at != TARN_DIR_NONE && depth[at] != on_the_way)
      base = depth[at];
    if (base + n > deepest)
      deepest = base + n;
    for (at = i; n > 0; n--) {
      depth[at] = base + n;
      at = node(t, at)->parent;
    }
  }
  return deepest;
}

static bool is_to_finish(const struct tarn_dir_tree *t, uint32_t i)
{
  return node(t, i)->state & (META | MODE);
}

/* Counting sort: `starts` has where the nodes of each depth go. */
static void sort_by(struct tarn_dir_tree *t, const uint32_t *depth,
                    uint32_t *starts, uint32_t deepest)
{
  uint32_t i, at = 0;

  for (i = 0; i < t->n; i++)
    if (is_to_finish(t, i))
      starts[depth[i]]++;
  for (i = deepest + 1; i-- > 0;) {
    uint32_t n = starts[i];

    starts[i] = at;
    at += n;
  }
  t->n_order = at;
  for (i = 0; i < t->n; i++)
    if (is_to_finish(t, i))
      t->order[starts[depth[i]]++] = i;
}

bool tarn_dir_tree_sort(struct tarn_dir_tree *t)
{
  uint32_t *depth, *starts, deepest;

  free(t->slots);
  t->slots = NULL;
  t->n_slots = 0;
  if (t->n == 0)
    return true;
  depth = calloc(t->n, sizeof *depth);
  if (!depth)
    return false;
  deepest = find_depths(t, depth);
  starts = calloc((size_t)deepest + 1, sizeof *starts);
  t->order = malloc(t->n * sizeof *t->order);
  if (starts && t->order)
    sort_by(t, depth, starts, deepest);
  free(depth);
  free(starts);
  return starts && t->order;
}

uint32_t tarn_dir_tree_next(struct tarn_dir_tree *t)
{
  return t->next < t->n_order ? t->order[t->next++] : TARN_DIR_NONE;
}

void tarn_dir_tree_get(const struct tarn_dir_tree *t, uint32_t i,
                       struct tarn_dir_finish *finish)
{
  const struct tarn_dir_node *d = node(t, i);

  memset(finish, 0, sizeof *finish);
  finish->set_meta = d->state & META;
  finish->inode.dev = unpack(d->dev);
  finish->inode.ino = (ino_t)d->ino;
  finish->meta.set_owner = d->set & 1;
  finish->meta.set_times = d->set & 2;
  finish->meta.uid = (uid_t)d->uid;
  finish->meta.gid = (gid_t)d->gid;
  finish->meta.mode = d->state & 07777;
  finish->meta.mtime.sec = d->mtime_sec;
  finish->meta.mtime.nsec = d->mtime_nsec;
  finish->extra = d->extra ? t->extras[d->extra - 1] : NULL;
}

char *tarn_dir_tree_path(const struct tarn_dir_tree *t, uint32_t i)
{
  size_t len = 0;
  uint32_t at, n = 0;
  char *path, *end;

  for (at = i; node(t, at)->parent != TARN_DIR_NONE; at = node(t, at)->parent) {
    if (n++ == t->n) {
      errno = ELOOP;
      return NULL;
    }
    len += (size_t)node(t, at)->name_len + 1;
  }
  path = malloc(len + 1);
  if (!path)
    return NULL;
  end = path + len;
  *end = '\0';
  for (at = i; n > 0; n--, at = node(t, at)->parent) {
    const struct tarn_dir_node *d = node(t, at);

    end -= d->name_len + 1;
    memcpy(end, name_of(t, d), d->name_len);
    end[d->name_len] = '/';
  }
  if (len > 0)
    path[len - 1] = '\0';
  return path;
}
