#include "stage/span.h"

#include <string.h>

#include "base/num.h"

static const char *const state_names[] = {"ready", "waiting", "running",
                                          "complete"};
static const uint32_t state_moves[] = {
    [TARN_SPAN_READY] = 1u << TARN_SPAN_RUNNING | 1u << TARN_SPAN_COMPLETE,
    [TARN_SPAN_WAITING] = 1u << TARN_SPAN_READY,
    [TARN_SPAN_RUNNING] = 1u << TARN_SPAN_READY | 1u << TARN_SPAN_WAITING |
                          1u << TARN_SPAN_COMPLETE,
    [TARN_SPAN_COMPLETE] = 0,
};
static const struct tarn_sm_table state_table = {"span", state_names,
                                                 state_moves, 4};

struct tarn_span *tarn_span_new(struct tarn_flow *flow, void *owner,
                                uint64_t at, uint64_t len, size_t paid)
{
  struct tarn_span *s = calloc(1, sizeof *s);

  if (!s)
    return NULL;
  tarn_list_init(&s->link);
  s->flow = flow;
  s->owner = owner;
  s->at = at;
  s->end = len == TARN_SPAN_NO_END ? len : at + len;
  s->paid = paid;
  tarn_slice_queue_init(&s->got);
  tarn_xfer_init(&s->xfer, flow->env);
  tarn_sm_init(&s->sm, &state_table, &flow->env->trace);
  return s;
}

static void give_back(struct tarn_span *s)
{
  tarn_slab_unref(s->slab);
  s->slab = NULL;
  if (s->paid > 0)
    tarn_budget_release(&s->flow->in, s->paid);
  s->paid = 0;
}

void tarn_span_free(struct tarn_span *s)
{
  tarn_list_remove(&s->link);
  tarn_xfer_stop(&s->xfer);
  give_back(s);
  tarn_slice_queue_close(&s->got);
  tarn_digest_free(s->print);
  tarn_digest_free(s->print_again);
  free(s->asked_url);
  free(s);
}

size_t tarn_span_cost(const struct tarn_flow *flow, uint64_t len)
{
  uint64_t slab = flow->in_pool.slab_size;

  return (size_t)((len + slab - 1) / slab * slab);
}

void tarn_span_stream(struct tarn_span *s, uint64_t end)
{
  s->end = end;
  if (!s->print && !s->print_again)
    (void)tarn_digest_new(&s->print, TARN_DIGEST_PRINT, NULL);
}

bool tarn_span_rewind(struct tarn_span *s)
{
  if (s->at == 0)
    return true;
  if (!s->print)
    return false;
  tarn_digest_free(s->print_again);
  s->print_again = NULL;
  if (tarn_digest_new(&s->print_again, TARN_DIGEST_PRINT, NULL) != 0)
    return false;
  s->skip = tarn_max_u64(s->skip, s->at);
  s->at = 0;
  return true;
}

/* Room for `len` more bytes: at most one more slab, as libcurl hands out no
   more than a slab holds. */
static bool make_room(struct tarn_span *s, size_t len)
{
  size_t slab = s->flow->in_pool.slab_size;
  size_t room = s->slab ? slab - s->fill : 0;

  if (room + s->paid >= len)
    return true;
  if (!tarn_budget_reserve(&s->flow->in, slab))
    return false;
  s->paid += slab;
  return true;
}

static bool next_slab(struct tarn_span *s)
{
  size_t slab = s->flow->in_pool.slab_size;

  tarn_slab_unref(s->slab);
  s->slab = tarn_slab_new(&s->flow->in_pool, &s->flow->in);
  s->fill = 0;
  if (!s->slab)
    return false;
  s->paid -= slab;
  return true;
}

static bool store(struct tarn_span *s, const uint8_t *ptr, size_t len)
{
  size_t slab = s->flow->in_pool.slab_size, n;

  while (len > 0) {
    if ((!s->slab || s->fill == slab) && !next_slab(s))
      return false;
    n = tarn_min_size(len, slab - s->fill);
    memcpy(s->slab->data + s->fill, ptr, n);
    if (tarn_slice_queue_put(&s->got, tarn_slice_of(s->slab, s->fill, n)) != 0)
      return false;
    s->fill += n;
    ptr += n;
    len -= n;
    s->at += n;
  }
  return true;
}

/* The beginning of a stream that was begun anew: compared by fingerprint.
   Returns how many bytes were of it; sets overrun when they differ. */
static size_t skip_prefix(struct tarn_span *s, const uint8_t *ptr, size_t len)
{
  struct tarn_digest_value before, again;
  size_t n = (size_t)tarn_min_u64(len, s->skip - s->at);

  (void)tarn_digest_put(s->print_again, ptr, n);
  s->at += n;
  if (s->at < s->skip)
    return n;
  if (tarn_digest_peek(s->print, &before) != 0 ||
      tarn_digest_peek(s->print_again, &again) != 0 ||
      !tarn_digest_equal(&before, &again)) {
    (void)tarn_err_set(&s->refusal, TARN_ETRANSFER,
                       "begun anew, the first %llu bytes are not the same",
                       (unsigned long long)s->skip);
    s->verdict = TARN_REPLY_FATAL;
    s->overrun = true;
    return n;
  }
  s->skip = 0;
  return n;
}

bool tarn_span_take(struct tarn_span *s, const uint8_t *ptr, size_t len)
{
  size_t skipped = 0;

  if (s->overrun || s->no_memory)
    return false;
  if (len > s->limit - s->at && s->limit != TARN_SPAN_NO_END) {
    s->overrun = true;
    return false;
  }
  if (s->at >= s->skip && !make_room(s, len)) {
    s->starved = s->was_starved = true;
    return false;
  }
  if (s->at < s->skip) {
    skipped = skip_prefix(s, ptr, len);
    if (s->overrun)
      return false;
  }
  if (skipped < len) {
    if (skipped > 0 && !make_room(s, len - skipped)) {
      /* The prefix has been counted: hold the rest above the budget. */
      tarn_budget_force(&s->flow->in, s->flow->in_pool.slab_size);
      s->paid += s->flow->in_pool.slab_size;
    }
    if (s->print && s->skip == 0)
      (void)tarn_digest_put(s->print, ptr + skipped, len - skipped);
    if (!store(s, ptr + skipped, len - skipped)) {
      s->no_memory = true;
      return false;
    }
  }
  s->since_failure += len - skipped;
  if (s->speed)
    s->speed->bytes += len;
  return true;
}

void tarn_span_deliver(struct tarn_span *s, struct tarn_reorder *r)
{
  uint64_t from;
  struct tarn_slice slice;

  from = s->at - s->got.bytes;
  while (tarn_slice_queue_take(&s->got, &slice)) {
    uint64_t at = from;

    from += slice.len;
    s->flow->wire_bytes += slice.len;
    tarn_reorder_put(r, at, slice);
  }
}

void tarn_span_complete(struct tarn_span *s)
{
  give_back(s);
  tarn_sm_to(&s->sm, TARN_SPAN_COMPLETE);
}
