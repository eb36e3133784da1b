#include "os/dircache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/list.h"

enum {
  DIR_FLAGS = O_PATH | O_DIRECTORY,
  /* Paths may be a MiB long. All that are kept together are below this, the
     two newest excepted. */
  MAX_PATH_BYTES = 256 * 1024,
  N_KEPT = 2
};

struct dir {
  struct tarn_list lru;
  struct dir *next; /* in its bucket */
  uint64_t hash;
  int fd;
  struct tarn_inode inode; /* 0: not asked for yet */
  size_t len;
  char path[]; /* NUL-terminated */
};

/*
 * 1. Every dir is in one bucket and in `lru`, oldest first.
 * 2. `newest` is the last of `lru`, or NULL when there is none.
 */
struct tarn_dircache {
  struct tarn_beneath *beneath;
  struct dir *newest;
  struct tarn_list lru;
  struct tarn_inode root_inode; /* 0: not asked for yet */
  unsigned max_open, n_open;
  size_t n_path_bytes;
  size_t mask;
  struct dir *buckets[];
};

/* FNV-1a: short keys, and few enough that collisions cannot hurt. A hash goes
   on where that of a shorter path ended. */
static const uint64_t HASH_START = 0xcbf29ce484222325u;

static uint64_t hash_on(uint64_t h, char c)
{
  return (h ^ (unsigned char)c) * 0x100000001b3u;
}

static uint64_t hash_of(const char *path, size_t len)
{
  uint64_t h = HASH_START;

  for (size_t i = 0; i < len; i++)
    h = hash_on(h, path[i]);
  return h;
}

static size_t bucket_of(const struct tarn_dircache *c, uint64_t hash)
{
  return (size_t)(hash ^ (hash >> 32)) & c->mask;
}

struct tarn_dircache *tarn_dircache_new(struct tarn_beneath *b,
                                        unsigned max_open)
{
  struct tarn_dircache *c;
  size_t n_buckets = 4;

  if (max_open < N_KEPT)
    max_open = N_KEPT;
  while (n_buckets < 2 * (size_t)max_open)
    n_buckets *= 2;
  c = calloc(1, sizeof *c + n_buckets * sizeof c->buckets[0]);
  if (!c)
    return NULL;
  c->beneath = b;
  c->max_open = max_open;
  c->mask = n_buckets - 1;
  tarn_list_init(&c->lru);
  return c;
}

static struct dir *find(const struct tarn_dircache *c, const char *path,
                        size_t len, uint64_t hash)
{
  struct dir *d = c->buckets[bucket_of(c, hash)];

  while (d &&
         (d->hash != hash || d->len != len || memcmp(d->path, path, len) != 0))
    d = d->next;
  return d;
}

static void make_newest(struct tarn_dircache *c, struct dir *d)
{
  tarn_list_remove(&d->lru);
  tarn_list_append(&c->lru, &d->lru);
  c->newest = d;
}

static void forget_oldest(struct tarn_dircache *c)
{
  struct dir *d = TARN_CONTAINER(c->lru.next, struct dir, lru);
  struct dir **at = &c->buckets[bucket_of(c, d->hash)];

  while (*at != d)
    at = &(*at)->next;
  *at = d->next;
  tarn_list_remove(&d->lru);
  if (c->newest == d)
    c->newest = NULL;
  c->n_open--;
  c->n_path_bytes -= d->len;
  (void)close(d->fd);
  free(d);
}

void tarn_dircache_drop(struct tarn_dircache *c)
{
  while (c->n_open > 0)
    forget_oldest(c);
}

void tarn_dircache_free(struct tarn_dircache *c)
{
  if (!c)
    return;
  tarn_dircache_drop(c);
  free(c);
}

static void insert(struct tarn_dircache *c, struct dir *d)
{
  struct dir **bucket = &c->buckets[bucket_of(c, d->hash)];

  d->next = *bucket;
  *bucket = d;
  make_newest(c, d);
  c->n_open++;
  c->n_path_bytes += d->len;
  while (c->n_open > c->max_open ||
         (c->n_path_bytes > MAX_PATH_BYTES && c->n_open > N_KEPT))
    forget_oldest(c);
}

/* When descriptors are out, those kept for later give way; the newest may
   still be in a caller's hand. */
static int open_beneath(struct tarn_dircache *c, const char *path)
{
  int fd = tarn_beneath_open(c->beneath, path, DIR_FLAGS);

  if ((fd != -EMFILE && fd != -ENFILE) || c->n_open < N_KEPT)
    return fd;
  while (c->n_open >= N_KEPT)
    forget_oldest(c);
  return tarn_beneath_open(c->beneath, path, DIR_FLAGS);
}

