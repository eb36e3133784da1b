/*
 * URLs, by libcurl's own parser: what may be asked, what may be shown.
 *
 * Memory: results are in the caller's buffers or malloc'ed as said.
 * Threads: any.
 */
#ifndef TARN_LOOP_URL_H
#define TARN_LOOP_URL_H

#include <stdbool.h>

#include "base/err.h"

enum tarn_scheme { TARN_SCHEME_HTTP = 1, TARN_SCHEME_HTTPS, TARN_SCHEME_FILE };

/* Scheme of `url`; TARN_EINVAL when it cannot be read, TARN_ENOTSUP for a
   scheme that is not http, https or file. */
int tarn_url_scheme(const char *url, enum tarn_scheme *scheme,
                    struct tarn_err *err);
/* The URL without user information, query and fragment, for texts; cut at
   cap - 1. */
void tarn_url_public(const char *url, char *out, size_t cap);
/* True when both have the same scheme, host and port (RFC 6454). */
bool tarn_url_same_origin(const char *a, const char *b);
/* The decoded path: of a file URL the file's, of others for judging its
   ending. malloc'ed; NULL when memory is out or there is none. */
char *tarn_url_path(const char *url);

#endif
