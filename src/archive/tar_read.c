#include "archive/tar_read.h"

#include <stdlib.h>
#include <string.h>

#include "archive/tar_member.h"
#include "base/num.h"
#include "base/path.h"
#include "base/sm.h"

enum state {
  HEADER = 0, /* the next block is a header or zeros */
  LONG,       /* content of a long header */
  MAP,        /* blocks with the map of a sparse member */
  BEGIN,      /* a member is known and not told yet */
  BODY,
  FINISH,
  SKIP,  /* `left` bytes that nobody wants: padding, refused content */
  DRAIN, /* behind the end blocks */
  FAILED,
  N_STATES
};

static const char *const state_names[N_STATES] = {"header", "long",  "map",
                                                  "begin",  "body",  "finish",
                                                  "skip",   "drain", "failed"};

static const uint32_t moves[N_STATES] = {
    [HEADER] = 1u << LONG | 1u << MAP | 1u << BEGIN | 1u << SKIP | 1u << DRAIN |
               1u << FAILED,
    [LONG] = 1u << SKIP | 1u << FAILED,
    [MAP] = 1u << BEGIN | 1u << FAILED,
    [BEGIN] = 1u << BODY | 1u << FINISH | 1u << SKIP,
    [BODY] = 1u << FINISH,
    [FINISH] = 1u << SKIP,
    [SKIP] = 1u << HEADER,
    [DRAIN] = 0,
    [FAILED] = 0,
};

static const struct tarn_sm_table table = {"tar_read", state_names, moves,
                                           N_STATES};

struct tarn_tar_read {
  struct tarn_sm sm;
  struct tarn_tar_options opts;
  uint64_t at;        /* bytes consumed */
  uint64_t header_at; /* offset of the last header */
  uint64_t left;      /* LONG, MAP, BODY, SKIP: bytes still to come */
  uint64_t pad;       /* bytes to skip when `left` is through */
  uint64_t body_at;   /* of the last BODY event, */
  uint64_t body_next; /* and of the next, in the file */
  bool any;           /* some block was a header or zeros */
  bool behind;        /* data behind the end blocks was seen */
  unsigned n_zero;  /* zero blocks in a row, at most 2; at 2 the end is seen */
  int failed;       /* FAILED: the code */
  size_t block_len; /* bytes of `block`, when a block was cut */
  struct tarn_tar_header header;
  struct tarn_tar_member member;
  struct tarn_tar_sparse sparse;
  struct tarn_tar_long longs;
  struct tarn_tar_notes notes;
  char warning[512];
  uint8_t block[TARN_TAR_BLOCK];
};

/* What a step has not consumed yet. */
struct input {
  const uint8_t *ptr;
  size_t len;
};

/* A step function returns an event, an error, or this to be called again. */
enum { AGAIN = 100 };

typedef int (*step_fn)(struct tarn_tar_read *r, struct input *in,
                       struct tarn_err *err);

/* ---- helpers ---- */

static const uint8_t *consume(struct tarn_tar_read *r, struct input *in,
                              size_t n)
{
  const uint8_t *ptr = in->ptr;

  if (n > 0)
    in->ptr += n;
  in->len -= n;
  r->at += n;
  return ptr;
}

/* As much of `left` as the input holds. */
static size_t within_left(const struct tarn_tar_read *r, const struct input *in)
{
  return (size_t)tarn_min_u64(in->len, r->left);
}

/* A whole block; copied only when it was cut. NULL when more is needed. */
static const uint8_t *take_block(struct tarn_tar_read *r, struct input *in)
{
  size_t n;

  if (r->block_len == 0 && in->len >= TARN_TAR_BLOCK)
    return consume(r, in, TARN_TAR_BLOCK);
  n = tarn_min_size(in->len, TARN_TAR_BLOCK - r->block_len);
  if (n == 0)
    return NULL;
  memcpy(r->block + r->block_len, consume(r, in, n), n);
  r->block_len += n;
  if (r->block_len < TARN_TAR_BLOCK)
    return NULL;
  r->block_len = 0;
  return r->block;
}

