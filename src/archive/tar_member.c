#include "archive/tar_member.h"

#include <string.h>

#include "base/path.h"

/* What the size of a type means. */
enum body {
  BODY_CONTENT, /* content follows */
  BODY_HINT,    /* nothing follows: a size is only a hint (POSIX) */
  BODY_NONE,    /* nothing follows, and a size makes readers disagree */
  BODY_LINK,    /* hard link: depends on the format */
  BODY_FOREIGN  /* bytes follow that are not content of the entry */
};

struct type {
  enum tarn_entry_type entry;
  enum body body;
  const char *refused; /* why, or NULL */
};

static const struct type types[128] = {
    [0] = {TARN_ENTRY_FILE, BODY_CONTENT, NULL},
    ['0'] = {TARN_ENTRY_FILE, BODY_CONTENT, NULL},
    ['1'] = {TARN_ENTRY_HARDLINK, BODY_LINK, NULL},
    ['2'] = {TARN_ENTRY_SYMLINK, BODY_NONE, NULL},
    ['3'] = {TARN_ENTRY_CHAR, BODY_NONE, NULL},
    ['4'] = {TARN_ENTRY_BLOCK, BODY_NONE, NULL},
    ['5'] = {TARN_ENTRY_DIR, BODY_HINT, NULL},
    ['6'] = {TARN_ENTRY_FIFO, BODY_NONE, NULL},
    ['7'] = {TARN_ENTRY_FILE, BODY_CONTENT, NULL},
    ['D'] = {TARN_ENTRY_DIR, BODY_FOREIGN, NULL},
    ['M'] = {TARN_ENTRY_FILE, BODY_FOREIGN, "part of a multi-volume archive"},
    ['N'] = {TARN_ENTRY_FILE, BODY_FOREIGN, "old GNU list of long names"},
    ['S'] = {TARN_ENTRY_FILE, BODY_FOREIGN, "sparse files are not read yet"},
};

static const struct type unknown_type = {TARN_ENTRY_FILE, BODY_CONTENT, NULL};

static const struct type *type_of(const struct tarn_tar_header *h)
{
  size_t index = (uint8_t)h->type;

  if (index < 128 && types[index].entry != 0)
    return &types[index];
  return &unknown_type;
}

static void refuse(struct tarn_tar_member *m, int code, const char *why)
{
  if (m->kind == TARN_TAR_MEMBER_REFUSED)
    return;
  m->kind = TARN_TAR_MEMBER_REFUSED;
  m->refused = code;
  m->why = why;
}

/* The readers this archive was made for disagree: nothing behind is safe. */
static int damage(const struct tarn_tar_member *m, const char *what,
                  struct tarn_err *err)
{
  char name[256];

  tarn_path_escape(m->entry.path, m->entry.path_len, name, sizeof name);
  return tarn_err_at(err, TARN_EDATA, m->entry.header_at,
                     "member %s at offset %llu: %s", name,
                     (unsigned long long)m->entry.header_at, what);
}

static void use_text(const struct tarn_pax_text *text, const char **ptr,
                     size_t *len)
{
  *ptr = text->ptr;
  *len = text->len;
}

static void set_path(struct tarn_entry *e, const struct tarn_tar_header *h,
                     const struct tarn_tar_long *l)
{
  e->path = h->path;
  e->path_len = h->path_len;
  if (l->pax.has & TARN_PAX_SPARSE_NAME) {
    use_text(&l->pax.sparse_name, &e->path, &e->path_len);
  } else if (l->pax.has & TARN_PAX_PATH) {
    use_text(&l->pax.path, &e->path, &e->path_len);
  } else if (tarn_tar_long_waits(l, TARN_TAR_LONG_NAME)) {
    e->path = l->buffers[TARN_TAR_LONG_NAME].data;
    e->path_len = l->buffers[TARN_TAR_LONG_NAME].len;
  }
}

static void set_link(struct tarn_entry *e, const struct tarn_tar_header *h,
                     const struct tarn_tar_long *l)
{
  e->link = "";
  e->link_len = 0;
  if (e->type != TARN_ENTRY_SYMLINK && e->type != TARN_ENTRY_HARDLINK)
    return;
  e->link = h->link;
  e->link_len = h->link_len;
  if (l->pax.has & TARN_PAX_LINKPATH) {
    use_text(&l->pax.linkpath, &e->link, &e->link_len);
  } else if (tarn_tar_long_waits(l, TARN_TAR_LONG_LINK)) {
    e->link = l->buffers[TARN_TAR_LONG_LINK].data;
    e->link_len = l->buffers[TARN_TAR_LONG_LINK].len;
  }
}

