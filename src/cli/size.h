/*
 * Numbers with units: reading them from the command line, writing them for
 * people.
 *
 *   uint64_t bytes;
 *   if (tarn_cli_size_parse("96Mi", 1, &bytes) != 0) ...
 *
 * Memory: results go to the caller's variables and buffers.
 * Threads: any. The C locale is assumed: the program never sets another.
 */
#ifndef TARN_CLI_SIZE_H
#define TARN_CLI_SIZE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Bytes: digits, perhaps a fraction of at most six digits, and K M G T (powers
 * of 1000) or Ki Mi Gi Ti (powers of 1024), perhaps with B behind. A number
 * without a unit is multiplied by `bare`. Returns 0, or -1 when s is none of
 * this, or too large, or half a byte; then *out is as before.
 */
int tarn_cli_size_parse(const char *s, uint64_t bare, uint64_t *out);

/*
 * A time in milliseconds: digits, perhaps a fraction of at most six digits,
 * and ms, s, m or h; without a unit, seconds. What is shorter than a
 * millisecond and not zero counts as one. Returns 0 or -1 as above.
 */
int tarn_cli_time_parse(const char *s, uint64_t *out_ms);

/* A count: digits alone. Returns 0 or -1 as above. */
int tarn_cli_count_parse(const char *s, uint64_t *out);

/* A ratio: digits, perhaps a fraction of at most six digits. */
int tarn_cli_ratio_parse(const char *s, double *out);

/* Enough for every text below. */
#define TARN_CLI_SIZE_TEXT 24

/* "999 B", "1.23 MB", "123 GB": three digits, powers of 1000. Returns out. */
const char *tarn_cli_size_text(char out[TARN_CLI_SIZE_TEXT], uint64_t bytes);

/* "0.4 s", "59.9 s", "1:05", "2:03:04", for nanoseconds. Returns out. */
const char *tarn_cli_time_text(char out[TARN_CLI_SIZE_TEXT], uint64_t ns);

#endif
