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
    ['S'] = {TARN_ENTRY_FILE, BODY_CONTENT, NULL},
};

static const struct type unknown_type = {TARN_ENTRY_FILE, BODY_CONTENT, NULL};

static const struct type *type_of(const struct tarn_tar_header *h)
{
  size_t index = (uint8_t)h->type;

  if (index < 128 && types[index].entry != 0)
    return &types[index];
  return &unknown_type;
}

void tarn_tar_member_refuse(struct tarn_tar_member *m, int code,
                            const char *why)
{
  if (m->kind == TARN_TAR_MEMBER_REFUSED)
    return;
  m->kind = TARN_TAR_MEMBER_REFUSED;
  m->refused = code;
  m->why = why;
}

int tarn_tar_member_damage(const struct tarn_tar_member *m, int code,
                           const char *what, struct tarn_err *err)
{
  char name[256];

  tarn_path_escape(m->entry.path, m->entry.path_len, name, sizeof name);
  return tarn_err_at(err, code, m->entry.header_at,
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
  e->acl_access = e->acl_default = "";
  if (l->pax.has & TARN_PAX_ACL_ACCESS)
    e->acl_access = l->pax.acl_access.ptr;
  if (l->pax.has & TARN_PAX_ACL_DEFAULT)
    e->acl_default = l->pax.acl_default.ptr;
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
    return tarn_tar_member_damage(
        m, TARN_EDATA, "a size on a member that cannot have content", err);
  }
}

static bool has_nul(const char *ptr, size_t len)
{
  return len > 0 && memchr(ptr, '\0', len);
}

static bool acl_has_nul(const struct tarn_pax *p)
{
  return ((p->has & TARN_PAX_ACL_ACCESS) &&
          has_nul(p->acl_access.ptr, p->acl_access.len)) ||
         ((p->has & TARN_PAX_ACL_DEFAULT) &&
          has_nul(p->acl_default.ptr, p->acl_default.len));
}

static void judge_names(struct tarn_tar_member *m, const struct tarn_pax *p)
{
  const struct tarn_entry *e = &m->entry;
  bool is_link =
      e->type == TARN_ENTRY_SYMLINK || e->type == TARN_ENTRY_HARDLINK;

  if (e->path_len == 0)
    tarn_tar_member_refuse(m, TARN_EDATA, "it has no name");
  else if (has_nul(e->path, e->path_len))
    tarn_tar_member_refuse(m, TARN_EDATA, "a NUL in its name");
  else if (is_link && e->link_len == 0)
    tarn_tar_member_refuse(m, TARN_EDATA, "a link without a target");
  else if (is_link && has_nul(e->link, e->link_len))
    tarn_tar_member_refuse(m, TARN_EDATA, "a NUL in its link target");
  else if (acl_has_nul(p))
    tarn_tar_member_refuse(m, TARN_EDATA, "a NUL in its access control list");
}

/* ---- sparse files ---- */

/* The size of the file; false when no record tells it or two disagree. */
static bool pax_real_size(const struct tarn_pax *p, uint64_t *size)
{
  bool has_size = p->has & TARN_PAX_SPARSE_SIZE;
  bool has_real = p->has & TARN_PAX_SPARSE_REAL;

  if (!has_size && !has_real)
    return false;
  if (has_size && has_real && p->sparse_size != p->sparse_real)
    return false;
  *size = has_real ? p->sparse_real : p->sparse_size;
  return true;
}

