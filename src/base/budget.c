#include "base/budget.h"

#include "base/check.h"

void tarn_budget_init(struct tarn_budget *b, size_t cap,
                      struct tarn_budget *total)
{
  b->cap = cap;
  b->used = 0;
  b->peak = 0;
  b->total = total;
  tarn_list_init(&b->waiters);
}

void tarn_budget_waiter_init(struct tarn_budget_waiter *w,
                             void (*cb)(struct tarn_budget_waiter *waiter))
{
  tarn_list_init(&w->link);
  w->cb = cb;
}

void tarn_budget_force(struct tarn_budget *b, size_t n)
{
  b->used += n;
  if (b->used > b->peak)
    b->peak = b->used;
  if (b->total)
    tarn_budget_force(b->total, n);
}

bool tarn_budget_reserve(struct tarn_budget *b, size_t n)
{
  if (b->used > b->cap || n > b->cap - b->used)
    return false;
  tarn_budget_force(b, n);
  return true;
}

void tarn_budget_release(struct tarn_budget *b, size_t n)
{
  struct tarn_list woken, *link;

  TARN_CHECK(n <= b->used);
  b->used -= n;
  if (b->total)
    tarn_budget_release(b->total, n);
  tarn_list_init(&woken);
  tarn_list_splice(&woken, &b->waiters);
  while ((link = tarn_list_shift(&woken))) {
    struct tarn_budget_waiter *w =
        TARN_CONTAINER(link, struct tarn_budget_waiter, link);
    w->cb(w);
  }
}

void tarn_budget_wait(struct tarn_budget *b, struct tarn_budget_waiter *w)
{
  if (tarn_list_empty(&w->link))
    tarn_list_append(&b->waiters, &w->link);
}

void tarn_budget_unwait(struct tarn_budget_waiter *w)
{
  tarn_list_remove(&w->link);
}
