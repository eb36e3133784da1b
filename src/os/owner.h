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

#include "base/err.h"

struct tarn_owner_cache;

struct tarn_owner_cache *tarn_owner_cache_new(bool numeric); /* or NULL */
void tarn_owner_cache_free(struct tarn_owner_cache *c);      /* NULL is fine */
bool tarn_owner_is_numeric(const struct tarn_owner_cache *c);

/*
 * One owner for all: "USER", "USER:GROUP", ":GROUP", or "USER:" for the group
 * USER logs in with. Each is a name or a number; +N is a number for certain.
 * What is left out comes from the archive. Judges the form only: 0 or
 * TARN_EINVAL.
 */
int tarn_owner_check(const char *text, struct tarn_err *err);
/* From here on this is the owner. 0, or TARN_EINVAL: nobody is called so. */
int tarn_owner_force(struct tarn_owner_cache *c, const char *text,
                     struct tarn_err *err);

/* The id of that name, else `id`, whatever owners are forced: for access
   control lists. 0 or -EOVERFLOW. */
int tarn_owner_find_uid(struct tarn_owner_cache *c, const char *name,
                        uint64_t id, uid_t *uid);
int tarn_owner_find_gid(struct tarn_owner_cache *c, const char *name,
                        uint64_t id, gid_t *gid);
/* 0 or -EOVERFLOW. An empty or unknown name falls back to the number. */
int tarn_owner_uid(struct tarn_owner_cache *c, const char *name, uint64_t id,
                   uid_t *uid);
int tarn_owner_gid(struct tarn_owner_cache *c, const char *name, uint64_t id,
                   gid_t *gid);

/* Who is called so, whatever owners are forced to be or restored by; false
   when nobody is. */
bool tarn_owner_find_user(struct tarn_owner_cache *c, const char *name,
                          uid_t *uid);
bool tarn_owner_find_group(struct tarn_owner_cache *c, const char *name,
                           gid_t *gid);

#endif
