/*
 * Counted memory for a codec's library, so that tarn_decoder_memory is exact.
 *
 *   struct tarn_mem mem = {0};
 *   ptr = tarn_mem_get(&mem, 1, len);
 *   tarn_mem_put(&mem, ptr);
 *   tarn_mem_close(&mem);
 *
 * With `keep` a few freed blocks are kept and handed out again: libbz2 frees
 * and asks for the same megabytes at every stream, and fresh pages are dear.
 *
 * Memory: blocks come from malloc, with a small header. tarn_mem_close frees
 * what is kept; the library must have put back what it got.
 * Threads: as the decoder.
 */
#ifndef TARN_CODEC_MEM_H
#define TARN_CODEC_MEM_H

#include <stdbool.h>
#include <stddef.h>

#define TARN_MEM_KEPT 4

union tarn_mem_block;

struct tarn_mem {
  size_t held; /* bytes, kept blocks included */
  bool keep;
  size_t n_kept;
  union tarn_mem_block *kept[TARN_MEM_KEPT]; /* oldest first */
};

/* Memory for `n` items of `size` bytes, or NULL. */
void *tarn_mem_get(struct tarn_mem *mem, size_t n, size_t size);
void tarn_mem_put(struct tarn_mem *mem, void *ptr); /* NULL is fine */
void tarn_mem_close(struct tarn_mem *mem);

#endif
