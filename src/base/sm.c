#include "base/sm.h"

#include "base/check.h"

void tarn_sm_init(struct tarn_sm *sm, const struct tarn_sm_table *table,
                  const struct tarn_trace *trace)
{
  sm->table = table;
  sm->trace = trace;
  sm->state = 0;
}

void tarn_sm_to(struct tarn_sm *sm, unsigned state)
{
  TARN_CHECK(state < sm->table->n && state < 32);
  TARN_CHECK(sm->table->moves[sm->state] & (1u << state));
  TARN_TRACE(sm->trace, TARN_TRACE_STATE, "%s: %s -> %s", sm->table->name,
             sm->table->names[sm->state], sm->table->names[state]);
  sm->state = state;
}
