/*
 * The trusted certificates, loaded once on a worker.
 *
 * Reading Debian's bundle takes 30 to 60 ms, which libcurl would spend on the
 * loop for each new connection. Here a work item reads it, and each connection
 * gets a reference.
 *
 *   if (!tarn_ca_store_ready(ca)) tarn_ca_store_load(ca, on_loaded);
 *   tarn_ca_store_apply(ca, easy);
 *
 * Built without OpenSSL, or when libcurl has another TLS library, it is ready
 * at once and tells libcurl the file name. Memory: the store, until freed.
 * Threads: the loop's only.
 */
#ifndef TARN_LOOP_CA_STORE_H
#define TARN_LOOP_CA_STORE_H

#include <curl/curl.h>

#include "base/err.h"
#include "loop/work.h"

struct tarn_ca_store;

/* `file` NULL: libcurl's default bundle. NULL when memory is out. */
struct tarn_ca_store *tarn_ca_store_new(struct tarn_work *work,
                                        const char *file);
/* Not while it loads. NULL is fine. */
void tarn_ca_store_free(struct tarn_ca_store *ca);

/* 1: apply works; 0: load first; a TARN_E code: loading has failed, in *err. */
int tarn_ca_store_ready(const struct tarn_ca_store *ca, struct tarn_err *err);
/* Starts loading; cb comes once, later. Idempotent while it loads. */
void tarn_ca_store_load(struct tarn_ca_store *ca, void (*cb)(void *user),
                        void *user);
/* Makes `easy` trust the store. 0, TARN_ENOMEM. */
int tarn_ca_store_apply(struct tarn_ca_store *ca, CURL *easy);

#endif
