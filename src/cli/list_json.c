#include "cli/list_json.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static const char *type_name(enum tarn_member_type type)
{
  switch (type) {
  case TARN_MEMBER_FILE:
    return "file";
  case TARN_MEMBER_DIR:
    return "directory";
  case TARN_MEMBER_SYMLINK:
    return "symlink";
  case TARN_MEMBER_HARDLINK:
    return "hardlink";
  case TARN_MEMBER_CHAR:
    return "char";
  case TARN_MEMBER_BLOCK:
    return "block";
  case TARN_MEMBER_FIFO:
    return "fifo";
  default:
    return NULL;
  }
}

static void put_name_or_null(struct cli_json *j, const char *key,
                             const char *name, bool there)
{
  if (there)
    tarn_cli_json_name(j, key, name);
  else
    tarn_cli_json_null(j, key);
}

/* RFC 3339 has years of four digits. */
static void put_mtime(struct cli_json *j, const struct tarn_member *m)
{
  time_t when = (time_t)m->mtime_sec;
  char text[96];
  struct tm tm;

  if (m->has_no_mtime) {
    tarn_cli_json_null(j, "mtime");
    tarn_cli_json_null(j, "mtime_sec");
    tarn_cli_json_null(j, "mtime_nsec");
    return;
  }
  if (gmtime_r(&when, &tm) && tm.tm_year >= -1900 && tm.tm_year <= 8099) {
    (void)snprintf(text, sizeof text,
                   "%04d-%02d-%02dT%02d:%02d:%02d.%09" PRIu32 "Z",
                   tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                   tm.tm_min, tm.tm_sec, m->mtime_nsec);
    tarn_cli_json_text(j, "mtime", text);
  } else {
    tarn_cli_json_null(j, "mtime");
  }
  tarn_cli_json_whole(j, "mtime_sec", m->mtime_sec);
  tarn_cli_json_count(j, "mtime_nsec", m->mtime_nsec);
}

static void put_device(struct cli_json *j, const struct tarn_member *m)
{
  if (m->type == TARN_MEMBER_CHAR || m->type == TARN_MEMBER_BLOCK) {
    tarn_cli_json_count(j, "dev_major", m->dev_major);
    tarn_cli_json_count(j, "dev_minor", m->dev_minor);
  } else {
    tarn_cli_json_null(j, "dev_major");
    tarn_cli_json_null(j, "dev_minor");
  }
}

const char *tarn_cli_list_json(struct cli_json *j, const struct tarn_member *m,
                               size_t *len)
{
  char mode[16];

  (void)snprintf(mode, sizeof mode, "%04o", m->mode & 07777u);
  tarn_cli_json_begin(j);
  tarn_cli_json_text(j, "type", type_name(m->type));
  tarn_cli_json_name(j, "path", m->path);
  put_name_or_null(j, "link", m->link,
                   m->type == TARN_MEMBER_SYMLINK ||
                       m->type == TARN_MEMBER_HARDLINK);
  tarn_cli_json_text(j, "mode", mode);
  tarn_cli_json_count(j, "uid", m->uid);
  tarn_cli_json_count(j, "gid", m->gid);
  put_name_or_null(j, "uname", m->uname, *m->uname);
  put_name_or_null(j, "gname", m->gname, *m->gname);
  tarn_cli_json_count(j, "size", m->length);
  put_mtime(j, m);
  put_device(j, m);
  tarn_cli_json_bool(j, "sparse", m->is_sparse);
  tarn_cli_json_count(j, "offset", m->header_at);
  return tarn_cli_json_end(j, len);
}