static uint64_t padding(uint64_t size)
{
  return (TARN_TAR_BLOCK - size % TARN_TAR_BLOCK) % TARN_TAR_BLOCK;
}

static void skip(struct tarn_tar_read *r, uint64_t n)
{
  r->left = n;
  tarn_sm_to(&r->sm, SKIP);
}

/* ---- headers ---- */

static void clear_entry(struct tarn_entry *e)
{
  memset(e, 0, sizeof *e);
  e->type = TARN_ENTRY_FILE;
  e->path = e->link = e->uname = e->gname = "";
  e->acl_access = e->acl_default = "";
}

/* The archive ends and what waited for a member got none. */
static int refuse_dangling(struct tarn_tar_read *r, struct tarn_err *err)
{
  struct tarn_entry *e = &r->member.entry;

  clear_entry(e);
  e->header_at = r->longs.at - TARN_TAR_BLOCK;
  if (r->longs.pax.has & TARN_PAX_PATH) {
    e->path = r->longs.pax.path.ptr;
    e->path_len = strlen(e->path);
  } else if (tarn_tar_long_waits(&r->longs, TARN_TAR_LONG_NAME)) {
    e->path = r->longs.buffers[TARN_TAR_LONG_NAME].data;
    e->path_len = r->longs.buffers[TARN_TAR_LONG_NAME].len;
  }
  tarn_tar_long_clear(&r->longs);
  (void)tarn_err_at(err, TARN_EDATA, e->header_at,
                    "long header at offset %llu: no member follows it",
                    (unsigned long long)e->header_at);
  return TARN_TAR_REFUSED;
}

static int on_zero_block(struct tarn_tar_read *r, struct tarn_err *err)
{
  r->any = true;
  if (r->n_zero < 2)
    r->n_zero++;
  if (r->n_zero == 2 && !r->opts.ignore_zeros)
    tarn_sm_to(&r->sm, DRAIN);
  return r->longs.waiting ? refuse_dangling(r, err) : AGAIN;
}

/* A block that is no header behind a single zero block: the end all the same.
 */
static int on_lone_zero(struct tarn_tar_read *r)
{
  tarn_tar_note(&r->notes, TARN_TAR_NOTE_LONE_ZERO,
                r->header_at - TARN_TAR_BLOCK);
  r->behind = true;
  tarn_sm_to(&r->sm, DRAIN);
  return AGAIN;
}

static int on_damage(struct tarn_tar_read *r, const char *field,
                     struct tarn_err *err)
{
  unsigned long long at = r->header_at;

  if (field)
    return tarn_err_at(err, TARN_EDATA, at,
                       "damaged header at offset %llu: wrong %s field", at,
                       field);
  if (r->any)
    return tarn_err_at(err, TARN_EDATA, at,
                       "damaged header at offset %llu: wrong checksum", at);
  return tarn_err_at(err, TARN_ENOTARCHIVE, at,
                     "not a tar archive: first header at offset %llu has a "
                     "wrong checksum",
                     at);
}

static int on_long(struct tarn_tar_read *r, struct tarn_err *err)
{
  int rc = tarn_tar_long_begin(&r->longs, &r->header, r->at, &r->notes, err);

  if (rc < 0)
    return rc;
  /* The last entry's texts may have pointed into the buffer that grows now. */
  r->member.entry.path = "";
  r->member.entry.path_len = 0;
  r->left = r->header.size;
  r->pad = padding(r->left);
  tarn_sm_to(&r->sm, LONG);
  return AGAIN;
}

/* A map that cannot be refuses its member, when it is sure where that ends. */
static int on_map(struct tarn_tar_read *r, int rc, const char *why,
                  struct tarn_err *err)
{
  if (rc == TARN_ENOMEM)
    return tarn_err_nomem(err, "sparse map");
  if (rc < 0 && tarn_tar_sparse_is_fatal(&r->sparse))
    return tarn_tar_member_damage(&r->member, rc, why, err);
  if (rc < 0)
    tarn_tar_member_refuse(&r->member, rc, why);
  if (rc <= 0)
    tarn_sm_to(&r->sm, BEGIN);
  else if (r->sm.state != MAP)
    tarn_sm_to(&r->sm, MAP);
  return AGAIN;
}

