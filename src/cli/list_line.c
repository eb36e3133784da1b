#include "cli/list_line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/term.h"

/* Widths of the columns before any member is wider, as in GNU tar. */
#define OWNER_WIDTH 19
#define TIME_WIDTH  16 /* of "YYYY-MM-DD HH:MM" */

/* Of two numbers of 64 bits, with a comma and a zero byte. */
#define SIZE_TEXT 48

void tarn_cli_list_line_init(struct cli_list_line *l, unsigned how)
{
  memset(l, 0, sizeof *l);
  l->how = how;
  l->owner_width = OWNER_WIDTH;
  l->time_width = TIME_WIDTH;
  tzset();
}

void tarn_cli_list_line_close(struct cli_list_line *l)
{
  free(l->buf);
  l->buf = NULL;
  l->len = l->cap = 0;
}

/* ---- a line that grows ---- */

/* Room for `len` more bytes, or NULL. */
static char *room(struct cli_list_line *l, size_t len)
{
  size_t cap = l->cap ? l->cap : 512;
  char *grown;

  if (l->failed)
    return NULL;
  while (len > cap - l->len)
    cap *= 2;
  if (cap != l->cap) {
    grown = realloc(l->buf, cap);
    if (!grown) {
      l->failed = true;
      return NULL;
    }
    l->buf = grown;
    l->cap = cap;
  }
  return l->buf + l->len;
}

static void put(struct cli_list_line *l, const char *ptr, size_t len)
{
  char *to = room(l, len);

  if (to) {
    memcpy(to, ptr, len);
    l->len += len;
  }
}

static void put_text(struct cli_list_line *l, const char *s)
{
  put(l, s, strlen(s));
}

static void put_blanks(struct cli_list_line *l, size_t n)
{
  char *to = room(l, n);

  if (to) {
    memset(to, ' ', n);
    l->len += n;
  }
}

/* A byte takes four at most when it is escaped. */
static void put_name(struct cli_list_line *l, const char *name, size_t len)
{
  char *to;

  if (!(l->how & CLI_LIST_ESCAPE)) {
    put(l, name, len);
    return;
  }
  to = room(l, 4 * len + 1);
  if (to)
    l->len += tarn_cli_term_escape(to, 4 * len + 1, name);
}

/* ---- columns ---- */

static char type_letter(enum tarn_member_type type)
{
  switch (type) {
  case TARN_MEMBER_FILE:
    return '-';
  case TARN_MEMBER_DIR:
    return 'd';
  case TARN_MEMBER_SYMLINK:
    return 'l';
  case TARN_MEMBER_HARDLINK:
    return 'h';
  case TARN_MEMBER_CHAR:
    return 'c';
  case TARN_MEMBER_BLOCK:
    return 'b';
  case TARN_MEMBER_FIFO:
    return 'p';
  default:
    return '?';
  }
}

/* What ls(1) writes where a special bit shares its place with execution. */
static void set_special(char *place, bool special, char letter, char bare)
{
  if (special)
    *place = *place == 'x' ? letter : bare;
}

void tarn_cli_list_mode(char out[11], enum tarn_member_type type, unsigned mode)
{
  static const char letters[] = "rwxrwxrwx";
  unsigned i;

  out[0] = type_letter(type);
  for (i = 0; i < 9; i++)
    out[1 + i] = '-';
  for (i = 0; i < 9; i++)
    if (mode & (0400u >> i))
      out[1 + i] = letters[i];
  set_special(&out[3], mode & 04000u, 's', 'S');
  set_special(&out[6], mode & 02000u, 's', 'S');
  set_special(&out[9], mode & 01000u, 't', 'T');
  out[10] = '\0';
}

static void add_fraction(char *out, size_t cap, uint32_t nsec)
{
  size_t len;

  if (nsec == 0)
    return;
  len = (size_t)snprintf(out, cap, ".%09" PRIu32, nsec);
  while (out[len - 1] == '0')
    out[--len] = '\0';
}

