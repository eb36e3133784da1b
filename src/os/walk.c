#include "os/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  MAX_LINKS = 40, /* as the kernel */
  MAX_HELD = 30,  /* descriptors on the stack; two more while one moves */
  MAX_TRIES = 16, /* walks begun anew because a directory moved */
  DIR_FLAGS = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

/* A directory on the way down. While it is not held, fd is -1 and dev and ino
   say which directory ".." must lead to. */
struct level {
  dev_t dev;
  ino_t ino;
  int fd;
};

/*
 * 1. levels[held_from .. depth - 1] are held, those before are not; the last
 *    is always held.
 * 2. What is left of the path is rest[at .. end - 1], at the buffer's end so
 *    that a link's target fits in front; rest[end] is NUL.
 */
struct walk {
  int root;
  struct level *levels;
  size_t depth, held_from, levels_cap;
  char *rest;
  size_t at, end;
  unsigned n_links;
};

struct step {
  const char *name; /* in the buffer, NUL-terminated, until the next prepend */
  bool last;        /* nothing but slashes comes after it */
  bool must_be_dir; /* a slash comes after it */
};

static int here(const struct walk *w)
{
  return w->depth ? w->levels[w->depth - 1].fd : w->root;
}

static bool next_step(struct walk *w, struct step *s)
{
  char *p;

  while (w->rest[w->at] == '/')
    w->at++;
  if (w->at == w->end)
    return false;
  p = w->rest + w->at;
  s->name = p;
  while (*p && *p != '/')
    p++;
  s->must_be_dir = *p == '/';
  while (*p == '/')
    *p++ = '\0';
  w->at = (size_t)(p - w->rest);
  s->last = w->at == w->end;
  return true;
}

/* Puts `text`, and a slash if the path goes on, in front of what is left. */
static int prepend(struct walk *w, const char *text, size_t len, bool slash)
{
  size_t need = len + (slash ? 1 : 0);
  size_t left = w->end - w->at;

  if (need > w->at) {
    size_t cap = 2 * (need + left) + 1;
    char *bigger = malloc(cap);

    if (!bigger)
      return -ENOMEM;
    memcpy(bigger + cap - 1 - left, w->rest + w->at, left + 1);
    free(w->rest);
    w->rest = bigger;
    w->end = cap - 1;
    w->at = w->end - left;
  }
  if (slash)
    w->rest[--w->at] = '/';
  w->at -= len;
  memcpy(w->rest + w->at, text, len);
  return 0;
}

/* 1 when `s` was a link and its target is now in front of what is left, 0
   when it is no link, or -errno. */
static int follow(struct walk *w, const struct step *s)
{
  char target[PATH_MAX];
  ssize_t len = readlinkat(here(w), s->name, target, sizeof target);
  int rc;

  if (len < 0)
    return errno == EINVAL ? 0 : -errno;
  if (len == 0)
    return -ENOENT;
  if (w->n_links++ >= MAX_LINKS)
    return -ELOOP;
  if ((size_t)len == sizeof target)
    return -ENAMETOOLONG;
  if (target[0] == '/')
    return -EXDEV;
  rc = prepend(w, target, (size_t)len, s->must_be_dir);
  return rc < 0 ? rc : 1;
}

/* Closes the shallowest held level, keeping what it was. */
static int let_go(struct walk *w)
{
  struct level *l = &w->levels[w->held_from];
  struct stat st;

  if (fstat(l->fd, &st) < 0)
    return -errno;
  l->dev = st.st_dev;
  l->ino = st.st_ino;
  (void)close(l->fd);
  l->fd = -1;
  w->held_from++;
  return 0;
}

/* Owns `fd`, also on failure. */
static int push(struct walk *w, int fd)
{
  if (w->depth == w->levels_cap) {
    size_t cap = w->levels_cap ? 2 * w->levels_cap : 32;
    struct level *bigger = realloc(w->levels, cap * sizeof *bigger);

    if (!bigger) {
      (void)close(fd);
      return -ENOMEM;
    }
    w->levels = bigger;
    w->levels_cap = cap;
  }
  w->levels[w->depth++] = (struct level){.fd = fd};
  return w->depth - w->held_from > MAX_HELD ? let_go(w) : 0;
}

