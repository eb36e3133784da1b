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
  bool force_user, force_group;
  uint32_t user, group; /* what they are forced to be */
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

bool tarn_owner_is_numeric(const struct tarn_owner_cache *c)
{
  return c->numeric;
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

static bool find_id(struct names *names, const char *name, ask_fn ask,
                    uint32_t *id)
{
  size_t len = strnlen(name, MAX_NAME);
  const struct known *k;

  if (len == 0 || len == MAX_NAME)
    return false;
  k = find(names, name, len, ask);
  if (k->found)
    *id = k->id;
  return k->found;
}

bool tarn_owner_find_user(struct tarn_owner_cache *c, const char *name,
                          uid_t *uid)
{
  return find_id(&c->users, name, ask_user, uid);
}

bool tarn_owner_find_group(struct tarn_owner_cache *c, const char *name,
                           gid_t *gid)
{
  return find_id(&c->groups, name, ask_group, gid);
}

static int id_of(bool numeric, struct names *names, const char *name,
                 uint64_t number, ask_fn ask, uint32_t *id)
{
  if (!numeric && name && find_id(names, name, ask, id))
    return 0;
  if (number > MAX_ID)
    return -EOVERFLOW;
  *id = (uint32_t)number;
  return 0;
}

int tarn_owner_find_uid(struct tarn_owner_cache *c, const char *name,
                        uint64_t id, uid_t *uid)
{
  return id_of(c->numeric, &c->users, name, id, ask_user, uid);
}

int tarn_owner_find_gid(struct tarn_owner_cache *c, const char *name,
                        uint64_t id, gid_t *gid)
{
  return id_of(c->numeric, &c->groups, name, id, ask_group, gid);
}

int tarn_owner_uid(struct tarn_owner_cache *c, const char *name, uint64_t id,
                   uid_t *uid)
{
  uint32_t value = c->user;
  int rc = c->force_user
               ? 0
               : id_of(c->numeric, &c->users, name, id, ask_user, &value);

  if (rc == 0)
    *uid = value;
  return rc;
}

int tarn_owner_gid(struct tarn_owner_cache *c, const char *name, uint64_t id,
                   gid_t *gid)
{
  uint32_t value = c->group;
  int rc = c->force_group
               ? 0
               : id_of(c->numeric, &c->groups, name, id, ask_group, &value);

  if (rc == 0)
    *gid = value;
  return rc;
}

/* ---- one owner for all ---- */

/* What stands before and behind the colon. */
struct forced {
  char user[MAX_NAME], group[MAX_NAME];
  bool has_colon;
};

static bool take_part(char to[MAX_NAME], const char *from, size_t len)
{
  if (len >= MAX_NAME)
    return false;
  memcpy(to, from, len);
  to[len] = '\0';
  return true;
}

static int split(struct forced *f, const char *text, struct tarn_err *err)
{
  size_t len = strcspn(text, ":");

  f->has_colon = text[len] == ':';
  if (!take_part(f->user, text, len) ||
      !take_part(f->group, text + len + f->has_colon,
                 strlen(text + len + f->has_colon)))
    return tarn_err_set(err, TARN_EINVAL, "chown: the name is too long");
  if ((!f->user[0] && !f->group[0]) || strchr(f->group, ':'))
    return tarn_err_set(err, TARN_EINVAL,
                        "chown: \"%s\" is not USER, USER:GROUP or :GROUP",
                        text);
  return 0;
}

int tarn_owner_check(const char *text, struct tarn_err *err)
{
  struct forced f;

  return split(&f, text, err);
}

static bool number_of(const char *text, uint32_t *id)
{
  uint64_t value = 0;
  const char *p = text;

  for (; *p >= '0' && *p <= '9' && value <= MAX_ID; p++)
    value = value * 10 + (uint64_t)(*p - '0');
  *id = (uint32_t)value;
  return p != text && !*p && value <= MAX_ID;
}

static int force_one(const char *text, const char *kind, ask_fn ask,
                     uint32_t *id, struct tarn_err *err)
{
  if (text[0] == '+' ? number_of(text + 1, id)
                     : look_up(text, ask, id) || number_of(text, id))
    return 0;
  return tarn_err_set(err, TARN_EINVAL, "chown: no %s is called \"%s\"", kind,
                      text);
}

static int ask_login_group(const char *name, char *buf, size_t cap,
                           uint32_t *id)
{
  struct passwd record, *found = NULL;
  uint32_t uid;
  int rc;

  do {
    rc = number_of(name + (name[0] == '+'), &uid)
             ? getpwuid_r(uid, &record, buf, cap, &found)
             : getpwnam_r(name, &record, buf, cap, &found);
  } while (rc == EINTR);
  if (rc == ERANGE)
    return -1;
  if (rc != 0 || !found)
    return 0;
  *id = record.pw_gid;
  return 1;
}

int tarn_owner_force(struct tarn_owner_cache *c, const char *text,
                     struct tarn_err *err)
{
  struct forced f;
  int rc = split(&f, text, err);

  if (rc == 0 && f.user[0])
    rc = force_one(f.user, "user", ask_user, &c->user, err);
  if (rc == 0 && f.group[0])
    rc = force_one(f.group, "group", ask_group, &c->group, err);
  else if (rc == 0 && f.has_colon &&
           !look_up(f.user, ask_login_group, &c->group))
    rc = tarn_err_set(err, TARN_EINVAL, "chown: user \"%s\" has no login group",
                      f.user);
  if (rc)
    return rc;
  c->force_user = f.user[0];
  c->force_group = f.has_colon;
  return 0;
}
