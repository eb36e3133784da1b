#include "archive/fa1_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/fa1_files.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sm.h"

enum state {
  SIGNATURE = 0,
  LENGTH, /* of the path: where a block begins, or the archive ends */
  NAME,   /* the path, and the block's type behind it */
  FIELDS, /* what is fixed in a block of this type */
  DATA,   /* `left` bytes of `file` */
  FINISH, /* a directory was told and is complete */
  FAILED,
  N_STATES
};

static const char *const state_names[N_STATES] = {
    "signature", "length", "name", "fields", "data", "finish", "failed"};

static const uint32_t moves[N_STATES] = {
    [SIGNATURE] = 1u << LENGTH | 1u << FAILED,
    [LENGTH] = 1u << NAME | 1u << FAILED,
    [NAME] = 1u << FIELDS | 1u << LENGTH | 1u << FAILED,
    [FIELDS] = 1u << LENGTH | 1u << DATA | 1u << FINISH | 1u << FAILED,
    [DATA] = 1u << LENGTH,
    [FINISH] = 1u << LENGTH,
    [FAILED] = 0,
};

static const struct tarn_sm_table table = {"fa1_read", state_names, moves,
                                           N_STATES};

enum type { BLOCK_DATA = 0, BLOCK_FILE, BLOCK_END, BLOCK_DIR, BLOCK_SUM };

/* Bytes behind the type of each block. */
static const uint8_t n_fields[] = {2, 12, 0, 12, 8};

/* Bits of Go's os.FileMode beside the permission bits. */
#define GO_DIR       (UINT32_C(1) << 31)
#define GO_SYMLINK   (UINT32_C(1) << 27)
#define GO_DEVICE    (UINT32_C(1) << 26)
#define GO_PIPE      (UINT32_C(1) << 25)
#define GO_SOCKET    (UINT32_C(1) << 24)
#define GO_SETUID    (UINT32_C(1) << 23)
#define GO_SETGID    (UINT32_C(1) << 22)
#define GO_CHAR      (UINT32_C(1) << 21)
#define GO_STICKY    (UINT32_C(1) << 20)
#define GO_IRREGULAR (UINT32_C(1) << 19)
#define GO_TYPE                                                                \
  (GO_DIR | GO_SYMLINK | GO_DEVICE | GO_PIPE | GO_SOCKET | GO_CHAR |           \
   GO_IRREGULAR)

struct tarn_fa1_read {
  struct tarn_sm sm;
  tarn_crc64_fn crc64;
  uint64_t crc;      /* of the bytes consumed */
  uint64_t sum;      /* the same where the fields of a checksum begin */
  uint64_t at;       /* how many these are */
  uint64_t block_at; /* offset of the last block */
  uint64_t body_at;  /* of the last BODY event, in its file */
  size_t body_len;   /* and how long it is */
  enum type type;    /* of the last block */
  bool any;          /* there was a block */
  bool warned;       /* the end was said not to be proven */
  int failed;        /* FAILED: the code */
  size_t left;       /* DATA: bytes still to come */
  size_t path_len;   /* of the last block's path, in `name` */
  size_t gathered;   /* bytes of what is being read, in `fields` or `name` */
  struct tarn_fa1_files files;
  struct tarn_fa1_file *file; /* DATA: whose; MEMBER: the one that begins */
  void *user;                 /* of the member of the last event */
  struct tarn_entry entry;
  char warning[128];
  uint8_t fields[12];
  char name[UINT16_MAX + 2]; /* the type too, later a NUL */
};

/* What a step has not consumed yet. */
struct input {
  const uint8_t *ptr;
  size_t len;
};

/* A step function returns an event, an error, or this to be called again. */
enum { AGAIN = 100 };

typedef int (*step_fn)(struct tarn_fa1_read *r, struct input *in,
                       struct tarn_err *err);

/* ---- helpers ---- */

static void consume(struct tarn_fa1_read *r, struct input *in, size_t n)
{
  if (n == 0)
    return;
  r->crc = r->crc64(r->crc, in->ptr, n);
  r->at += n;
  in->ptr += n;
  in->len -= n;
}

/* Fills `to` up to `len` bytes; true when they are all there. */
static bool gather(struct tarn_fa1_read *r, struct input *in, void *to,
                   size_t len)
{
  size_t n = tarn_min_size(in->len, len - r->gathered);

  if (n > 0)
    memcpy((uint8_t *)to + r->gathered, in->ptr, n);
  consume(r, in, n);
  r->gathered += n;
  if (r->gathered < len)
    return false;
  r->gathered = 0;
  return true;
}

