/*
 * UTF-8: telling sequences that are well formed from bytes that are not.
 *
 * Names in archives are bytes. Where one has to become text (a JSON string, a
 * line on a terminal) every byte that is no part of a well-formed sequence is
 * handled apart.
 *
 * Memory: none. Threads: any.
 */
#ifndef TARN_CLI_UTF8_H
#define TARN_CLI_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Length of the well-formed sequence at the beginning of s, 1 to 4 bytes, or 0
 * when there is none. No overlong forms, no surrogates, nothing above U+10FFFF
 * (RFC 3629). `len` must be at least 1.
 */
size_t tarn_cli_utf8_len(const char *s, size_t len);

/* True when all of s is well formed. */
bool tarn_cli_utf8_valid(const char *s, size_t len);

#endif
