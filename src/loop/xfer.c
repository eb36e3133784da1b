#include "loop/xfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop/sigpipe.h"
#include "loop/url.h"

/* Of a body that is not wanted. */
#define MOST_READ_AWAY 65536u

static bool is_chunked(CURL *easy)
{
  struct curl_header *h;

  return curl_easy_header(easy, "Transfer-Encoding", 0, CURLH_HEADER, -1, &h) ==
             CURLHE_OK &&
         strcasestr(h->value, "chunked");
}

/* The fields of the reply that mean something to us. */
static void read_fields(struct tarn_xfer *x)
{
  static const char *const names[] = {
      "Content-Range", "Content-Length",   "ETag",
      "Last-Modified", "Content-Encoding", "Content-Type"};
  struct curl_header *h;
  curl_off_t seconds = 0;
  size_t i;

  for (i = 0; i < sizeof names / sizeof names[0]; i++)
    if (curl_easy_header(x->req.easy, names[i], 0, CURLH_HEADER, -1, &h) ==
        CURLHE_OK)
      tarn_reply_field(&x->reply, names[i], h->value);
  /* libcurl reads both forms, seconds and date. */
  if (curl_easy_header(x->req.easy, "Retry-After", 0, CURLH_HEADER, -1, &h) ==
          CURLHE_OK &&
      curl_easy_getinfo(x->req.easy, CURLINFO_RETRY_AFTER, &seconds) ==
          CURLE_OK)
    x->reply.retry_after_ms = seconds < 86400 ? seconds * 1000 : 86400000;
}

static void read_head(struct tarn_xfer *x)
{
  long status = 0, version = 0;

  (void)curl_easy_getinfo(x->req.easy, CURLINFO_RESPONSE_CODE, &status);
  (void)curl_easy_getinfo(x->req.easy, CURLINFO_HTTP_VERSION, &version);
  tarn_reply_init(&x->reply, (int)status);
  read_fields(x);
  /* RFC 9112 section 6.3: only the close of the connection ends the rest. */
  x->reply.framed = x->reply.has_length || version >= CURL_HTTP_VERSION_2_0 ||
                    is_chunked(x->req.easy);
  x->head_told = true;
}

/* The body of a 400 says why: S3 and its like name an expired request. */
static size_t probe_body(struct tarn_xfer *x, const void *ptr, size_t len)
{
  size_t room = sizeof x->expired_probe - 1 - x->probe_len;
  size_t n = len < room ? len : room;

  memcpy(x->expired_probe + x->probe_len, ptr, n);
  x->probe_len += n;
  x->expired_probe[x->probe_len] = '\0';
  return n < room ? len : CURL_WRITEFUNC_ERROR;
}

/* A 400 is told of when its body has been seen. */
static void tell_head(struct tarn_xfer *x)
{
  read_head(x);
  if (x->reply.status != 400)
    x->refused = !x->on_head(x);
}

/* CURLOPT_HEADERFUNCTION: the empty line ends a head, and those of interim
   replies (1xx) do not count. A refusal is known even if no body follows. */
static size_t on_header(char *ptr, size_t one, size_t len, void *user)
{
  struct tarn_xfer *x = user;
  long status = 0;

  (void)one;
  if (x->head_told || len > 2 || (ptr[0] != '\r' && ptr[0] != '\n'))
    return len;
  (void)curl_easy_getinfo(x->req.easy, CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200)
    tell_head(x);
  return len;
}

/* A refused body is read away if it is short: the connection lives on, and
   libcurl tells where a redirect leads only at its end. */
static size_t read_away(struct tarn_xfer *x, size_t len)
{
  x->refused_bytes += len;
  if (x->reply.has_length ? x->reply.length > MOST_READ_AWAY
                          : x->refused_bytes > MOST_READ_AWAY)
    return CURL_WRITEFUNC_ERROR;
  return len;
}