static int open_child(int parent, const char *name)
{
  int fd = openat(parent, name, DIR_FLAGS | O_NOFOLLOW | O_CLOEXEC);

  return fd < 0 ? -errno : fd;
}

/*
 * The directory `name`, the last component of `path`, in `parent`; made if
 * there is nothing. A link there is resolved from the root, as it may lead
 * above `parent`.
 */
static int open_or_make(struct tarn_dircache *c, int parent, const char *path,
                        const char *name, mode_t mode, unsigned *n_made)
{
  int fd = open_child(parent, name);

  if (fd == -ENOENT) {
    if (mkdirat(parent, name, mode) == 0)
      (*n_made)++;
    else if (errno != EEXIST)
      return -errno;
    fd = open_child(parent, name);
  }
  if (fd != -ENOTDIR && fd != -ELOOP)
    return fd;
  fd = open_beneath(c, path);
  return fd == -ENOENT ? -ENOTDIR : fd; /* the link leads to nothing */
}

/* The descriptor of the longest cached beginning of d->path, lent, and its
   length; of nothing: the root. */
static int longest_known(const struct tarn_dircache *c, const struct dir *d,
                         size_t *len)
{
  uint64_t hash = HASH_START;
  int fd = c->beneath->root;

  *len = 0;
  for (size_t i = 0; i < d->len; i++) {
    const struct dir *known =
        d->path[i] == '/' ? find(c, d->path, i, hash) : NULL;

    if (known) {
      *len = i;
      fd = known->fd;
    }
    hash = hash_on(hash, d->path[i]);
  }
  return fd;
}

/* Makes what is missing of d->path from the top down. */
static int make_dirs(struct tarn_dircache *c, struct dir *d, mode_t mode,
                     unsigned *n_made)
{
  size_t at;
  int parent = longest_known(c, d, &at);
  int own = -1;

  parent = fcntl(parent, F_DUPFD_CLOEXEC, 0);
  if (parent < 0)
    return -errno;
  while (at < d->len) {
    char *name = d->path + (at ? at + 1 : 0);
    char *end = strchr(name, '/');

    if (!end)
      end = d->path + d->len;
    *end = '\0';
    own = open_or_make(c, parent, d->path, name, mode, n_made);
    at = (size_t)(end - d->path);
    if (at < d->len)
      *end = '/';
    (void)close(parent);
    if (own < 0)
      return own;
    parent = own;
  }
  return parent;
}

static int fill(struct tarn_dircache *c, const char *path, size_t len,
                uint64_t hash, mode_t make_mode, unsigned *n_made)
{
  struct dir *d = malloc(sizeof *d + len + 1);

  if (!d)
    return -ENOMEM;
  tarn_list_init(&d->lru);
  d->hash = hash;
  d->inode.ino = 0;
  d->len = len;
  memcpy(d->path, path, len);
  d->path[len] = '\0';
  d->fd = open_beneath(c, d->path);
  if (d->fd == -ENOENT && make_mode)
    d->fd = make_dirs(c, d, make_mode, n_made);
  if (d->fd < 0) {
    int rc = d->fd;

    free(d);
    return rc;
  }
  insert(c, d);
  return d->fd;
}

int tarn_dircache_get(struct tarn_dircache *c, const char *path, size_t len,
                      mode_t make_mode, unsigned *made)
{
  struct dir *d = c->newest;
  unsigned unasked = 0;
  uint64_t hash;

  if (len == 0)
    return c->beneath->root;
  if (d && d->len == len && memcmp(d->path, path, len) == 0)
    return d->fd;
  hash = hash_of(path, len);
  d = find(c, path, len, hash);
  if (d) {
    make_newest(c, d);
    return d->fd;
  }
  return fill(c, path, len, hash, make_mode, made ? made : &unasked);
}

int tarn_dircache_inode(struct tarn_dircache *c, const char *path, size_t len,
                        struct tarn_inode *inode)
{
  struct tarn_inode *known = len > 0 ? NULL : &c->root_inode;
  struct stat st;
  int fd = tarn_dircache_get(c, path, len, 0, NULL);

  if (fd < 0)
    return fd;
  if (!known)
    known = &c->newest->inode;
  if (known->ino == 0) {
    if (fstat(fd, &st) < 0)
      return -errno;
    *known = tarn_inode_of(&st);
  }
  *inode = *known;
  return 0;
}
