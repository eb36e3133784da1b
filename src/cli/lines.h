/*
 * Lines: what a person reads while a job runs and when it ends. Text only; who
 * writes it where is progress.c's.
 *
 * Memory: the caller's buffers; what does not fit is left out.
 * Threads: any.
 */
#ifndef TARN_CLI_LINES_H
#define TARN_CLI_LINES_H

#include <stddef.h>

#include <tarn/tarn.h>

/* Enough for every line below. */
#define TARN_CLI_LINE 1024

/* What is known of a job at one moment. */
struct cli_view {
  const struct tarn_progress *p;
  uint64_t wire_speed, decoded_speed; /* bytes a second */
  enum tarn_limit limit;              /* now, or most of the time at the end */
  int fixed_connections;              /* --connections was given */
  int is_local;                       /* read here, over no network */
};

/* "network", "decode", "disk", "output", or NULL for none. */
const char *tarn_cli_lines_limit(enum tarn_limit limit);

/* Nanoseconds until all bytes have come at this speed; 0 when unknown. */
uint64_t tarn_cli_lines_eta(const struct cli_view *v);

/*
 * The figures of a running job, the most important first, as many as `width`
 * columns hold. Returns the length, always below cap.
 */
size_t tarn_cli_lines_progress(char *out, size_t cap, size_t width,
                               const struct cli_view *v);

/* "3 files, 1.2 GB into DIR; 400 MB received in 3.1 s, 129 MB/s; limit: ..." */
size_t tarn_cli_lines_closing(char *out, size_t cap, const char *where,
                              const struct cli_view *v);

/* Where the time went: busy and waiting, by stage. */
size_t tarn_cli_lines_stages(char *out, size_t cap, const struct cli_view *v);

#endif
