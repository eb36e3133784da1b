/*
 * An entry: one member of an archive as the headers describe it.
 *
 * Names are bytes, never text in some locale, and end with a NUL that is not
 * part of them; no NUL is inside. Strings belong to whoever filled the entry
 * (for tar_read: valid until its next step).
 */
#ifndef TARN_ARCHIVE_ENTRY_H
#define TARN_ARCHIVE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tarn_entry_type {
  TARN_ENTRY_FILE = 1,
  TARN_ENTRY_DIR,
  TARN_ENTRY_SYMLINK,
  TARN_ENTRY_HARDLINK,
  TARN_ENTRY_CHAR,
  TARN_ENTRY_BLOCK,
  TARN_ENTRY_FIFO
};

struct tarn_time {
  int64_t sec;
  uint32_t nsec; /* 0 to 999999999, also for times before 1970 */
};

struct tarn_xattr {
  const char *name;
  const uint8_t *value;
  size_t len;
};

struct tarn_entry {
  enum tarn_entry_type type;
  const char *path; /* as in the archive, leading slash and all */
  size_t path_len;
  const char *link; /* target of a symlink or hard link, else "" */
  size_t link_len;
  uint32_t mode; /* permission bits and 07000 */
  uint64_t uid, gid;
  const char *uname, *gname; /* "" when the archive has none */
  struct tarn_time mtime;
  bool no_mtime; /* the format has no times: `mtime` says nothing */
  uint32_t dev_major, dev_minor;
  uint64_t size;      /* bytes of content; for sparse files the real size */
  bool no_size;       /* the format tells it by the content: `size` is 0 */
  uint64_t header_at; /* offset of its ustar header in the decoded stream */
  bool sparse;        /* content comes in pieces with holes between, and may
                         end in a hole: the file is `size` long */
  const struct tarn_xattr *xattrs;
  size_t n_xattrs;
  /* POSIX ACLs as text ("user::rwx,user:bin:r--:2,..."), "" when none. */
  const char *acl_access, *acl_default;
};

#endif
