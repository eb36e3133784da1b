/*
 * Sink: the caller's function, with credit.
 *
 * Bytes are lent to it; their slabs stay until the caller gives the credit
 * back, in order. A caller that gives none back stops the job at its budget.
 *
 * Memory: references to the slabs that are lent. Threads: the loop's.
 */
#ifndef TARN_STAGE_SINK_CALL_H
#define TARN_STAGE_SINK_CALL_H

#include "stage/stage.h"

/* NULL when memory is out. */
struct tarn_stage *
tarn_sink_call_new(struct tarn_flow *flow, bool allow_unproven,
                   void (*call)(void *user, const void *ptr, size_t len),
                   void *user);
/* The caller has done with `len` more bytes. */
void tarn_sink_call_consumed(struct tarn_stage *stage, size_t len);

#endif
