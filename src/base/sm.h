/*
 * State machines as tables of allowed moves.
 *
 *   static const char *const names[] = {"idle", "busy", "done"};
 *   static const uint32_t moves[] = {[IDLE] = 1u << BUSY,
 *                                    [BUSY] = 1u << IDLE | 1u << DONE};
 *   static const struct tarn_sm_table table = {"span", names, moves, 3};
 *
 * A move that the table does not allow is a mistake of ours and aborts; every
 * move can be traced. Memory: none. Threads: as the owner.
 */
#ifndef TARN_BASE_SM_H
#define TARN_BASE_SM_H

#include "base/trace.h"

struct tarn_sm_table {
  const char *name;
  const char *const *names;
  const uint32_t *moves; /* bit s of moves[f]: from f to s is allowed */
  unsigned n;
};

struct tarn_sm {
  const struct tarn_sm_table *table;
  const struct tarn_trace *trace; /* may be NULL */
  unsigned state;
};

/* Starts in state 0. */
void tarn_sm_init(struct tarn_sm *sm, const struct tarn_sm_table *table,
                  const struct tarn_trace *trace);
/* Moves to `state`; the table must allow it. */
void tarn_sm_to(struct tarn_sm *sm, unsigned state);

#endif
