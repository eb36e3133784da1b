#include "loop/ca_store.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

struct tarn_ca_store {
  char *file;        /* NULL: the system's default */
  bool by_curl;      /* libcurl's TLS is not our OpenSSL */
  X509_STORE *store; /* set when loaded */
  struct tarn_err err;
  struct tarn_lane lane;
  struct tarn_item item;
  bool loading;
  void (*cb)(void *user);
  void *user;
};

struct tarn_ca_store *tarn_ca_store_new(struct tarn_work *work,
                                        const char *file)
{
  const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
  struct tarn_ca_store *ca = calloc(1, sizeof *ca);

  if (!ca)
    return NULL;
  tarn_lane_init(&ca->lane, work, 1);
  ca->by_curl =
      !info->ssl_version || strncmp(info->ssl_version, "OpenSSL/", 8) != 0;
  if (!file && !ca->by_curl)
    file = info->cainfo;
  if (file && !(ca->file = strdup(file))) {
    free(ca);
    return NULL;
  }
  return ca;
}

void tarn_ca_store_free(struct tarn_ca_store *ca)
{
  if (!ca)
    return;
  X509_STORE_free(ca->store);
  free(ca->file);
  free(ca);
}

int tarn_ca_store_ready(const struct tarn_ca_store *ca, struct tarn_err *err)
{
  if (ca->loading) /* the rest is the worker's */
    return 0;
  if (ca->err.code) {
    if (err)
      *err = ca->err;
    return ca->err.code;
  }
  return ca->by_curl || ca->store ? 1 : 0;
}

static void load_on_worker(struct tarn_item *item)
{
  struct tarn_ca_store *ca = TARN_CONTAINER(item, struct tarn_ca_store, item);
  X509_STORE *store = X509_STORE_new();

  if (!store) {
    (void)tarn_err_nomem(&ca->err, "trusted certificates");
    return;
  }
  ERR_clear_error();
  if (ca->file ? X509_STORE_load_locations(store, ca->file, NULL) != 1
               : X509_STORE_set_default_paths(store) != 1) {
    (void)tarn_err_set(&ca->err, TARN_EFILE,
                       "%s: cannot be read as trusted certificates",
                       ca->file ? ca->file : "the system's certificates");
    X509_STORE_free(store);
    ERR_clear_error();
    return;
  }
  ca->store = store;
}

static void on_loaded(struct tarn_item *item, int status)
{
  struct tarn_ca_store *ca = TARN_CONTAINER(item, struct tarn_ca_store, item);

  ca->loading = false;
  if (status)
    (void)tarn_err_set(&ca->err, status, "trusted certificates: work item");
  ca->cb(ca->user);
}

void tarn_ca_store_load(struct tarn_ca_store *ca, void (*cb)(void *user),
                        void *user)
{
  ca->cb = cb;
  ca->user = user;
  if (ca->loading)
    return;
  ca->loading = true;
  ca->item.run = load_on_worker;
  ca->item.done = on_loaded;
  tarn_lane_put(&ca->lane, &ca->item);
}

/* CURLOPT_SSL_CTX_FUNCTION */
static CURLcode on_ssl_ctx(CURL *easy, void *ssl_ctx, void *user)
{
  struct tarn_ca_store *ca = user;

  (void)easy;
  SSL_CTX_set1_cert_store(ssl_ctx, ca->store);
  return CURLE_OK;
}

int tarn_ca_store_apply(struct tarn_ca_store *ca, CURL *easy)
{
  if (ca->by_curl) {
    if (ca->file &&
        curl_easy_setopt(easy, CURLOPT_CAINFO, ca->file) != CURLE_OK)
      return TARN_ENOMEM;
    return 0;
  }
  /* Nothing is left for libcurl to read from disk. The store it makes is
     replaced, but it compares the path when it looks for a connection or a
     TLS session to use again: one that other certificates vouched for, in
     another job of the same context, must not be taken. */
  (void)curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
  if (curl_easy_setopt(easy, CURLOPT_CAPATH, ca->file) != CURLE_OK)
    return TARN_ENOMEM;
  (void)curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, on_ssl_ctx);
  (void)curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, ca);
  return 0;
}