/* CURLOPT_WRITEFUNCTION */
static size_t on_write(char *ptr, size_t one, size_t len, void *user)
{
  struct tarn_xfer *x = user;

  (void)one;
  if (!x->head_told)
    tell_head(x);
  if (x->reply.status == 400)
    return probe_body(x, ptr, len);
  if (x->refused)
    return read_away(x, len);
  if (!tarn_curl_loop_may_take(&x->env->curl, len)) {
    x->req.paused = true;
    tarn_curl_loop_resume(&x->env->curl, &x->req);
    return CURL_WRITEFUNC_PAUSE;
  }
  if (!x->on_data(x, (const uint8_t *)ptr, len)) {
    x->req.paused = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  return len;
}

/* CURLOPT_PREREQFUNCTION */
static int on_connected(void *user, char *peer, char *local, int peer_port,
                        int local_port)
{
  struct tarn_xfer *x = user;

  (void)peer;
  (void)local;
  (void)peer_port;
  (void)local_port;
  x->connected = true;
  return CURL_PREREQFUNC_OK;
}

/* What a libcurl result means for the job. Connection trouble is told apart
   from trouble behind it by whether the request was sent. */
static int code_of(const struct tarn_xfer *x, CURLcode result)
{
  switch (result) {
  case CURLE_OUT_OF_MEMORY:
    return TARN_ENOMEM;
  case CURLE_SSL_CERTPROBLEM:
  case CURLE_SSL_CACERT_BADFILE:
  case CURLE_SSL_CRL_BADFILE:
    return TARN_EFILE;
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_CONNECT:
  case CURLE_PROXY:
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CIPHER:
  case CURLE_SSL_ISSUER_ERROR:
  case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
  case CURLE_SSL_INVALIDCERTSTATUS:
    return TARN_EUNREACHABLE;
  case CURLE_WEIRD_SERVER_REPLY:
  case CURLE_UNSUPPORTED_PROTOCOL:
    return TARN_EPROTO;
  default:
    return x->connected ? TARN_ETRANSFER : TARN_EUNREACHABLE;
  }
}

/* Trying again cannot help: what was presented will be presented again. */
static bool is_hopeless(CURLcode result)
{
  return result == CURLE_PEER_FAILED_VERIFICATION ||
         result == CURLE_SSL_ISSUER_ERROR || result == CURLE_SSL_CERTPROBLEM ||
         result == CURLE_SSL_CACERT_BADFILE ||
         result == CURLE_UNSUPPORTED_PROTOCOL ||
         result == CURLE_URL_MALFORMAT || result == CURLE_NOT_BUILT_IN;
}

/* A head without a body, or a 400 whose body had to be seen first. */
static void judge_late(struct tarn_xfer *x, CURLcode result)
{
  if (!x->head_told && result == CURLE_OK) {
    read_head(x);
  } else if (x->head_told && x->reply.status == 400) {
    x->reply.says_expired = strstr(x->expired_probe, "xpired") != NULL;
  } else {
    return;
  }
  x->refused = !x->on_head(x);
}

static void on_req_done(struct tarn_curl_req *req, CURLcode result)
{
  struct tarn_xfer *x = TARN_CONTAINER(req, struct tarn_xfer, req);
  struct tarn_err err;
  char *target = NULL, *redirect = NULL;

  tarn_err_clear(&err);
  judge_late(x, result);
  if (!x->refused && result != CURLE_OK)
    (void)tarn_err_set(&err, code_of(x, result), "%s",
                       x->curl_text[0] ? x->curl_text
                                       : curl_easy_strerror(result));
  if (x->head_told)
    err.http_status = x->reply.status;
  x->hopeless = is_hopeless(result);
  (void)curl_easy_getinfo(x->req.easy, CURLINFO_REDIRECT_URL, &target);
  if (target)
    redirect = strdup(target);
  tarn_xfer_stop(x);
  x->on_done(x, &err, redirect);
  free(redirect);
}

void tarn_xfer_init(struct tarn_xfer *x, struct tarn_env *env)
{
  memset(x, 0, sizeof *x);
  x->env = env;
  tarn_list_init(&x->req.link);
}

static bool add_field(struct tarn_xfer *x, const char *line)
{
  struct curl_slist *grown = curl_slist_append(x->fields, line);

  if (grown)
    x->fields = grown;
  return grown != NULL;
}

/* Not by CURLOPT_ACCEPT_ENCODING: it would make libcurl decode. */
static int set_fields(struct tarn_xfer *x, const struct tarn_http_settings *s,
                      const struct tarn_xfer_ask *ask, struct tarn_err *err)
{
  char line[TARN_ETAG_MAX + 16];
  const struct curl_slist *own =
      tarn_url_same_origin(s->url, ask->url) ? s->headers : NULL;
  bool fine = add_field(x, "Accept-Encoding: identity");

  for (; fine && own; own = own->next)
    fine = add_field(x, own->data);
  if (fine && ask->if_match) {
    (void)snprintf(line, sizeof line, "If-Match: %s", ask->if_match);
    fine = add_field(x, line);
  }
  if (!fine ||
      curl_easy_setopt(x->req.easy, CURLOPT_HTTPHEADER, x->fields) != CURLE_OK)
    return tarn_err_nomem(err, "request");
  return 0;
}

static int set_range(struct tarn_xfer *x, const struct tarn_xfer_ask *ask,
                     struct tarn_err *err)
{
  char range[64];

  if (!ask->ranged)
    return 0;
  (void)snprintf(range, sizeof range, "%llu-%llu",
                 (unsigned long long)ask->first, (unsigned long long)ask->last);
  if (curl_easy_setopt(x->req.easy, CURLOPT_RANGE, range) != CURLE_OK)
    return tarn_err_nomem(err, "request");
  return 0;
}

static void reset(struct tarn_xfer *x)
{
  x->connected = x->head_told = x->refused = x->hopeless = false;
  x->refused_bytes = 0;
  x->probe_len = 0;
  x->expired_probe[0] = '\0';
  x->curl_text[0] = '\0';
}

int tarn_xfer_start(struct tarn_xfer *x, const struct tarn_http_settings *s,
                    const struct tarn_xfer_ask *ask, struct tarn_err *err)
{
  int rc;

  reset(x);
  x->req.easy = curl_easy_init();
  if (!x->req.easy)
    return tarn_err_nomem(err, "request");
  x->req.done = on_req_done;
  x->req.added = false;
  x->running = true;
  tarn_curl_loop_prepare(&x->env->curl, x->req.easy);
  if ((rc = tarn_http_settings_apply(s, x->req.easy, ask->url, err)) != 0 ||
      (rc = set_fields(x, s, ask, err)) != 0 ||
      (rc = set_range(x, ask, err)) != 0) {
    tarn_xfer_stop(x);
    return rc;
  }
  (void)curl_easy_setopt(x->req.easy, CURLOPT_ERRORBUFFER, x->curl_text);
  (void)curl_easy_setopt(x->req.easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  (void)curl_easy_setopt(x->req.easy, CURLOPT_HEADERFUNCTION, on_header);
  (void)curl_easy_setopt(x->req.easy, CURLOPT_HEADERDATA, x);
  (void)curl_easy_setopt(x->req.easy, CURLOPT_WRITEFUNCTION, on_write);
  (void)curl_easy_setopt(x->req.easy, CURLOPT_WRITEDATA, x);
  (void)curl_easy_setopt(x->req.easy, CURLOPT_PREREQFUNCTION, on_connected);
  (void)curl_easy_setopt(x->req.easy, CURLOPT_PREREQDATA, x);
  (void)curl_easy_setopt(x->req.easy, CURLOPT_FRESH_CONNECT,
                         ask->fresh ? 1L : 0L);
  tarn_curl_loop_add(&x->env->curl, &x->req);
  return 0;
}

void tarn_xfer_resume(struct tarn_xfer *x)
{
  if (x->running)
    tarn_curl_loop_resume(&x->env->curl, &x->req);
}

void tarn_xfer_stop(struct tarn_xfer *x)
{
  struct tarn_sigpipe saved;

  if (!x->running)
    return;
  x->running = false;
  tarn_curl_loop_remove(&x->env->curl, &x->req);
  tarn_sigpipe_block(&saved);
  curl_easy_cleanup(x->req.easy);
  tarn_sigpipe_restore(&saved);
  x->req.easy = NULL;
  curl_slist_free_all(x->fields);
  x->fields = NULL;
}
