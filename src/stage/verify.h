/*
 * Verify: the digest of the raw stream, computed on a worker while the bytes
 * pass on; the end is held back until it is known to be right.
 *
 * Memory: references to slabs that wait to be hashed. Threads: the loop's
 * only; one item at a time hashes.
 */
#ifndef TARN_STAGE_VERIFY_H
#define TARN_STAGE_VERIFY_H

#include "codec/digest.h"
#include "stage/stage.h"

/* `want` is copied. TARN_ENOTSUP, TARN_ENOMEM. */
int tarn_verify_new(struct tarn_stage **stage, struct tarn_flow *flow,
                    const struct tarn_digest_value *want,
                    struct tarn_stage *next, struct tarn_err *err);

#endif