/* Which version of GNU.sparse the records are. */
static void set_pax_form(struct tarn_tar_member *m, const struct tarn_pax *p)
{
  uint64_t major = p->has & TARN_PAX_SPARSE_MAJOR ? p->sparse_major : 0;
  uint64_t minor = p->has & TARN_PAX_SPARSE_MINOR ? p->sparse_minor : 0;
  bool has_list = p->has & TARN_PAX_SPARSE_LIST;
  bool has_map = p->has & TARN_PAX_SPARSE_MAP;
  bool has_holes = p->has & TARN_PAX_SUN_HOLES;

  if (major > 1 || (major == 1 && minor > 0))
    tarn_tar_member_refuse(m, TARN_ENOTSUP, "unknown version of sparse map");
  else if (has_list + has_map + has_holes + (major == 1) > 1)
    tarn_tar_member_refuse(m, TARN_EDATA, "two sparse maps");
  else if (major == 0 && !has_list && !has_map)
    tarn_tar_member_refuse(m, TARN_EDATA, "sparse, but without a map");
  else if (!pax_real_size(p, &m->entry.size))
    tarn_tar_member_refuse(m, TARN_EDATA, "sparse, but of no certain size");
  else
    m->sparse = major == 1 ? TARN_TAR_SPARSE_PAX1 : TARN_TAR_SPARSE_PAX0;
}

/* Type S: what its header is laid out as, and how large the file is. */
static int set_header_form(struct tarn_tar_member *m,
                           const struct tarn_tar_header *h,
                           const struct tarn_pax *p, struct tarn_err *err)
{
  bool from_pax = p->has & TARN_PAX_STAR_REAL;

  if (p->has & (TARN_PAX_SPARSE | TARN_PAX_SUN_HOLES))
    return tarn_tar_member_damage(m, TARN_EDATA, "two sparse maps", err);
  if (h->format == TARN_TAR_GNU)
    m->sparse = TARN_TAR_SPARSE_GNU;
  else if (h->sparse.star || (h->format == TARN_TAR_USTAR && from_pax))
    m->sparse = TARN_TAR_SPARSE_STAR;
  else
    return tarn_tar_member_damage(
        m, TARN_EDATA, "sparse, but by a header that has no room for a map",
        err);
  if (m->sparse == TARN_TAR_SPARSE_GNU)
    from_pax = false;
  if (!from_pax && !h->sparse.has_size)
    return tarn_tar_member_damage(m, TARN_EDATA, "wrong real size field", err);
  m->entry.size = from_pax ? p->star_real : h->sparse.size;
  return 0;
}

static int set_sparse(struct tarn_tar_member *m,
                      const struct tarn_tar_header *h, const struct tarn_pax *p,
                      struct tarn_err *err)
{
  int rc = 0;

  m->sparse = TARN_TAR_SPARSE_NONE;
  if (h->type == 'S')
    rc = set_header_form(m, h, p, err);
  else if (m->kind != TARN_TAR_MEMBER_WHOLE)
    return 0;
  else if (m->entry.type == TARN_ENTRY_HARDLINK && m->stored > 0 &&
           (p->has & (TARN_PAX_SPARSE | TARN_PAX_SUN_HOLES)))
    tarn_tar_member_refuse(m, TARN_ENOTSUP, "a hard link with sparse content");
  else if (m->entry.type != TARN_ENTRY_FILE)
    return 0;
  else if (p->has & TARN_PAX_SPARSE)
    set_pax_form(m, p);
  else if (p->has & TARN_PAX_SUN_HOLES)
    m->sparse = TARN_TAR_SPARSE_SUN;
  m->entry.sparse = m->sparse != TARN_TAR_SPARSE_NONE;
  return rc;
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
  int rc;

  m->kind = TARN_TAR_MEMBER_WHOLE;
  m->sparse = TARN_TAR_SPARSE_NONE;
  e->sparse = false;
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
      type != &unknown_type && h->type != 'S') {
    /* Writers before POSIX had no type for directories. */
    e->type = TARN_ENTRY_DIR;
    body = h->format == TARN_TAR_V7 ? BODY_HINT : BODY_NONE;
  }
  if (body == BODY_LINK)
    body = link_body(h, l);
  if (body == BODY_FOREIGN)
    m->kind = TARN_TAR_MEMBER_HOLLOW;
  if (type->refused)
    tarn_tar_member_refuse(m, TARN_ENOTSUP, type->refused);
  set_link(e, h, l);
  set_metadata(e, h, l);
  judge_names(m, &l->pax);
  rc = set_size(m, body, size, notes, err);
  return rc < 0 ? rc : set_sparse(m, h, &l->pax, err);
}
