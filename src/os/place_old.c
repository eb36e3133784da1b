/* What becomes of a name that is taken: GNU tar's options, as a table. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/place.h"

enum rule {
  GIVE_WAY, /* as far as it can: a full directory cannot */
  REFUSE,
  STAY,
  STAY_IF_NEWER,
  STAY_IF_FULL, /* an empty directory gives way to a new one */
  REMOVE        /* now, whatever comes */
};

/* By policy; a directory is wanted; a directory is there. */
static const unsigned char rules[TARN_OLD_COUNT][2][2] = {
    [TARN_OLD_REPLACE] = {{GIVE_WAY, GIVE_WAY}, {GIVE_WAY, GIVE_WAY}},
    [TARN_OLD_KEEP] = {{REFUSE, REFUSE}, {STAY, STAY}},
    [TARN_OLD_SKIP] = {{STAY, STAY}, {STAY, STAY}},
    [TARN_OLD_KEEP_NEWER] = {{STAY_IF_NEWER, GIVE_WAY},
                             {STAY_IF_NEWER, STAY_IF_FULL}},
    [TARN_OLD_UNLINK_FIRST] = {{REMOVE, REMOVE}, {REMOVE, REMOVE}},
};

static bool is_busy(const struct tarn_place_wish *w, const struct stat *st)
{
  struct tarn_inode inode = tarn_inode_of(st);
  size_t i;

  for (i = 0; i < w->n_busy; i++)
    if (tarn_inode_same(&w->busy[i], &inode))
      return true;
  return false;
}

/* The same instant counts as newer. */
static bool is_as_new(const struct stat *st, struct tarn_time than)
{
  if (st->st_mtim.tv_sec != (time_t)than.sec)
    return st->st_mtim.tv_sec > (time_t)than.sec;
  return st->st_mtim.tv_nsec >= (long)than.nsec;
}

static int look(struct tarn_place *p, const char *path, struct stat *st)
{
  const char *name;
  int dir = tarn_place_parent(p, path, &name);

  if (dir < 0)
    return dir;
  return fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

/* A hard link whose two names are one file already is made. */
static bool is_made(struct tarn_place *p, const struct tarn_place_wish *w,
                    const struct stat *st)
{
  struct stat target;

  return w->link && w->link[0] && look(p, w->link, &target) == 0 &&
         target.st_dev == st->st_dev && target.st_ino == st->st_ino;
}

/* What lies where the link leads. A way out is an error: what would come
   beneath is refused as well. */
static int judge_symlink(struct tarn_place *p, const char *path)
{
  int fd = tarn_beneath_open(&p->beneath, path, O_PATH | O_DIRECTORY);

  if (fd < 0)
    return fd == -EXDEV ? fd : TARN_PLACE_MAKE;
  (void)close(fd);
  return TARN_PLACE_LEAVE;
}

/* A directory is full of what may yet fail and go? Then it is not known. */
static int judge_full(struct tarn_place *p, const struct tarn_place_wish *w)
{
  int rc = tarn_place_clear(p, w->path);

  if (rc == 0)
    return TARN_PLACE_MAKE;
  return rc == -ENOTEMPTY && w->n_busy > 0 ? -EAGAIN : TARN_PLACE_LEAVE;
}

static int apply(struct tarn_place *p, const struct tarn_place_wish *w,
                 const struct stat *st, enum rule rule)
{
  int rc;

  switch (rule) {
  case REFUSE:
    return is_made(p, w, st) ? TARN_PLACE_LEAVE : -EEXIST;
  case STAY:
    return TARN_PLACE_LEAVE;
  case STAY_IF_NEWER:
    return is_as_new(st, w->mtime) ? TARN_PLACE_NEWER : TARN_PLACE_MAKE;
  case STAY_IF_FULL:
    return judge_full(p, w);
  case REMOVE:
    /* tarn_place_link removes when it knows that there is what to link to. */
    rc = w->link ? 0 : tarn_place_clear(p, w->path);
    return rc < 0 ? rc : TARN_PLACE_MAKE;
  case GIVE_WAY:
  default:
    return TARN_PLACE_MAKE;
  }
}

int tarn_place_judge(struct tarn_place *p, const struct tarn_place_wish *w)
{
  struct stat st;
  int rc;

  if (p->old == TARN_OLD_REPLACE && !(p->keep_dir_symlink && w->is_dir))
    return TARN_PLACE_MAKE;
  if (w->path[0] == '\0')
    return p->old == TARN_OLD_REPLACE ? TARN_PLACE_MAKE : TARN_PLACE_LEAVE;
  rc = look(p, w->path, &st);
  if (rc < 0) /* free, or making it will say what is wrong */
    return TARN_PLACE_MAKE;
  if (p->keep_dir_symlink && w->is_dir && S_ISLNK(st.st_mode)) {
    rc = judge_symlink(p, w->path);
    if (rc != TARN_PLACE_MAKE)
      return rc;
  }
  if (p->old != TARN_OLD_UNLINK_FIRST && is_busy(w, &st))
    return -EAGAIN;
  return apply(p, w, &st, rules[p->old][w->is_dir][S_ISDIR(st.st_mode)]);
}
