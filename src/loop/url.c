#include "loop/url.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static CURLU *parse(const char *url)
{
  CURLU *u = curl_url();

  if (u && curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME)) {
    curl_url_cleanup(u);
    u = NULL;
  }
  return u;
}

int tarn_url_scheme(const char *url, enum tarn_scheme *scheme,
                    struct tarn_err *err)
{
  static const struct {
    const char *name;
    enum tarn_scheme scheme;
  } known[] = {{"http", TARN_SCHEME_HTTP},
               {"https", TARN_SCHEME_HTTPS},
               {"file", TARN_SCHEME_FILE}};
  CURLU *u = curl_url();
  CURLUcode rc = CURLUE_OUT_OF_MEMORY;
  char *name = NULL, shown[64];
  size_t i;

  if (u)
    rc = curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
  if (rc == CURLUE_OK)
    rc = curl_url_get(u, CURLUPART_SCHEME, &name, 0);
  if (rc != CURLUE_OK) {
    curl_url_cleanup(u);
    return rc == CURLUE_OUT_OF_MEMORY
               ? tarn_err_nomem(err, "URL")
               : tarn_err_set(err, TARN_EINVAL, "this is not a URL");
  }
  for (i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcasecmp(name, known[i].name) == 0)
      break;
  (void)snprintf(shown, sizeof shown, "%s", name);
  curl_free(name);
  curl_url_cleanup(u);
  if (i == sizeof known / sizeof known[0])
    return tarn_err_set(err, TARN_ENOTSUP,
                        "the scheme %s is not supported (http, https, file "
                        "are)",
                        shown);
  *scheme = known[i].scheme;
  return 0;
}

void tarn_url_public(const char *url, char *out, size_t cap)
{
  CURLU *u = parse(url);
  char *text = NULL;

  if (u) {
    (void)curl_url_set(u, CURLUPART_USER, NULL, 0);
    (void)curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
    (void)curl_url_set(u, CURLUPART_QUERY, NULL, 0);
    (void)curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
    (void)curl_url_get(u, CURLUPART_URL, &text, 0);
  }
  (void)snprintf(out, cap, "%s", text ? text : "(a URL that cannot be read)");
  curl_free(text);
  curl_url_cleanup(u);
}

static bool same_part(CURLU *a, CURLU *b, CURLUPart part)
{
  char *x = NULL, *y = NULL;
  bool same;

  (void)curl_url_get(a, part, &x, CURLU_DEFAULT_PORT);
  (void)curl_url_get(b, part, &y, CURLU_DEFAULT_PORT);
  same = x && y && strcasecmp(x, y) == 0;
  curl_free(x);
  curl_free(y);
  return same;
}

bool tarn_url_same_origin(const char *a, const char *b)
{
  CURLU *x = parse(a), *y = parse(b);
  bool same = x && y && same_part(x, y, CURLUPART_SCHEME) &&
              same_part(x, y, CURLUPART_HOST) &&
              same_part(x, y, CURLUPART_PORT);

  curl_url_cleanup(x);
  curl_url_cleanup(y);
  return same;
}

char *tarn_url_path(const char *url)
{
  CURLU *u = parse(url);
  char *path = NULL, *copy = NULL;

  if (u && curl_url_get(u, CURLUPART_PATH, &path, CURLU_URLDECODE) == CURLUE_OK)
    copy = strdup(path);
  curl_free(path);
  curl_url_cleanup(u);
  return copy;
}
