#include "base/slice_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"

void tarn_slice_queue_init(struct tarn_slice_queue *q)
{
  memset(q, 0, sizeof *q);
}

void tarn_slice_queue_close(struct tarn_slice_queue *q)
{
  struct tarn_slice slice;

  while (tarn_slice_queue_take(q, &slice))
    tarn_slice_drop(&slice);
  free(q->slices);
  memset(q, 0, sizeof *q);
}

static bool grow(struct tarn_slice_queue *q)
{
  size_t cap = q->cap ? q->cap * 2 : 16, i;
  struct tarn_slice *slices = malloc(cap * sizeof *slices);

  if (!slices)
    return false;
  for (i = 0; i < q->n; i++)
    slices[i] = q->slices[(q->head + i) % q->cap];
  free(q->slices);
  q->slices = slices;
  q->cap = cap;
  q->head = 0;
  return true;
}

/* Extends the last slice when `slice` is its direct continuation. */
static bool join(struct tarn_slice_queue *q, struct tarn_slice *slice)
{
  struct tarn_slice *last;

  if (q->n == 0)
    return false;
  last = &q->slices[(q->head + q->n - 1) % q->cap];
  if (last->slab != slice->slab || last->ptr + last->len != slice->ptr)
    return false;
  last->len += slice->len;
  tarn_slice_drop(slice);
  return true;
}

int tarn_slice_queue_put(struct tarn_slice_queue *q, struct tarn_slice slice)
{
  if (slice.len == 0) {
    tarn_slice_drop(&slice);
    return 0;
  }
  q->bytes += slice.len;
  if (join(q, &slice))
    return 0;
  if (q->n == q->cap && !grow(q)) {
    q->bytes -= slice.len;
    tarn_slice_drop(&slice);
    return TARN_ENOMEM;
  }
  q->slices[(q->head + q->n++) % q->cap] = slice;
  return 0;
}

bool tarn_slice_queue_take(struct tarn_slice_queue *q, struct tarn_slice *slice)
{
  if (q->n == 0)
    return false;
  *slice = q->slices[q->head];
  q->head = (q->head + 1) % q->cap;
  q->n--;
  q->bytes -= slice->len;
  return true;
}

size_t tarn_slice_queue_peek(const struct tarn_slice_queue *q, uint8_t *out,
                             size_t cap)
{
  size_t i, n, have = 0;

  for (i = 0; i < q->n && have < cap; i++) {
    const struct tarn_slice *slice = &q->slices[(q->head + i) % q->cap];

    n = tarn_min_size(slice->len, cap - have);
    memcpy(out + have, slice->ptr, n);
    have += n;
  }
  return have;
}

size_t tarn_slice_queue_skip(struct tarn_slice_queue *q, uint64_t n)
{
  size_t gone = 0;

  while (n > 0 && q->n > 0) {
    struct tarn_slice *slice = &q->slices[q->head];
    size_t part = (size_t)tarn_min_u64(slice->len, n);

    n -= part;
    gone += part;
    q->bytes -= part;
    slice->ptr += part;
    slice->len -= part;
    if (slice->len == 0) {
      tarn_slice_drop(slice);
      q->head = (q->head + 1) % q->cap;
      q->n--;
    }
  }
  return gone;
}