static uint64_t number(const uint8_t *ptr, size_t len)
{
  uint64_t n = 0;

  while (len-- > 0)
    n = n << 8 | *ptr++;
  return n;
}

/* ---- members ---- */

static void set_entry(struct tarn_fa1_read *r)
{
  uint32_t mode = (uint32_t)number(r->fields + 8, 4);
  struct tarn_entry *e = &r->entry;

  memset(e, 0, sizeof *e);
  e->type = r->type == BLOCK_DIR ? TARN_ENTRY_DIR : TARN_ENTRY_FILE;
  e->path = r->name;
  e->path_len = r->path_len;
  e->link = e->uname = e->gname = e->acl_access = e->acl_default = "";
  e->uid = number(r->fields, 4);
  e->gid = number(r->fields + 4, 4);
  e->mode = mode & 0777;
  if (mode & GO_SETUID)
    e->mode |= 04000;
  if (mode & GO_SETGID)
    e->mode |= 02000;
  if (mode & GO_STICKY)
    e->mode |= 01000;
  e->no_mtime = true;
  e->no_size = e->type == TARN_ENTRY_FILE;
  e->header_at = r->block_at;
}

/* Why the member of `entry` cannot be, or NULL. */
static const char *fault_of(const struct tarn_fa1_read *r)
{
  uint32_t type = (uint32_t)number(r->fields + 8, 4) & GO_TYPE;

  if (r->path_len == 0)
    return "it has no name";
  if (memchr(r->name, '\0', r->path_len))
    return "its name has a NUL";
  if (r->type == BLOCK_DIR && (type & ~GO_DIR) != 0)
    return "its mode is not a directory's";
  if (r->type == BLOCK_FILE && type != 0)
    return "its mode is not a file's";
  return NULL;
}

static int refuse(const struct tarn_fa1_read *r, const char *why,
                  struct tarn_err *err)
{
  char name[256];

  tarn_path_escape(r->name, r->path_len, name, sizeof name);
  (void)tarn_err_at(err, TARN_EDATA, r->block_at,
                    "member %s at offset %llu: %s", name,
                    (unsigned long long)r->block_at, why);
  return TARN_FA1_REFUSED;
}

/* A block that cannot stand where it stands. */
static int damage(const struct tarn_fa1_read *r, const char *what,
                  struct tarn_err *err)
{
  unsigned long long at = r->block_at;
  char name[256];

  tarn_path_escape(r->name, r->path_len, name, sizeof name);
  return tarn_err_at(err, TARN_EDATA, at, "damaged block at offset %llu: %s %s",
                     at, what, name);
}

static int begin_dir(struct tarn_fa1_read *r, struct tarn_err *err)
{
  const char *why = fault_of(r);

  r->file = NULL;
  set_entry(r);
  tarn_sm_to(&r->sm, why ? LENGTH : FINISH);
  return why ? refuse(r, why, err) : TARN_FA1_MEMBER;
}

static int begin_file(struct tarn_fa1_read *r, struct tarn_err *err)
{
  const char *why = fault_of(r);

  if (r->file)
    return damage(r, "a second begin of", err);
  if (r->files.n == TARN_FA1_MAX_OPEN)
    return tarn_err_at(err, TARN_ELIMIT, r->block_at,
                       "more than %d files open at once at offset %llu",
                       TARN_FA1_MAX_OPEN, (unsigned long long)r->block_at);
  r->file = tarn_fa1_files_add(&r->files, r->name, r->path_len);
  if (!r->file)
    return tarn_err_nomem(err, "FA1 member");
  r->file->refused = why != NULL;
  set_entry(r);
  tarn_sm_to(&r->sm, LENGTH);
  return why ? refuse(r, why, err) : TARN_FA1_MEMBER;
}

static int end_file(struct tarn_fa1_read *r, struct tarn_err *err)
{
  bool refused;

  if (!r->file)
    return damage(r, "an end without a begin of", err);
  refused = r->file->refused;
  r->user = r->file->user;
  tarn_fa1_files_remove(&r->files, r->file);
  r->file = NULL;
  tarn_sm_to(&r->sm, LENGTH);
  return refused ? AGAIN : TARN_FA1_FINISH;
}

