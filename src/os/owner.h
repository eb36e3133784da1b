/*
 * Owners: from the names and numbers of an archive to ids, for workers.
 *
 * By name first, then by number, as GNU tar does for root. Lookups are cached,
 * as getpwnam_r may ask a directory service. An id that does not fit (above
 * 2^32 - 2, as (uid_t)-1 means "leave it") is refused with -EOVERFLOW.
 *
 * Memory: 64 cached names of each kind. Threads: travels with one lane's item.
 */
#ifndef TARN_OS_OWNER_H
#define TARN_OS_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tarn_owner_cache;

struct tarn_owner_cache *tarn_owner_cache_new(bool numeric); /* or NULL */
void tarn_owner_cache_free(struct tarn_owner_cache *c);      /* NULL is fine */
/* 0 or -EOVERFLOW. An empty or unknown name falls back to the number. */
int tarn_owner_uid(struct tarn_owner_cache *c, const char *name, uint64_t id,
                   uid_t *uid);
int tarn_owner_gid(struct tarn_owner_cache *c, const char *name, uint64_t id,
                   gid_t *gid);

#endif