const char *tarn_cli_list_time(char out[TARN_CLI_LIST_TIME], int64_t sec,
                               uint32_t nsec, unsigned how)
{
  time_t when = (time_t)sec;
  struct tm tm;
  size_t len;

  if (!(how & CLI_LIST_UTC ? gmtime_r(&when, &tm) : localtime_r(&when, &tm)))
    len =
        (size_t)snprintf(out, TARN_CLI_LIST_TIME, "%*" PRId64, TIME_WIDTH, sec);
  else if (how & CLI_LIST_FULL_TIME)
    len = strftime(out, TARN_CLI_LIST_TIME, "%Y-%m-%d %H:%M:%S", &tm);
  else
    len = strftime(out, TARN_CLI_LIST_TIME, "%Y-%m-%d %H:%M", &tm);
  if (how & CLI_LIST_FULL_TIME)
    add_fraction(out + len, TARN_CLI_LIST_TIME - len, nsec);
  return out;
}

static const char *owner_text(const struct cli_list_line *l, const char *name,
                              uint64_t id, char number[SIZE_TEXT])
{
  if (*name && !(l->how & CLI_LIST_NUMERIC))
    return name;
  (void)snprintf(number, SIZE_TEXT, "%" PRIu64, id);
  return number;
}

static size_t size_text(char out[SIZE_TEXT], const struct tarn_member *m)
{
  if (m->type == TARN_MEMBER_CHAR || m->type == TARN_MEMBER_BLOCK)
    return (size_t)snprintf(out, SIZE_TEXT, "%u,%u", m->dev_major,
                            m->dev_minor);
  return (size_t)snprintf(out, SIZE_TEXT, "%" PRIu64, m->length);
}

/* "user/group", then the size at the right of a column that grows. A name is
   a name as well: it may hold anything. */
static void put_owner(struct cli_list_line *l, const struct tarn_member *m)
{
  char uid[SIZE_TEXT], gid[SIZE_TEXT], size[SIZE_TEXT];
  const char *user = owner_text(l, m->uname, m->uid, uid);
  const char *group = owner_text(l, m->gname, m->gid, gid);
  size_t size_len = size_text(size, m), from = l->len, width;

  put_name(l, user, strlen(user));
  put_text(l, "/");
  put_name(l, group, strlen(group));
  width = l->len - from + 1 + size_len;
  if (width > l->owner_width)
    l->owner_width = width;
  put_blanks(l, 1 + l->owner_width - width);
  put(l, size, size_len);
}

static void put_time(struct cli_list_line *l, const struct tarn_member *m)
{
  char text[TARN_CLI_LIST_TIME];
  size_t len =
      strlen(tarn_cli_list_time(text, m->mtime_sec, m->mtime_nsec, l->how));

  if (len > l->time_width)
    l->time_width = len;
  put(l, text, len);
  put_blanks(l, l->time_width - len);
}

const char *tarn_cli_list_line(struct cli_list_line *l,
                               const struct tarn_member *m, size_t *len)
{
  char mode[11];

  l->len = 0;
  l->failed = false;
  if (l->how & CLI_LIST_DETAILS) {
    tarn_cli_list_mode(mode, m->type, m->mode);
    put_text(l, mode);
    put_text(l, " ");
    put_owner(l, m);
    put_text(l, " ");
    put_time(l, m);
    put_text(l, " ");
  }
  put_name(l, m->path, m->path_len);
  if (l->how & CLI_LIST_DETAILS) {
    if (m->type == TARN_MEMBER_SYMLINK)
      put_text(l, " -> ");
    else if (m->type == TARN_MEMBER_HARDLINK)
      put_text(l, " link to ");
    if (m->type == TARN_MEMBER_SYMLINK || m->type == TARN_MEMBER_HARDLINK)
      put_name(l, m->link, m->link_len);
  }
  put_text(l, "\n");
  *len = l->failed ? 0 : l->len;
  return l->failed ? NULL : l->buf;
}
