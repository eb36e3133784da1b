#include "loop/http_settings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "loop/url.h"

static bool copy(char **to, const char *from)
{
  *to = from ? strdup(from) : NULL;
  return !from || *to;
}

static bool append(struct curl_slist **list, const char *text)
{
  struct curl_slist *grown = curl_slist_append(*list, text);

  if (grown)
    *list = grown;
  return grown != NULL;
}

/* A field of the user's: "Name: value" or "Name:value", one line only. */
static int add_header(struct tarn_http_settings *s, const char *text,
                      struct tarn_err *err)
{
  static const char *const ours[] = {"Range", "If-Match", "Accept-Encoding",
                                     "If-Range"};
  const char *colon = strchr(text, ':');
  size_t i;

  if (!colon || colon == text || strpbrk(text, "\r\n"))
    return tarn_err_set(err, TARN_EINVAL,
                        "a header field must have the form Name: value");
  for (i = 0; i < sizeof ours / sizeof ours[0]; i++)
    if (strlen(ours[i]) == (size_t)(colon - text) &&
        strncasecmp(ours[i], text, strlen(ours[i])) == 0)
      return tarn_err_set(err, TARN_EINVAL, "the header field %s is tarn's own",
                          ours[i]);
  return append(&s->headers, text) ? 0 : tarn_err_nomem(err, "header field");
}

static int copy_lists(struct tarn_http_settings *s,
                      const struct tarn_get_options *opts, struct tarn_err *err)
{
  size_t i;
  int rc;

  for (i = 0; i < opts->n_headers; i++)
    if ((rc = add_header(s, opts->headers[i], err)) != 0)
      return rc;
  for (i = 0; i < opts->n_resolve; i++)
    if (!append(&s->resolve, opts->resolve[i]))
      return tarn_err_nomem(err, "resolve list");
  return 0;
}

static int check_features(const struct tarn_get_options *opts,
                          struct tarn_err *err)
{
  const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);

  if ((opts->flags & TARN_HTTP2) && !(info->features & CURL_VERSION_HTTP2))
    return tarn_err_set(err, TARN_ENOTSUP, "HTTP/2: this libcurl lacks it");
  if (opts->unix_socket && !(info->features & CURL_VERSION_UNIX_SOCKETS))
    return tarn_err_set(err, TARN_ENOTSUP,
                        "Unix sockets: this libcurl lacks them");
  return 0;
}

int tarn_http_settings_init(struct tarn_http_settings *s,
                            struct tarn_work *work,
                            const struct tarn_get_options *opts,
                            struct tarn_err *err)
{
  uint64_t timeout = opts->connection_timeout_ms;
  int rc;

  memset(s, 0, sizeof *s);
  s->flags = opts->flags;
  s->connection_timeout_ms =
      timeout == 0 ? 60000 : (long)(timeout < INT32_MAX ? timeout : INT32_MAX);
  if ((rc = check_features(opts, err)) != 0)
    return rc;
  s->ca = tarn_ca_store_new(work, opts->cacert);
  if (!s->ca || !copy(&s->url, opts->url) || !copy(&s->proxy, opts->proxy) ||
      !copy(&s->user_password, opts->user_password) ||
      !copy(&s->bearer, opts->bearer) || !copy(&s->cert, opts->cert) ||
      !copy(&s->key, opts->key) || !copy(&s->unix_socket, opts->unix_socket))
    rc = tarn_err_nomem(err, "request settings");
  else
    rc = copy_lists(s, opts, err);
  if (rc)
    tarn_http_settings_close(s);
  return rc;
}

void tarn_http_settings_close(struct tarn_http_settings *s)
{
  tarn_ca_store_free(s->ca);
  curl_slist_free_all(s->headers);
  curl_slist_free_all(s->resolve);
  free(s->url);
  free(s->proxy);
  free(s->user_password);
  free(s->bearer);
  free(s->cert);
  free(s->key);
  free(s->unix_socket);
  memset(s, 0, sizeof *s);
}

/* Sets string options until one does not fit in memory. */
static CURLcode set_text(CURLcode rc, CURL *easy, CURLoption option,
                         const char *text)
{
  if (rc != CURLE_OK || !text)
    return rc;
  return curl_easy_setopt(easy, option, text);
}

static CURLcode set_trusted(const struct tarn_http_settings *s, CURL *easy)
{
  CURLcode rc = CURLE_OK;

  rc = set_text(rc, easy, CURLOPT_USERPWD, s->user_password);
  rc = set_text(rc, easy, CURLOPT_XOAUTH2_BEARER, s->bearer);
  (void)curl_easy_setopt(easy, CURLOPT_HTTPAUTH,
                         s->bearer ? (long)CURLAUTH_BEARER
                                   : (long)CURLAUTH_BASIC);
  rc = set_text(rc, easy, CURLOPT_SSLCERT, s->cert);
  rc = set_text(rc, easy, CURLOPT_SSLKEY, s->key);
  return set_text(rc, easy, CURLOPT_UNIX_SOCKET_PATH, s->unix_socket);
}

static long ip_version(unsigned long flags)
{
  if (flags & TARN_IPV4)
    return CURL_IPRESOLVE_V4;
  return flags & TARN_IPV6 ? CURL_IPRESOLVE_V6 : CURL_IPRESOLVE_WHATEVER;
}

int tarn_http_settings_apply(const struct tarn_http_settings *s, CURL *easy,
                             const char *url, struct tarn_err *err)
{
  CURLcode rc = CURLE_OK;

  rc = set_text(rc, easy, CURLOPT_URL, url);
  rc = set_text(rc, easy, CURLOPT_PROTOCOLS_STR, "http,https");
  rc = set_text(rc, easy, CURLOPT_USERAGENT, "tarn/0.1");
  rc = set_text(rc, easy, CURLOPT_PROXY, s->proxy);
  if (rc == CURLE_OK && s->resolve)
    rc = curl_easy_setopt(easy, CURLOPT_RESOLVE, s->resolve);
  if (rc == CURLE_OK && tarn_url_same_origin(s->url, url))
    rc = set_trusted(s, easy);
  if (s->flags & TARN_NETRC)
    (void)curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
  (void)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                         s->flags & TARN_HTTP2 ? (long)CURL_HTTP_VERSION_2TLS
                                               : (long)CURL_HTTP_VERSION_1_1);
  (void)curl_easy_setopt(easy, CURLOPT_IPRESOLVE, ip_version(s->flags));
  (void)curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                         s->connection_timeout_ms);
  (void)curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  (void)curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L * 1024);
  if (s->flags & TARN_INSECURE) {
    (void)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    (void)curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  } else if (rc == CURLE_OK && strncasecmp(url, "https:", 6) == 0 &&
             tarn_ca_store_apply(s->ca, easy) != 0) {
    rc = CURLE_OUT_OF_MEMORY;
  }
  return rc == CURLE_OK ? 0 : tarn_err_nomem(err, "request");
}
