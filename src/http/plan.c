#include "http/plan.h"

#include "base/num.h"

void tarn_plan_init(struct tarn_plan *plan, uint64_t first_len,
                    uint64_t span_len, unsigned connections)
{
  plan->next = 0;
  plan->first_len = tarn_max_u64(first_len, 1);
  plan->span_len = tarn_max_u64(span_len, 1);
  plan->connections = connections ? connections : 1;
  plan->has_total = false;
  plan->total = 0;
}

void tarn_plan_total(struct tarn_plan *plan, uint64_t total)
{
  uint64_t rest = total > plan->next ? total - plan->next : 0;
  /* Round up: the last connection has the shorter one. */
  uint64_t share = rest / plan->connections + (rest % plan->connections != 0);

  plan->has_total = true;
  plan->total = total;
  /* Below 64 KiB a request costs more than the bytes it brings. */
  share = tarn_max_u64(share, tarn_min_u64(plan->span_len, 65536));
  plan->span_len = tarn_min_u64(plan->span_len, share);
}

uint64_t tarn_plan_peek(const struct tarn_plan *plan)
{
  uint64_t len = plan->next == 0 ? plan->first_len : plan->span_len;

  if (!plan->has_total)
    return len;
  if (plan->next >= plan->total)
    return 0;
  return tarn_min_u64(len, plan->total - plan->next);
}

bool tarn_plan_next(struct tarn_plan *plan, uint64_t *first, uint64_t *len)
{
  *len = tarn_plan_peek(plan);
  *first = plan->next;
  plan->next += *len;
  return *len > 0;
}