static int begin_data(struct tarn_fa1_read *r, struct tarn_err *err)
{
  if (!r->file)
    return damage(r, "data without a begin of", err);
  r->left = (size_t)number(r->fields, 2);
  tarn_sm_to(&r->sm, DATA);
  return AGAIN;
}

/* ---- steps ---- */

bool tarn_fa1_is(const uint8_t *ptr)
{
  static const uint8_t signature[TARN_FA1_SIGNATURE] = {0x89, 'F',  'A',  '1',
                                                        '\r', '\n', 0x1a, '\n'};

  return memcmp(ptr, signature, sizeof signature) == 0;
}

static int step_signature(struct tarn_fa1_read *r, struct input *in,
                          struct tarn_err *err)
{
  if (!gather(r, in, r->fields, TARN_FA1_SIGNATURE))
    return TARN_FA1_MORE;
  if (!tarn_fa1_is(r->fields))
    return tarn_err_set(err, TARN_ENOTARCHIVE,
                        "not an FA1 archive: wrong signature");
  tarn_sm_to(&r->sm, LENGTH);
  return AGAIN;
}

static int step_length(struct tarn_fa1_read *r, struct input *in,
                       struct tarn_err *err)
{
  (void)err;
  if (r->gathered == 0)
    r->block_at = r->at;
  if (!gather(r, in, r->fields, 2))
    return TARN_FA1_MORE;
  r->path_len = (size_t)number(r->fields, 2);
  tarn_sm_to(&r->sm, NAME);
  return AGAIN;
}

static int step_name(struct tarn_fa1_read *r, struct input *in,
                     struct tarn_err *err)
{
  unsigned long long at = r->block_at;
  uint8_t type;

  if (!gather(r, in, r->name, r->path_len + 1))
    return TARN_FA1_MORE;
  type = (uint8_t)r->name[r->path_len];
  r->name[r->path_len] = '\0';
  if (type > BLOCK_SUM)
    return tarn_err_at(err, TARN_EDATA, at,
                       "damaged block at offset %llu: unknown type %u", at,
                       type);
  r->type = (enum type)type;
  r->any = true;
  r->sum = r->crc;
  if (type == BLOCK_SUM && r->path_len > 0)
    return damage(r, "a checksum named", err);
  r->file = tarn_fa1_files_find(&r->files, r->name, r->path_len);
  if (type == BLOCK_END)
    return end_file(r, err);
  tarn_sm_to(&r->sm, FIELDS);
  return AGAIN;
}

static int check_sum(struct tarn_fa1_read *r, struct tarn_err *err)
{
  unsigned long long at = r->at - n_fields[BLOCK_SUM];

  if (number(r->fields, n_fields[BLOCK_SUM]) != r->sum)
    return tarn_err_at(err, TARN_EDATA, at,
                       "wrong checksum at offset %llu: what is before it is "
                       "damaged",
                       at);
  tarn_sm_to(&r->sm, LENGTH);
  return AGAIN;
}

static int step_fields(struct tarn_fa1_read *r, struct input *in,
                       struct tarn_err *err)
{
  if (!gather(r, in, r->fields, n_fields[r->type]))
    return TARN_FA1_MORE;
  switch (r->type) {
  case BLOCK_DATA:
    return begin_data(r, err);
  case BLOCK_FILE:
    return begin_file(r, err);
  case BLOCK_DIR:
    return begin_dir(r, err);
  case BLOCK_END:
  case BLOCK_SUM:
  default:
    return check_sum(r, err);
  }
}

static int step_data(struct tarn_fa1_read *r, struct input *in,
                     struct tarn_err *err)
{
  size_t n = tarn_min_size(in->len, r->left);

  (void)err;
  if (r->left > 0 && n == 0)
    return TARN_FA1_MORE;
  consume(r, in, n);
  r->left -= n;
  if (r->left == 0)
    tarn_sm_to(&r->sm, LENGTH);
  if (n == 0 || r->file->refused)
    return AGAIN;
  r->body_at = r->file->at;
  r->body_len = n;
  r->file->at += n;
  r->user = r->file->user;
  return TARN_FA1_BODY;
}

static int step_finish(struct tarn_fa1_read *r, struct input *in,
                       struct tarn_err *err)
{
  (void)in;
  (void)err;
  tarn_sm_to(&r->sm, LENGTH);
  return TARN_FA1_FINISH;
}

static int step_failed(struct tarn_fa1_read *r, struct input *in,
                       struct tarn_err *err)
{
  (void)in;
  return tarn_err_set(err, r->failed, "reading FA1 has failed before");
}

