#include "loop/ca_store.h"

#include <stdlib.h>
#include <string.h>

/* Without OpenSSL of our own libcurl loads the file itself. */
struct tarn_ca_store {
  char *file;
};

struct tarn_ca_store *tarn_ca_store_new(struct tarn_work *work,
                                        const char *file)
{
  struct tarn_ca_store *ca = calloc(1, sizeof *ca);

  (void)work;
  if (ca && file && !(ca->file = strdup(file))) {
    free(ca);
    return NULL;
  }
  return ca;
}

void tarn_ca_store_free(struct tarn_ca_store *ca)
{
  if (ca)
    free(ca->file);
  free(ca);
}

int tarn_ca_store_ready(const struct tarn_ca_store *ca, struct tarn_err *err)
{
  (void)ca;
  (void)err;
  return 1;
}

void tarn_ca_store_load(struct tarn_ca_store *ca, void (*cb)(void *user),
                        void *user)
{
  (void)ca;
  cb(user);
}

int tarn_ca_store_apply(struct tarn_ca_store *ca, CURL *easy)
{
  CURLcode rc = CURLE_OK;

  if (ca->file)
    rc = curl_easy_setopt(easy, CURLOPT_CAINFO, ca->file);
  return rc == CURLE_OK ? 0 : TARN_ENOMEM;
}
