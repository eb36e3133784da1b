/*
 * How requests of one job are made: what the user asked for of libcurl.
 *
 * Credentials, the user's header fields and the client certificate go to the
 * origin of `url` only, never to the target of a redirect elsewhere.
 *
 * Memory: owns copies of all strings. Threads: the loop's only.
 */
#ifndef TARN_LOOP_HTTP_SETTINGS_H
#define TARN_LOOP_HTTP_SETTINGS_H

#include <curl/curl.h>

#include "base/err.h"
#include "loop/ca_store.h"

struct tarn_http_settings {
  char *url;
  char *proxy, *user_password, *bearer, *cert, *key, *unix_socket;
  struct curl_slist *headers, *resolve;
  struct tarn_ca_store *ca;
  unsigned long flags; /* enum tarn_get_flag */
  long connection_timeout_ms;
};

/* Copies what it needs. TARN_EINVAL, TARN_ENOTSUP (a feature this libcurl
   lacks), TARN_ENOMEM. */
int tarn_http_settings_init(struct tarn_http_settings *s,
                            struct tarn_work *work,
                            const struct tarn_get_options *opts,
                            struct tarn_err *err);
void tarn_http_settings_close(struct tarn_http_settings *s);

/* Sets everything but range and header fields on `easy` for a request to `url`.
   TARN_ENOMEM, TARN_EFILE. */
int tarn_http_settings_apply(const struct tarn_http_settings *s, CURL *easy,
                             const char *url, struct tarn_err *err);

#endif