static const step_fn steps[N_STATES] = {
    step_signature, step_length, step_name,   step_fields,
    step_data,      step_finish, step_failed,
};

/* ---- public ---- */

int tarn_fa1_read_new(struct tarn_fa1_read **out, tarn_crc64_fn crc,
                      struct tarn_err *err)
{
  struct tarn_fa1_read *r = calloc(1, sizeof *r);

  if (!r)
    return tarn_err_nomem(err, "FA1 reader");
  tarn_sm_init(&r->sm, &table, NULL);
  tarn_fa1_files_init(&r->files);
  r->crc64 = crc;
  set_entry(r);
  *out = r;
  return 0;
}

void tarn_fa1_read_free(struct tarn_fa1_read *r)
{
  if (!r)
    return;
  tarn_fa1_files_close(&r->files);
  free(r);
}

int tarn_fa1_read_step(struct tarn_fa1_read *r, const uint8_t *ptr, size_t len,
                       size_t *used, struct tarn_err *err)
{
  struct input in = {ptr, len};
  int rc;

  do {
    rc = steps[r->sm.state](r, &in, err);
  } while (rc == AGAIN);
  if (rc == TARN_FA1_MEMBER)
    r->user = NULL;
  if (rc < 0 && r->sm.state != FAILED) {
    r->failed = rc;
    tarn_sm_to(&r->sm, FAILED);
  }
  *used = len - in.len;
  return rc;
}

static int cut_short(const struct tarn_fa1_read *r, const char *where,
                     const char *path, size_t len, struct tarn_err *err)
{
  unsigned long long at = r->at;
  char name[256];

  tarn_path_escape(path, len, name, sizeof name);
  return tarn_err_at(err, TARN_ETRUNCATED, at,
                     "archive ends at offset %llu, %s%s", at, where, name);
}

static int end_between(struct tarn_fa1_read *r, bool proven,
                       struct tarn_err *err)
{
  const struct tarn_fa1_file *file = tarn_fa1_files_any(&r->files);

  if (file)
    return cut_short(r, "before the end of member ", file->path, file->path_len,
                     err);
  if (!r->any || r->type != BLOCK_SUM)
    return cut_short(r, "without its checksum", "", 0, err);
  if (proven || r->warned)
    return 0;
  r->warned = true;
  (void)snprintf(r->warning, sizeof r->warning,
                 "nothing proves that the archive ends at offset %llu: what "
                 "is cut behind a checksum looks whole",
                 (unsigned long long)r->at);
  return TARN_FA1_WARNING;
}

int tarn_fa1_read_end(struct tarn_fa1_read *r, bool proven,
                      struct tarn_err *err)
{
  size_t used;
  int rc = tarn_fa1_read_step(r, NULL, 0, &used, err);

  if (rc != TARN_FA1_MORE)
    return rc;
  if (r->sm.state == SIGNATURE)
    return tarn_err_at(err, TARN_ENOTARCHIVE, r->at,
                       "not an FA1 archive: data ends at offset %llu, within "
                       "the signature",
                       (unsigned long long)r->at);
  if (r->sm.state == FIELDS && r->type == BLOCK_SUM)
    return cut_short(r, "within a checksum", "", 0, err);
  if (r->sm.state == DATA || r->sm.state == FIELDS)
    return cut_short(r, "within a block of ", r->name, r->path_len, err);
  if (r->sm.state != LENGTH || r->gathered > 0)
    return cut_short(r, "within the head of a block", "", 0, err);
  return end_between(r, proven, err);
}

const struct tarn_entry *tarn_fa1_read_entry(const struct tarn_fa1_read *r)
{
  return &r->entry;
}

void *tarn_fa1_read_user(const struct tarn_fa1_read *r)
{
  return r->user;
}

void tarn_fa1_read_set_user(struct tarn_fa1_read *r, void *user)
{
  r->user = user;
  if (r->file)
    r->file->user = user;
}

size_t tarn_fa1_read_body_len(const struct tarn_fa1_read *r)
{
  return r->body_len;
}

uint64_t tarn_fa1_read_body_at(const struct tarn_fa1_read *r)
{
  return r->body_at;
}

const char *tarn_fa1_read_warning(const struct tarn_fa1_read *r)
{
  return r->warning;
}

uint64_t tarn_fa1_read_at(const struct tarn_fa1_read *r)
{
  return r->at;
}