static void apply_pax(struct tarn_entry *e, const struct tarn_pax *p,
                      unsigned hidden)
{
  unsigned has = p->has & ~hidden;

  if (has & TARN_PAX_UID)
    e->uid = p->uid;
  if (has & TARN_PAX_GID)
    e->gid = p->gid;
  if (has & TARN_PAX_UNAME)
    e->uname = p->uname.ptr;
  if (has & TARN_PAX_GNAME)
    e->gname = p->gname.ptr;
  if (has & TARN_PAX_MTIME)
    e->mtime = p->mtime;
}

static void set_metadata(struct tarn_entry *e, const struct tarn_tar_header *h,
                         const struct tarn_tar_long *l)
{
  e->mode = h->mode;
  e->uid = h->uid;
  e->gid = h->gid;
  e->uname = h->uname;
  e->gname = h->gname;
  e->mtime.sec = h->mtime;
  e->mtime.nsec = 0;
  e->dev_major = h->dev_major;
  e->dev_minor = h->dev_minor;
  apply_pax(e, &l->global, l->pax.erased);
  apply_pax(e, &l->pax, 0);
  e->xattrs = l->pax.xattrs;
  e->n_xattrs = l->pax.n_xattrs;
}

static bool ends_in_slash(const struct tarn_entry *e)
{
  return e->path_len > 0 && e->path[e->path_len - 1] == '/';
}

/* A hard link has content in pax only; in v7 and GNU nobody reads any. */
static enum body link_body(const struct tarn_tar_header *h,
                           const struct tarn_tar_long *l)
{
  if (l->any_pax)
    return BODY_CONTENT;
  return h->format == TARN_TAR_USTAR ? BODY_NONE : BODY_HINT;
}

/* Sets what follows the header; readers that know better are not followed. */
static int set_size(struct tarn_tar_member *m, enum body body, uint64_t size,
                    struct tarn_tar_notes *notes, struct tarn_err *err)
{
  m->entry.size = m->stored = 0;
  if (size == 0)
    return 0;
  switch (body) {
  case BODY_CONTENT:
    m->entry.size = m->stored = size;
    return 0;
  case BODY_FOREIGN:
    m->stored = size;
    return 0;
  case BODY_HINT:
    tarn_tar_note(notes,
                  m->entry.type == TARN_ENTRY_DIR ? TARN_TAR_NOTE_DIR_SIZE
                                                  : TARN_TAR_NOTE_LINK_SIZE,
                  m->entry.header_at);
    return 0;
  default:
    return damage(m, "a size on a member that cannot have content", err);
  }
}

static bool has_nul(const char *ptr, size_t len)
{
  return len > 0 && memchr(ptr, '\0', len);
}

static void judge_names(struct tarn_tar_member *m)
{
  const struct tarn_entry *e = &m->entry;
  bool is_link =
      e->type == TARN_ENTRY_SYMLINK || e->type == TARN_ENTRY_HARDLINK;

  if (e->path_len == 0)
    refuse(m, TARN_EDATA, "it has no name");
  else if (has_nul(e->path, e->path_len))
    refuse(m, TARN_EDATA, "a NUL in its name");
  else if (is_link && e->link_len == 0)
    refuse(m, TARN_EDATA, "a link without a target");
  else if (is_link && has_nul(e->link, e->link_len))
    refuse(m, TARN_EDATA, "a NUL in its link target");
}

int tarn_tar_member_make(struct tarn_tar_member *m,
                         const struct tarn_tar_header *h,
                         const struct tarn_tar_long *l, uint64_t at,
                         struct tarn_tar_notes *notes, struct tarn_err *err)
{
  const struct type *type = type_of(h);
  enum body body = type->body;
  struct tarn_entry *e = &m->entry;
  uint64_t size = l->pax.has & TARN_PAX_SIZE ? l->pax.size : h->size;

  m->kind = TARN_TAR_MEMBER_WHOLE;
  e->header_at = at;
  e->type = type->entry;
  set_path(e, h, l);
  if (h->type == 'V') {
    m->kind = TARN_TAR_MEMBER_LABEL;
    m->stored = h->size;
    return 0;
  }
  if (type == &unknown_type)
    tarn_tar_note(notes, TARN_TAR_NOTE_TYPE, at);
  if (e->type == TARN_ENTRY_FILE && body == BODY_CONTENT && ends_in_slash(e) &&
      type != &unknown_type) {
    /* Writers before POSIX had no type for directories. */
    e->type = TARN_ENTRY_DIR;
    body = h->format == TARN_TAR_V7 ? BODY_HINT : BODY_NONE;
  }
  if (body == BODY_LINK)
    body = link_body(h, l);
  if (body == BODY_FOREIGN)
    m->kind = TARN_TAR_MEMBER_HOLLOW;
  if (type->refused)
    refuse(m, TARN_ENOTSUP, type->refused);
  else if (e->type == TARN_ENTRY_FILE && (l->pax.has & TARN_PAX_SPARSE))
    refuse(m, TARN_ENOTSUP, "sparse files are not read yet");
  set_link(e, h, l);
  set_metadata(e, h, l);
  judge_names(m);
  return set_size(m, body, size, notes, err);
}
