#include "codec/mem.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/num.h"

union tarn_mem_block {
  size_t len; /* of what follows */
  max_align_t align;
};

static void release(struct tarn_mem *mem, union tarn_mem_block *block)
{
  mem->held -= block->len;
  free(block);
}

static union tarn_mem_block *take_kept(struct tarn_mem *mem, size_t at)
{
  union tarn_mem_block *block = mem->kept[at];

  mem->n_kept--;
  memmove(mem->kept + at, mem->kept + at + 1,
          (mem->n_kept - at) * sizeof mem->kept[0]);
  return block;
}

void *tarn_mem_get(struct tarn_mem *mem, size_t n, size_t size)
{
  union tarn_mem_block *block;
  size_t len, i;

  if (!tarn_mul_size(n, size, &len) || len > SIZE_MAX - sizeof *block)
    return NULL;
  for (i = 0; i < mem->n_kept; i++)
    if (mem->kept[i]->len == len)
      return take_kept(mem, i) + 1;
  block = malloc(sizeof *block + len);
  if (!block)
    return NULL;
  block->len = len;
  mem->held += len;
  return block + 1;
}

void tarn_mem_put(struct tarn_mem *mem, void *ptr)
{
  union tarn_mem_block *block = ptr;

  if (!block)
    return;
  block--;
  if (!mem->keep) {
    release(mem, block);
    return;
  }
  if (mem->n_kept == TARN_MEM_KEPT)
    release(mem, take_kept(mem, 0));
  mem->kept[mem->n_kept++] = block;
}

void tarn_mem_close(struct tarn_mem *mem)
{
  while (mem->n_kept)
    release(mem, take_kept(mem, mem->n_kept - 1));
  TARN_CHECK(!mem->held);
}
