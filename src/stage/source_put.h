/*
 * Source: bytes that the caller gives, copied into slabs while the budget has
 * room.
 */
#ifndef TARN_STAGE_SOURCE_PUT_H
#define TARN_STAGE_SOURCE_PUT_H

#include "stage/source.h"

/* `on_room` is called, later, when a refused put may be tried again. NULL when
   memory is out. */
struct tarn_source_stage *tarn_source_put_new(struct tarn_flow *flow,
                                              struct tarn_reorder *reorder,
                                              void (*on_room)(void *user),
                                              void *user);
/* Takes up to `len` bytes; how many. TARN_EINVAL after the end, TARN_ENOMEM. */
int64_t tarn_source_put_bytes(struct tarn_source_stage *source, const void *ptr,
                              size_t len);
/* 0 or TARN_EINVAL. The caller vouches that these were all. */
int tarn_source_put_end(struct tarn_source_stage *source);

#endif
