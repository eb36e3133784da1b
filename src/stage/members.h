/*
 * Members on their way from a reader to its tree: what untar and unfa1 have in
 * common. Whatever decides if a member is made at all, before the tree judges
 * its name, stands here.
 *
 *   handle = tarn_members_entry(&m, entry, slab);
 *   tarn_members_body(&m, handle, &slice, from, len, at);
 *   tarn_members_finish(&m, handle);
 *
 * Memory: none. Threads: the loop's only.
 */
#ifndef TARN_STAGE_MEMBERS_H
#define TARN_STAGE_MEMBERS_H

#include "archive/select.h"
#include "stage/tree.h"

/* How an archive is read. */
struct tarn_members_options {
  bool ignore_zeros;  /* tar: read on behind the end blocks */
  uint64_t max_files; /* 0: no limit */
  /* Bytes of all members that are taken, as their headers claim: a sparse
     member of a pebibyte takes no more than a block to say so. 0: no limit. */
  uint64_t max_size;
  const struct tarn_select *select; /* members that are taken; lent */
  const char *type;                 /* Content-Type of the reply, or ""; lent */
};

struct tarn_members {
  struct tarn_flow *flow;
  struct tarn_tree *tree;
  struct tarn_members_options opts;
  uint64_t n;
  uint64_t claimed; /* bytes, never more than opts.max_size */
};

void tarn_members_init(struct tarn_members *m, struct tarn_flow *flow,
                       const struct tarn_members_options *opts,
                       struct tarn_tree *tree);

/* A member begins. NULL: nobody wants its content, or the flow has failed. */
struct tarn_tree_member *tarn_members_entry(struct tarn_members *m,
                                            const struct tarn_entry *entry,
                                            struct tarn_slab *slab);
/* `len` bytes from `from` of *slice, lent, are content at `at`. NULL for
   `member` is fine here and below. */
void tarn_members_body(struct tarn_members *m, struct tarn_tree_member *member,
                       const struct tarn_slice *slice, size_t from, size_t len,
                       uint64_t at);
void tarn_members_finish(struct tarn_members *m,
                         struct tarn_tree_member *member);
/* A member that the reader refuses: counted and told. */
void tarn_members_refused(struct tarn_members *m, const struct tarn_err *err);

#endif
