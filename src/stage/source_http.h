/*
 * Source: a URL, fetched by many range requests at once.
 *
 * The first request is a GET of a small first range, never HEAD: its reply
 * tells the object's length and validator and is data already. Then spans are
 * asked for in file order while a connection is free and the budget grants
 * their memory. A server without ranges is read as one stream. Each failure is
 * repaired at the exact byte, on a fresh connection, or ends the job with its
 * cause. Rules T1 to T9 and T12 of docs/transfer.md.
 *
 *   tarn_source_http_new(&source, flow, reorder, opts, &err);
 *   source->ops->start(source);
 *
 * Memory: the input budget. Threads: the loop's only.
 */
#ifndef TARN_STAGE_SOURCE_HTTP_H
#define TARN_STAGE_SOURCE_HTTP_H

#include "stage/source.h"

/* Copies what it needs of `opts`. TARN_EINVAL, TARN_ENOTSUP, TARN_ENOMEM. */
int tarn_source_http_new(struct tarn_source_stage **source,
                         struct tarn_flow *flow, struct tarn_reorder *reorder,
                         const struct tarn_get_options *opts,
                         struct tarn_err *err);

#endif
