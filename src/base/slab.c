#include "base/slab.h"

#include "base/check.h"

void tarn_slab_pool_init(struct tarn_slab_pool *pool, size_t slab_size)
{
  pool->slab_size = slab_size;
  pool->n_live = 0;
  tarn_list_init(&pool->free);
}

void tarn_slab_pool_close(struct tarn_slab_pool *pool)
{
  struct tarn_list *link;

  TARN_CHECK(pool->n_live == 0);
  while ((link = tarn_list_shift(&pool->free))) {
    struct tarn_slab *slab = TARN_CONTAINER(link, struct tarn_slab, link);

    free(slab->data);
    free(slab);
  }
}

static struct tarn_slab *make(struct tarn_slab_pool *pool)
{
  struct tarn_slab *slab = malloc(sizeof *slab);

  if (!slab)
    return NULL;
  slab->data = malloc(pool->slab_size);
  if (!slab->data) {
    free(slab);
    return NULL;
  }
  tarn_list_init(&slab->link);
  slab->pool = pool;
  return slab;
}

struct tarn_slab *tarn_slab_new(struct tarn_slab_pool *pool,
                                struct tarn_budget *payer)
{
  struct tarn_list *link = tarn_list_shift(&pool->free);
  struct tarn_slab *slab =
      link ? TARN_CONTAINER(link, struct tarn_slab, link) : make(pool);

  if (!slab)
    return NULL;
  slab->payer = payer;
  slab->refs = 1;
  pool->n_live++;
  return slab;
}

void tarn_slab_ref(struct tarn_slab *slab)
{
  slab->refs++;
}

void tarn_slab_unref(struct tarn_slab *slab)
{
  struct tarn_budget *payer;

  if (!slab)
    return;
  TARN_CHECK(slab->refs > 0);
  if (--slab->refs > 0)
    return;
  payer = slab->payer;
  slab->pool->n_live--;
  tarn_list_insert(&slab->pool->free, &slab->link);
  if (payer)
    tarn_budget_release(payer, slab->pool->slab_size);
}

struct tarn_slice tarn_slice_of(struct tarn_slab *slab, size_t from, size_t len)
{
  struct tarn_slice slice = {slab, slab->data + from, len};

  TARN_CHECK(from <= slab->pool->slab_size &&
             len <= slab->pool->slab_size - from);
  tarn_slab_ref(slab);
  return slice;
}

struct tarn_slice tarn_slice_dup(const struct tarn_slice *slice)
{
  if (slice->slab)
    tarn_slab_ref(slice->slab);
  return *slice;
}

void tarn_slice_drop(struct tarn_slice *slice)
{
  tarn_slab_unref(slice->slab);
  slice->slab = NULL;
  slice->ptr = NULL;
  slice->len = 0;
}