static int go_down(struct walk *w, const struct step *s)
{
  int fd = openat(here(w), s->name, DIR_FLAGS);
  int rc;

  if (fd >= 0)
    return push(w, fd);
  if (errno != ENOTDIR && errno != ELOOP)
    return -errno;
  rc = follow(w, s);
  if (rc == 0)
    return -ENOTDIR;
  return rc < 0 ? rc : 0;
}

/*
 * Opens the parent anew. It must be the directory the walk came through: if
 * somebody moved the one below, ".." may lie outside the root.
 */
static int reopen_parent(struct walk *w)
{
  struct level *parent = &w->levels[w->depth - 2];
  int fd = openat(here(w), "..", DIR_FLAGS);
  struct stat st;

  if (fd < 0)
    return -errno;
  if (fstat(fd, &st) < 0 || st.st_dev != parent->dev ||
      st.st_ino != parent->ino) {
    (void)close(fd);
    return -EAGAIN;
  }
  parent->fd = fd;
  w->held_from--;
  return 0;
}

static int go_up(struct walk *w)
{
  if (w->depth == 0)
    return -EXDEV;
  if (w->depth > 1 && w->depth - 1 == w->held_from) {
    int rc = reopen_parent(w);

    if (rc < 0)
      return rc;
  }
  (void)close(w->levels[--w->depth].fd);
  return 0;
}

/* A descriptor or -errno; *again is set instead when the name was a link. */
static int open_last(struct walk *w, const struct step *s, int flags,
                     bool *again)
{
  bool follows = !(flags & O_NOFOLLOW) || s->must_be_dir;
  struct stat st;
  int fd, rc;

  if (s->must_be_dir)
    flags |= O_DIRECTORY;
  /* Without O_DIRECTORY an open of the link itself could succeed (O_PATH) or
     of what it is not could block, so it is asked first. */
  if (follows && !(flags & O_DIRECTORY)) {
    rc = follow(w, s);
    if (rc != 0) {
      *again = rc > 0;
      return rc;
    }
  }
  fd = openat(here(w), s->name, flags | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    int error = errno;

    if (!follows || !(flags & O_DIRECTORY) ||
        (error != ENOTDIR && error != ELOOP))
      return -error;
    rc = follow(w, s);
    *again = rc > 0;
    return rc == 0 ? -ENOTDIR : rc;
  }
  if (follows && (flags & O_PATH) && !(flags & O_DIRECTORY) &&
      (fstat(fd, &st) < 0 || S_ISLNK(st.st_mode))) {
    (void)close(fd);
    return -EAGAIN; /* it became a link since it was asked */
  }
  return fd;
}

static int resolve(struct walk *w, int flags)
{
  struct step s;

  while (next_step(w, &s)) {
    int rc = 0;

    if (strcmp(s.name, ".") == 0) {
      continue;
    } else if (strcmp(s.name, "..") == 0) {
      rc = go_up(w);
    } else if (s.last) {
      bool again = false;

      rc = open_last(w, &s, flags, &again);
      if (!again)
        return rc;
    } else {
      rc = go_down(w, &s);
    }
    if (rc < 0)
      return rc;
  }
  int fd = openat(here(w), ".", flags | O_CLOEXEC);

  return fd < 0 ? -errno : fd;
}

static int walk_once(int root, const char *path, int flags)
{
  size_t len = strlen(path);
  struct walk w = {.root = root, .end = len};
  int fd;

  w.rest = malloc(len + 1);
  if (!w.rest)
    return -ENOMEM;
  memcpy(w.rest, path, len + 1);
  fd = resolve(&w, flags);
  while (w.depth > w.held_from)
    (void)close(w.levels[--w.depth].fd);
  free(w.levels);
  free(w.rest);
  return fd;
}

int tarn_walk_open(int root, const char *path, int flags)
{
  int fd = -EAGAIN;

  if (path[0] == '/')
    return -EXDEV;
  for (int i = 0; i < MAX_TRIES && fd == -EAGAIN; i++)
    fd = walk_once(root, path, flags);
  return fd;
}
