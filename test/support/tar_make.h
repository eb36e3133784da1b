/*
 * Makes tar archives in memory, sound and damaged ones, for tests.
 *
 *   struct tar_make t = {0};
 *   struct tar_make_records pax = {0};
 *
 *   tar_make_record(&pax, "path", "a long name");
 *   tar_make_pax(&t, 'x', &pax);
 *   tar_make_file(&t, "short", "hello", 5);
 *   tar_make_header(&t, &(struct tar_make_header){.name = "dir/", .type =
 * '5'}); tar_make_end(&t);
 *   ... t.data, t.len
 *   tar_make_free(&t);
 *
 * Memory: both buffers grow; running out of memory aborts the test.
 */
#ifndef TAR_MAKE_H
#define TAR_MAKE_H

#include <stddef.h>
#include <stdint.h>

#define TAR_MAKE_BLOCK 512

struct tar_make {
  uint8_t *data;
  size_t len, cap;
};

enum tar_make_magic {
  TAR_MAKE_USTAR = 0, /* "ustar\0" "00" */
  TAR_MAKE_V7,        /* none */
  TAR_MAKE_GNU,       /* "ustar  \0" */
  TAR_MAKE_STAR       /* ustar, and "tar\0" at the end of the block */
};

/* Zero means: an empty field, mode 0644, type '0'. Numbers that do not fit in
   octal are written in base-256. */
struct tar_make_header {
  const char *name, *prefix, *link, *uname, *gname; /* may be NULL */
  enum tar_make_magic magic;
  char type; /* '\0' means '0', unless type_is_nul */
  int type_is_nul;
  uint32_t mode;
  int64_t uid, gid, size, mtime;
  uint32_t dev_major, dev_minor;
  int signed_sum; /* sum signed bytes */
};

/* Offsets of the fields, for damaging them. */
enum tar_make_at {
  TAR_MAKE_NAME_AT = 0,
  TAR_MAKE_MODE_AT = 100,
  TAR_MAKE_UID_AT = 108,
  TAR_MAKE_GID_AT = 116,
  TAR_MAKE_SIZE_AT = 124,
  TAR_MAKE_MTIME_AT = 136,
  TAR_MAKE_SUM_AT = 148,
  TAR_MAKE_TYPE_AT = 156,
  TAR_MAKE_LINK_AT = 157,
  TAR_MAKE_MAGIC_AT = 257,
  TAR_MAKE_UNAME_AT = 265,
  TAR_MAKE_GNAME_AT = 297,
  TAR_MAKE_MAJOR_AT = 329,
  TAR_MAKE_MINOR_AT = 337,
  TAR_MAKE_PREFIX_AT = 345
};

void tar_make_free(struct tar_make *t);

/* Each returns the offset where what it appends begins. */
size_t tar_make_header(struct tar_make *t, const struct tar_make_header *h);
/* Bytes as they are. */
size_t tar_make_bytes(struct tar_make *t, const void *ptr, size_t len);
/* Content, padded with zeros to a whole block. */
size_t tar_make_body(struct tar_make *t, const void *ptr, size_t len);
/* `len` bytes of a fixed pattern (tar_make_pattern), padded. */
size_t tar_make_filler(struct tar_make *t, size_t len);
size_t tar_make_zeros(struct tar_make *t, size_t len);
/* Two zero blocks. */
size_t tar_make_end(struct tar_make *t);

/* A ustar file with content. */
size_t tar_make_file(struct tar_make *t, const char *name, const void *ptr,
                     size_t len);
/* A ustar symlink ('2') or hard link ('1'). */
size_t tar_make_link(struct tar_make *t, char type, const char *name,
                     const char *target);
/* GNU long name ('L') or link target ('K'), with its NUL. */
size_t tar_make_long(struct tar_make *t, char type, const char *name);

/* pax records, built one after another. */
struct tar_make_records {
  struct tar_make buf;
};
void tar_make_record(struct tar_make_records *r, const char *key,
                     const char *value);
void tar_make_record_bytes(struct tar_make_records *r, const char *key,
                           const void *value, size_t len);
/* Appends header 'x', 'g' or 'X' with these records and empties *r. */
size_t tar_make_pax(struct tar_make *t, char type, struct tar_make_records *r);
/* The same with one record. */
size_t tar_make_pax1(struct tar_make *t, char type, const char *key,
                     const char *value);

/* Writes the right checksum into the block at `at` after a change. */
void tar_make_sum(struct tar_make *t, size_t at);
/* Overwrites bytes of the block at `at` and sums it anew. */
void tar_make_patch(struct tar_make *t, size_t at, size_t field,
                    const void *ptr, size_t len);

/* Byte `i` of the filler. */
uint8_t tar_make_pattern(uint64_t i);

/*
 * One archive with every kind of header, end blocks included: v7, ustar with
 * prefix, GNU long names, pax local and global, links, devices, sparse.
 */
void tar_make_everything(struct tar_make *t);

#endif