static int begin_map(struct tarn_tar_read *r, struct tarn_err *err)
{
  const struct tarn_tar_member *m = &r->member;
  const char *why = NULL;
  int rc = tarn_tar_sparse_begin(&r->sparse, m->sparse, &r->header,
                                 &r->longs.pax, m->entry.size, m->stored, &why);

  return on_map(r, rc, why, err);
}

static int on_member(struct tarn_tar_read *r, struct tarn_err *err)
{
  int rc = tarn_tar_member_make(&r->member, &r->header, &r->longs, r->header_at,
                                &r->notes, err);

  if (rc < 0)
    return rc;
  r->pad = padding(r->member.stored);
  r->left = r->member.stored;
  if (r->member.kind == TARN_TAR_MEMBER_LABEL) {
    skip(r, r->left + r->pad);
    return AGAIN;
  }
  if (r->member.sparse != TARN_TAR_SPARSE_NONE)
    return begin_map(r, err);
  tarn_sm_to(&r->sm, BEGIN);
  return AGAIN;
}

static int step_header(struct tarn_tar_read *r, struct input *in,
                       struct tarn_err *err)
{
  const uint8_t *block = take_block(r, in);
  enum tarn_tar_block judged;
  const char *damaged;

  if (!block)
    return TARN_TAR_MORE;
  r->header_at = r->at - TARN_TAR_BLOCK;
  judged = tarn_tar_block_judge(block);
  if (judged == TARN_TAR_BLOCK_ZERO)
    return on_zero_block(r, err);
  if (r->n_zero == 1 && !r->opts.ignore_zeros)
    return on_lone_zero(r);
  if (judged == TARN_TAR_BLOCK_DAMAGED)
    return on_damage(r, NULL, err);
  damaged = tarn_tar_header_parse(block, &r->header);
  if (damaged)
    return on_damage(r, damaged, err);
  r->any = true;
  r->n_zero = 0;
  if (tarn_tar_is_long(r->header.type))
    return on_long(r, err);
  return on_member(r, err);
}

static int step_long(struct tarn_tar_read *r, struct input *in,
                     struct tarn_err *err)
{
  size_t n = within_left(r, in);
  int rc;

  if (r->left > 0) {
    if (n == 0)
      return TARN_TAR_MORE;
    tarn_tar_long_put(&r->longs, consume(r, in, n), n);
    r->left -= n;
    return AGAIN;
  }
  rc = tarn_tar_long_end(&r->longs, &r->notes, err);
  if (rc < 0)
    return rc;
  skip(r, r->pad);
  return AGAIN;
}

/* ---- members ---- */

static int step_map(struct tarn_tar_read *r, struct input *in,
                    struct tarn_err *err)
{
  bool counted = r->member.sparse != TARN_TAR_SPARSE_GNU;
  const char *why = "its sparse map is longer than what is stored";
  const uint8_t *block;
  int rc;

  if (counted && r->left < TARN_TAR_BLOCK)
    return tarn_tar_member_damage(&r->member, TARN_EDATA, why, err);
  block = take_block(r, in);
  if (!block)
    return TARN_TAR_MORE;
  if (counted)
    r->left -= TARN_TAR_BLOCK;
  rc = tarn_tar_sparse_block(&r->sparse, block, &why);
  return on_map(r, rc, why, err);
}

static int refuse_member(struct tarn_tar_read *r, struct tarn_err *err)
{
  const struct tarn_entry *e = &r->member.entry;
  char name[256];

  tarn_path_escape(e->path, e->path_len, name, sizeof name);
  (void)tarn_err_at(err, r->member.refused, e->header_at,
                    "member %s at offset %llu: %s", name,
                    (unsigned long long)e->header_at, r->member.why);
  skip(r, r->left + r->pad);
  return TARN_TAR_REFUSED;
}

