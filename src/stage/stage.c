#include "stage/stage.h"

void tarn_flow_fail(struct tarn_flow *flow, int code, const char *fmt, ...)
{
  struct tarn_err err;
  va_list args;

  va_start(args, fmt);
  (void)tarn_err_setv(&err, code, fmt, args);
  va_end(args);
  flow->fail(flow, &err);
}

void tarn_flow_warn(struct tarn_flow *flow, int code, const char *fmt, ...)
{
  struct tarn_err err;
  va_list args;

  va_start(args, fmt);
  (void)tarn_err_setv(&err, code, fmt, args);
  va_end(args);
  flow->warn(flow, &err);
}

void tarn_meter_init(struct tarn_meter *m)
{
  m->state = TARN_METER_WAIT_IN;
  m->since_ns = uv_hrtime();
}

void tarn_meter_to(struct tarn_meter *m, struct tarn_stage_time *t,
                   enum tarn_meter_state state)
{
  uint64_t now;

  if (state == m->state)
    return;
  now = uv_hrtime();
  if (m->state == TARN_METER_WAIT_IN)
    t->wait_in_ns += now - m->since_ns;
  else if (m->state == TARN_METER_WAIT_OUT)
    t->wait_out_ns += now - m->since_ns;
  else
    t->busy_ns += now - m->since_ns;
  m->state = state;
  m->since_ns = now;
}
