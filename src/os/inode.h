/* What a name was made as: for finding out later that it still is. */
#ifndef TARN_OS_INODE_H
#define TARN_OS_INODE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct tarn_inode {
  dev_t dev;
  ino_t ino;
};

static inline struct tarn_inode tarn_inode_of(const struct stat *st)
{
  struct tarn_inode inode = {st->st_dev, st->st_ino};

  return inode;
}

static inline bool tarn_inode_same(const struct tarn_inode *a,
                                   const struct tarn_inode *b)
{
  return a->dev == b->dev && a->ino == b->ino;
}

#endif