static int step_begin(struct tarn_tar_read *r, struct input *in,
                      struct tarn_err *err)
{
  bool whole = r->member.kind == TARN_TAR_MEMBER_WHOLE;

  (void)in;
  /*
   * What waited is used up, though the entry still points into its buffers,
   * which stay as they are until the next long header.
   */
  tarn_tar_long_clear(&r->longs);
  if (r->member.kind == TARN_TAR_MEMBER_REFUSED)
    return refuse_member(r, err);
  if (!whole) {
    r->pad += r->left;
    r->left = 0;
  }
  r->body_at = r->body_next = 0;
  tarn_sm_to(&r->sm, r->left > 0 ? BODY : FINISH);
  return TARN_TAR_MEMBER;
}

/*
 * Nothing may be consumed before: the event speaks of the caller's `ptr`. The
 * zeros of a stored hole go without one: they reach to the end of the input or
 * of the content, so that no BODY follows in this step.
 */
static int step_body(struct tarn_tar_read *r, struct input *in,
                     struct tarn_err *err)
{
  size_t n = within_left(r, in);
  bool is_hole = false;

  (void)err;
  if (n == 0)
    return TARN_TAR_MORE;
  r->body_at = r->body_next;
  if (r->member.sparse != TARN_TAR_SPARSE_NONE)
    n = tarn_tar_sparse_body(&r->sparse, in->ptr, n, &r->body_at, &is_hole);
  (void)consume(r, in, n);
  r->left -= n;
  r->body_next += n;
  if (r->left == 0)
    tarn_sm_to(&r->sm, FINISH);
  return is_hole ? AGAIN : TARN_TAR_BODY;
}

static int step_finish(struct tarn_tar_read *r, struct input *in,
                       struct tarn_err *err)
{
  (void)in;
  (void)err;
  skip(r, r->pad);
  return TARN_TAR_FINISH;
}

static int step_skip(struct tarn_tar_read *r, struct input *in,
                     struct tarn_err *err)
{
  size_t n = within_left(r, in);

  (void)err;
  if (r->left > 0 && n == 0)
    return TARN_TAR_MORE;
  (void)consume(r, in, n);
  r->left -= n;
  if (r->left == 0)
    tarn_sm_to(&r->sm, HEADER);
  return AGAIN;
}

static int step_drain(struct tarn_tar_read *r, struct input *in,
                      struct tarn_err *err)
{
  uint64_t at = r->at;
  size_t n = in->len;

  (void)err;
  if (n == 0)
    return TARN_TAR_MORE;
  if (!r->behind && !tarn_tar_only_zeros(in->ptr, n)) {
    r->behind = true;
    while (*consume(r, in, 1) == 0)
      at++;
    tarn_tar_note(&r->notes, TARN_TAR_NOTE_BEHIND, at);
    return AGAIN;
  }
  (void)consume(r, in, n);
  return AGAIN;
}

static int step_failed(struct tarn_tar_read *r, struct input *in,
                       struct tarn_err *err)
{
  (void)in;
  return tarn_err_set(err, r->failed, "reading tar has failed before");
}

static const step_fn steps[N_STATES] = {
    step_header, step_long, step_map,   step_begin,  step_body,
    step_finish, step_skip, step_drain, step_failed,
};

/* ---- public ---- */

int tarn_tar_read_new(struct tarn_tar_read **out,
                      const struct tarn_tar_options *opts, struct tarn_err *err)
{
  struct tarn_tar_read *r = calloc(1, sizeof *r);

  if (!r)
    return tarn_err_nomem(err, "tar reader");
  tarn_sm_init(&r->sm, &table, NULL);
  tarn_tar_long_init(&r->longs);
  if (opts)
    r->opts = *opts;
  tarn_tar_sparse_init(&r->sparse);
  clear_entry(&r->member.entry);
  *out = r;
  return 0;
}

