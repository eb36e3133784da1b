#include "archive/fa1_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

/* FNV-1a. */
static uint32_t hash_of(const char *path, size_t len)
{
  uint32_t hash = 2166136261u;
  size_t i;

  for (i = 0; i < len; i++)
    hash = (hash ^ (uint8_t)path[i]) * 16777619u;
  return hash;
}

void tarn_fa1_files_init(struct tarn_fa1_files *files)
{
  size_t i;

  for (i = 0; i < TARN_FA1_BUCKETS; i++)
    tarn_list_init(&files->buckets[i]);
  files->n = 0;
}

struct tarn_fa1_file *tarn_fa1_files_any(const struct tarn_fa1_files *files)
{
  size_t i;

  for (i = 0; i < TARN_FA1_BUCKETS; i++)
    if (!tarn_list_empty(&files->buckets[i]))
      return TARN_CONTAINER(files->buckets[i].next, struct tarn_fa1_file, link);
  return NULL;
}

void tarn_fa1_files_close(struct tarn_fa1_files *files)
{
  struct tarn_fa1_file *file;

  while ((file = tarn_fa1_files_any(files)))
    tarn_fa1_files_remove(files, file);
}

struct tarn_fa1_file *tarn_fa1_files_find(const struct tarn_fa1_files *files,
                                          const char *path, size_t len)
{
  uint32_t hash = hash_of(path, len);
  const struct tarn_list *bucket = &files->buckets[hash % TARN_FA1_BUCKETS];
  struct tarn_list *link;

  for (link = bucket->next; link != bucket; link = link->next) {
    struct tarn_fa1_file *file =
        TARN_CONTAINER(link, struct tarn_fa1_file, link);

    if (file->hash == hash && file->path_len == len &&
        memcmp(file->path, path, len) == 0)
      return file;
  }
  return NULL;
}

struct tarn_fa1_file *tarn_fa1_files_add(struct tarn_fa1_files *files,
                                         const char *path, size_t len)
{
  struct tarn_fa1_file *file = calloc(1, sizeof *file + len + 1);

  if (!file)
    return NULL;
  file->hash = hash_of(path, len);
  file->path_len = len;
  memcpy(file->path, path, len);
  tarn_list_init(&file->link);
  tarn_list_append(&files->buckets[file->hash % TARN_FA1_BUCKETS], &file->link);
  files->n++;
  return file;
}

void tarn_fa1_files_remove(struct tarn_fa1_files *files,
                           struct tarn_fa1_file *file)
{
  tarn_list_remove(&file->link);
  files->n--;
  free(file);
}
