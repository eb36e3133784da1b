#include "archive/tar_long.h"

#include <stdlib.h>
#include <string.h>

#include "archive/tar_read.h"
#include "base/check.h"

/* Of these a global header cannot speak: each member has its own. */
#define NOT_GLOBAL                                                             \
  (TARN_PAX_PATH | TARN_PAX_LINKPATH | TARN_PAX_SIZE | TARN_PAX_ACL_ACCESS |   \
   TARN_PAX_ACL_DEFAULT | TARN_PAX_SPARSE | TARN_PAX_STAR_REAL |               \
   TARN_PAX_SUN_HOLES)

void tarn_tar_long_init(struct tarn_tar_long *l)
{
  memset(l, 0, sizeof *l);
}

void tarn_tar_long_close(struct tarn_tar_long *l)
{
  size_t i;

  for (i = 0; i < TARN_TAR_LONG_KINDS; i++)
    free(l->buffers[i].data);
  free(l->global_uname);
  free(l->global_gname);
  tarn_pax_close(&l->pax);
  tarn_pax_close(&l->global);
}

static enum tarn_tar_long_kind kind_of(char type)
{
  switch (type) {
  case 'L':
    return TARN_TAR_LONG_NAME;
  case 'K':
    return TARN_TAR_LONG_LINK;
  case 'g':
    return TARN_TAR_LONG_GLOBAL;
  default:
    return TARN_TAR_LONG_PAX;
  }
}

/* Room for `need` bytes and a NUL behind them. */
static int make_room(struct tarn_tar_long_buffer *b, size_t need,
                     struct tarn_err *err)
{
  size_t cap = b->cap ? b->cap : 1024;
  char *bigger;

  if (b->data && need <= b->cap)
    return 0;
  while (cap < need)
    cap *= 2;
  bigger = realloc(b->data, cap + 1);
  if (!bigger)
    return tarn_err_nomem(err, "long tar header");
  b->data = bigger;
  b->cap = cap;
  return 0;
}

int tarn_tar_long_begin(struct tarn_tar_long *l,
                        const struct tarn_tar_header *h, uint64_t at,
                        struct tarn_tar_notes *notes, struct tarn_err *err)
{
  unsigned long long header_at = at - TARN_TAR_BLOCK;

  if (h->size > TARN_TAR_MAX_HEADER)
    return tarn_err_at(err, TARN_ELIMIT, header_at,
                       "long header at offset %llu: more than %d bytes",
                       header_at, TARN_TAR_MAX_HEADER);
  if (l->n_in_a_row++ == TARN_TAR_MAX_IN_A_ROW)
    return tarn_err_at(err, TARN_ELIMIT, header_at,
                       "long header at offset %llu: more than %d in a row",
                       header_at, TARN_TAR_MAX_IN_A_ROW);
  l->kind = kind_of(h->type);
  l->at = at;
  if (tarn_tar_long_waits(l, l->kind))
    tarn_tar_note(notes, TARN_TAR_NOTE_TWICE, header_at);
  l->buffers[l->kind].len = 0;
  return make_room(&l->buffers[l->kind], (size_t)h->size, err);
}

void tarn_tar_long_put(struct tarn_tar_long *l, const uint8_t *ptr, size_t len)
{
  struct tarn_tar_long_buffer *b = &l->buffers[l->kind];

  TARN_CHECK(len <= b->cap - b->len);
  memcpy(b->data + b->len, ptr, len);
  b->len += len;
}

/* The buffer is reused by the next global header: keep what points into it. */
static int keep_text(struct tarn_pax *global, unsigned bit,
                     struct tarn_pax_text *text, char **own,
                     struct tarn_err *err)
{
  char *copy = NULL;

  if ((global->has & bit) && text->ptr == *own)
    return 0;
  if (global->has & bit) {
    copy = malloc(text->len + 1);
    if (!copy)
      return tarn_err_nomem(err, "global tar header");
    memcpy(copy, text->ptr, text->len + 1);
  }
  free(*own);
  *own = copy;
  text->ptr = copy;
  return 0;
}

static int end_global(struct tarn_tar_long *l, struct tarn_tar_notes *notes,
                      struct tarn_err *err)
{
  struct tarn_tar_long_buffer *b = &l->buffers[TARN_TAR_LONG_GLOBAL];
  struct tarn_pax *g = &l->global;
  int rc = tarn_pax_parse(g, b->data, b->len, l->at, err);

  if (rc < 0)
    return rc;
  if ((g->has & NOT_GLOBAL) || g->n_xattrs > 0)
    tarn_tar_note(notes, TARN_TAR_NOTE_GLOBAL, l->at - TARN_TAR_BLOCK);
  g->has &= ~(unsigned)NOT_GLOBAL;
  tarn_pax_clear_lists(g);
  rc = keep_text(g, TARN_PAX_UNAME, &g->uname, &l->global_uname, err);
  if (rc < 0)
    return rc;
  return keep_text(g, TARN_PAX_GNAME, &g->gname, &l->global_gname, err);
}

int tarn_tar_long_end(struct tarn_tar_long *l, struct tarn_tar_notes *notes,
                      struct tarn_err *err)
{
  struct tarn_tar_long_buffer *b = &l->buffers[l->kind];

  b->data[b->len] = '\0';
  switch (l->kind) {
  case TARN_TAR_LONG_GLOBAL:
    l->any_pax = true;
    return end_global(l, notes, err);
  case TARN_TAR_LONG_PAX:
    l->any_pax = true;
    l->waiting |= 1u << TARN_TAR_LONG_PAX;
    tarn_pax_clear(&l->pax);
    return tarn_pax_parse(&l->pax, b->data, b->len, l->at, err);
  default:
    l->waiting |= 1u << l->kind;
    b->len = strlen(b->data);
    return 0;
  }
}

void tarn_tar_long_clear(struct tarn_tar_long *l)
{
  if (tarn_tar_long_waits(l, TARN_TAR_LONG_PAX))
    tarn_pax_clear(&l->pax);
  l->waiting = 0;
  l->n_in_a_row = 0;
}