void tarn_tar_read_free(struct tarn_tar_read *r)
{
  if (!r)
    return;
  tarn_tar_long_close(&r->longs);
  tarn_tar_sparse_close(&r->sparse);
  free(r);
}

static bool take_note(struct tarn_tar_read *r)
{
  const struct tarn_entry *e = &r->member.entry;

  return tarn_tar_note_take(&r->notes, e->path, e->path_len, r->warning,
                            sizeof r->warning);
}

int tarn_tar_read_step(struct tarn_tar_read *r, const uint8_t *ptr, size_t len,
                       size_t *used, struct tarn_err *err)
{
  struct input in = {ptr, len};
  int rc;

  do {
    if (r->notes.bits != 0 && take_note(r)) {
      rc = TARN_TAR_WARNING;
      break;
    }
    rc = steps[r->sm.state](r, &in, err);
  } while (rc == AGAIN);
  if (rc < 0 && r->sm.state != FAILED) {
    r->notes.bits = 0;
    r->failed = rc;
    tarn_sm_to(&r->sm, FAILED);
  }
  *used = len - in.len;
  return rc;
}

static int cut_short(const struct tarn_tar_read *r, struct tarn_err *err)
{
  const struct tarn_entry *e = &r->member.entry;
  unsigned long long at = r->at;
  char name[256];

  if (r->sm.state == HEADER)
    return tarn_err_at(err, TARN_ETRUNCATED, at,
                       "archive ends at offset %llu, within a header", at);
  if (e->path_len == 0)
    return tarn_err_at(err, TARN_ETRUNCATED, at,
                       "archive ends at offset %llu, within a long header", at);
  tarn_path_escape(e->path, e->path_len, name, sizeof name);
  return tarn_err_at(err, TARN_ETRUNCATED, at,
                     "archive ends at offset %llu, within member %s", at, name);
}

/* The end came where a header or zeros could follow. */
static int end_between(struct tarn_tar_read *r, bool proven,
                       struct tarn_err *err)
{
  unsigned long long at = r->at;

  if (r->longs.waiting)
    return tarn_err_at(err, TARN_ETRUNCATED, at,
                       "archive ends at offset %llu, between a long header "
                       "and its member",
                       at);
  if (r->n_zero >= 2)
    return 0;
  if (!proven)
    return tarn_err_at(err, TARN_ETRUNCATED, at,
                       "archive ends at offset %llu without end blocks", at);
  tarn_tar_note(&r->notes,
                r->n_zero == 1 ? TARN_TAR_NOTE_LONE_ZERO : TARN_TAR_NOTE_NO_END,
                r->at - r->n_zero * (uint64_t)TARN_TAR_BLOCK);
  r->n_zero = 2;
  return take_note(r) ? TARN_TAR_WARNING : 0;
}

int tarn_tar_read_end(struct tarn_tar_read *r, bool proven,
                      struct tarn_err *err)
{
  size_t used;
  int rc = tarn_tar_read_step(r, NULL, 0, &used, err);

  if (rc != TARN_TAR_MORE)
    return rc;
  if (r->sm.state == DRAIN)
    return 0;
  if (!r->any && r->at == 0)
    return tarn_err_set(err, TARN_ENOTARCHIVE, "not a tar archive: no data");
  if (!r->any)
    return tarn_err_at(err, TARN_ENOTARCHIVE, r->at,
                       "not a tar archive: data ends at offset %llu, within "
                       "the first header",
                       (unsigned long long)r->at);
  if (r->sm.state != HEADER || r->block_len > 0)
    return cut_short(r, err);
  return end_between(r, proven, err);
}

const struct tarn_entry *tarn_tar_read_entry(const struct tarn_tar_read *r)
{
  return &r->member.entry;
}

uint64_t tarn_tar_read_body_at(const struct tarn_tar_read *r)
{
  return r->body_at;
}

const char *tarn_tar_read_warning(const struct tarn_tar_read *r)
{
  return r->warning;
}

uint64_t tarn_tar_read_at(const struct tarn_tar_read *r)
{
  return r->at;
}
