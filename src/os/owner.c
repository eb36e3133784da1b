#include "os/owner.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

enum {
  N_CACHED = 64,
  MAX_NAME = 256,      /* longer ones are unknown */
  FIRST_BUFFER = 1024, /* for one record of the user database */
  MAX_BUFFER = 1024 * 1024
};

static const uint64_t MAX_ID = UINT32_MAX - 1;

struct known {
  bool found;
  uint32_t id;
  size_t len;
  char name[MAX_NAME];
};

/* Replaced in turn: an archive has few owners, in long runs. */
struct names {
  size_t n, next, last_hit;
  struct known known[N_CACHED];
};

struct tarn_owner_cache {
  bool numeric;
  struct names users, groups;
};

/* 1 found, 0 unknown, -1 the buffer is too small. */
typedef int (*ask_fn)(const char *name, char *buf, size_t cap, uint32_t *id);

struct tarn_owner_cache *tarn_owner_cache_new(bool numeric)
{
  struct tarn_owner_cache *c = calloc(1, sizeof *c);

  if (c)
    c->numeric = numeric;
  return c;
}

void tarn_owner_cache_free(struct tarn_owner_cache *c)
{
  free(c);
}

static int ask_user(const char *name, char *buf, size_t cap, uint32_t *id)
{
  struct passwd record, *found = NULL;
  int rc;

  do {
    rc = getpwnam_r(name, &record, buf, cap, &found);
  } while (rc == EINTR);
  if (rc == ERANGE)
    return -1;
  if (rc != 0 || !found)
    return 0;
  *id = record.pw_uid;
  return 1;
}

static int ask_group(const char *name, char *buf, size_t cap, uint32_t *id)
{
  struct group record, *found = NULL;
  int rc;

  do {
    rc = getgrnam_r(name, &record, buf, cap, &found);
  } while (rc == EINTR);
  if (rc == ERANGE)
    return -1;
  if (rc != 0 || !found)
    return 0;
  *id = record.gr_gid;
  return 1;
}

static bool look_up(const char *name, ask_fn ask, uint32_t *id)
{
  int rc = -1;

  for (size_t cap = FIRST_BUFFER; rc < 0 && cap <= MAX_BUFFER; cap *= 4) {
    char *buf = malloc(cap);

    if (!buf)
      return false;
    rc = ask(name, buf, cap, id);
    free(buf);
  }
  return rc == 1 && *id <= MAX_ID;
}

static bool is_name(const struct known *k, const char *name, size_t len)
{
  return k->len == len && memcmp(k->name, name, len) == 0;
}

static const struct known *find(struct names *names, const char *name,
                                size_t len, ask_fn ask)
{
  struct known *k;

  if (names->n && is_name(&names->known[names->last_hit], name, len))
    return &names->known[names->last_hit];
  for (size_t i = 0; i < names->n; i++) {
    if (is_name(&names->known[i], name, len)) {
      names->last_hit = i;
      return &names->known[i];
    }
  }
  k = &names->known[names->next];
  k->len = len;
  memcpy(k->name, name, len + 1);
  k->found = look_up(name, ask, &k->id);
  names->last_hit = names->next;
  names->next = (names->next + 1) % N_CACHED;
  if (names->n < N_CACHED)
    names->n++;
  return k;
}

static int id_of(bool numeric, struct names *names, const char *name,
                 uint64_t number, ask_fn ask, uint32_t *id)
{
  size_t len = numeric || !name ? 0 : strnlen(name, MAX_NAME);

  if (len > 0 && len < MAX_NAME) {
    const struct known *k = find(names, name, len, ask);

    if (k->found) {
      *id = k->id;
      return 0;
    }
  }
  if (number > MAX_ID)
    return -EOVERFLOW;
  *id = (uint32_t)number;
  return 0;
}

int tarn_owner_uid(struct tarn_owner_cache *c, const char *name, uint64_t id,
                   uid_t *uid)
{
  uint32_t value;
  int rc = id_of(c->numeric, &c->users, name, id, ask_user, &value);

  if (rc == 0)
    *uid = value;
  return rc;
}

int tarn_owner_gid(struct tarn_owner_cache *c, const char *name, uint64_t id,
                   gid_t *gid)
{
  uint32_t value;
  int rc = id_of(c->numeric, &c->groups, name, id, ask_group, &value);

  if (rc == 0)
    *gid = value;
  return rc;
}
