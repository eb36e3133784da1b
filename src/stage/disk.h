/*
 * Inside sink_disk: its objects, and the files that work on them.
 *
 *   disk_op.c     an entry becomes an operation: name judged, metadata chosen
 *   disk_target.c the target directory, or the work tree that becomes it
 *   disk_names.c  the name lane: operations in order, on a worker
 *   disk_link.c   hard links that bring content
 *   disk_write.c  the write lane: pieces and metadata of open files
 *   disk_dirs.c   directories at the end, deepest first
 *   disk_run.c    what goes to the lanes, and what comes back: failures
 *   sink_disk.c   the tree's interface, the order of things, the end
 */
#ifndef TARN_STAGE_DISK_H
#define TARN_STAGE_DISK_H

#include "os/dir_tree.h"
#include "os/idmap.h"
#include "os/meta.h"
#include "os/owner.h"
#include "os/place.h"
#include "os/work_tree.h"
#include "stage/sink_disk.h"

/* Most operations in one item of the name lane; files in one of the writers,
   and the bytes after which no further file is added. */
#define TARN_DISK_NAMES      64u
#define TARN_DISK_FILES      32u
#define TARN_DISK_BYTES      (512u * 1024u)
/* Bytes of lists that directories may keep until the end. */
#define TARN_DISK_DIR_XATTRS (64u * 1024u * 1024u)
/* Writer items at most. */
#define TARN_DISK_WRITERS    64u

/*
 * A file in flight, made and not closed yet, may still fail and be removed. An
 * operation that fails meanwhile (its parent is such a file, its directory is
 * not empty for such a file), or that would lose something for it (a link to
 * it in the place of another name), is not what it would be after the removal.
 * So the lane stops before it, waits until none is in flight, and tries again:
 * then the operation is `settled`, and what comes of it counts.
 */

struct sink_disk;
struct disk_file;

/* One name to make (or, REMOVE, to take away). */
enum disk_kind {
  DISK_FILE,
  DISK_DIR,
  DISK_SYMLINK,
  DISK_LINK,
  DISK_NODE,
  DISK_REMOVE
};

struct disk_op {
  struct tarn_list link;
  enum disk_kind kind;
  char *path;   /* cleaned */
  char *target; /* of a symlink verbatim, of a link cleaned */
  char *uname, *gname;
  uint64_t uid, gid;
  struct tarn_meta meta; /* ids are filled in on the name lane */
  mode_t node_type;
  dev_t dev;
  bool linked;   /* FILE: a hard link to target that brings content */
  bool sparse;   /* FILE: its length is set at the end, to */
  uint64_t size; /* this */
  struct tarn_slab *hold;
  bool settled;
  bool skipped;           /* what is there stays, and all is well */
  bool newer;             /* it does because it is newer */
  struct disk_file *file; /* FILE; REMOVE: the file that failed, or NULL */
  struct tarn_inode inode;
  int fd;                   /* FILE: the open descriptor */
  int rc;                   /* 0 or -errno */
  const char *what;         /* what failed */
  int meta_rc;              /* the name is made, its metadata is not */
  struct tarn_budget *paid; /* holds n_paid bytes for the attributes */
  size_t n_paid;
};

/*
 * A regular file from its operation to its close. While `held`, whoever reads
 * the archive may still hand content to it: a file that is given up meanwhile
 * waits in sink->gone for its finish.
 */
struct disk_file {
  struct tarn_tree_member member;
  struct tarn_list link; /* in sink->ready */
  struct tarn_list all;  /* in sink->files */
  struct disk_op *op;
  int fd; /* -1 before and after */
  struct tarn_list pieces;
  unsigned in_flight; /* write items that work on it */
  bool held, gone;
  bool awaited; /* counted in sink->n_awaited */
  bool opened;
  bool complete;          /* all of its body has come */
  bool failed;            /* reported already; to be removed */
  bool closing;           /* its last item is out */
  struct tarn_list links; /* struct disk_name: hard links made to it */
};

struct disk_name {
  struct tarn_list link;
  struct tarn_inode inode;
  char path[]; /* cleaned */
};

struct disk_piece {
  struct tarn_list link;
  struct tarn_slice slice;
  uint64_t at;
};

/* A directory that could not be finished. */
struct disk_failure {
  struct tarn_list link;
  int rc;
  const char *what;
  char path[];
};

/* What travels with the name lane's one item. */
struct disk_names {
  struct tarn_item item;
  struct sink_disk *sink;
  struct tarn_list ops, done; /* done: worked on, in order */
  const char *root_path;
  int root; /* -1 until the target is open; with a work tree, its */
  struct tarn_work_tree work;
  bool commit; /* the work tree is to get its name */
  struct tarn_place place;
  bool place_open, no_openat2;
  struct tarn_owner_cache *owners;
  struct tarn_inode *made; /* files made last: disk_link.c; or NULL */
  char *chown;             /* the owner of all, or NULL */
  mode_t umask;
  struct tarn_err err; /* the target itself cannot be opened */
  bool must_settle;    /* stopped before the first of ops, as files are in */
  unsigned in_flight;  /* flight: this many */
  bool out_of_fds;     /* stopped before the first of ops */
  /* Which files these are; NULL when names are made whatever is there. */
  struct tarn_inode *busy;
  size_t n_busy;
  struct tarn_dir_tree tree;       /* directories to be finished */
  struct tarn_xattrs *last_xattrs; /* that one of them keeps */
  size_t dir_xattrs;               /* bytes that all of them keep */
};

/* One file's share of a write item. */
struct disk_share {
  struct disk_file *file;
  int fd;
  struct tarn_list pieces;
  const struct tarn_meta *meta; /* set: finish and close */
  bool set_size;
  uint64_t size;
  int rc;
  const char *what;
  int meta_rc;
};

struct disk_write {
  struct tarn_item item;
  struct tarn_list link; /* in sink->idle_writers */
  struct sink_disk *sink;
  struct disk_share shares[TARN_DISK_FILES];
  unsigned n_shares;
};

struct disk_dirs {
  struct tarn_item item;
  struct sink_disk *sink;
  struct tarn_list failed; /* struct disk_failure, of the last item */
  bool sorted, done, out_of_memory;
};

struct sink_disk {
  struct tarn_tree tree;
  struct tarn_flow *flow;
  struct tarn_disk_options opts;
  char *path;

  struct tarn_id_map uid_map, gid_map;

  struct tarn_list ops;      /* wait for the name lane */
  struct tarn_list files;    /* not closed yet */
  struct tarn_list ready;    /* files with something to write */
  struct tarn_list removals; /* go before all operations */
  struct tarn_list gone;     /* given up, and still held by the reader */
  unsigned n_held;
  struct tarn_budget fds; /* descriptors of files */
  unsigned n_open;
  unsigned n_awaited; /* of these, files whose content has all come */

  struct tarn_lane name_lane, write_lane;
  struct disk_names names;
  struct disk_write *writers;
  struct tarn_list idle_writers;
  struct disk_dirs dirs;
  bool names_running, wait_for_close, wait_to_settle;
  unsigned writers_running;

  struct tarn_defer step;
  struct tarn_meter meter;
  bool warned_absolute, warned_owners, has_end, ended, closing, keep, finished;
};

/* disk_op.c: an operation for `entry`, or NULL: it is to be skipped, or was
   refused (reported and counted), or memory is out (the flow has failed). */
struct disk_op *tarn_disk_op_new(struct sink_disk *sink,
                                 const struct tarn_entry *entry,
                                 struct tarn_slab *slab);
/* Takes `path` away if it still is `inode`. NULL when memory is out. */
struct disk_op *tarn_disk_op_remove(const char *path,
                                    const struct tarn_inode *inode,
                                    struct disk_file *file);
void tarn_disk_op_free(struct disk_op *op);
struct disk_file *tarn_disk_file_new(struct disk_op *op);
void tarn_disk_file_free(struct disk_file *file);

/* disk_names.c: works on names->ops until one must wait. */
void tarn_disk_names_on_worker(struct tarn_item *item);
/* disk_target.c: opens the target, errors in n->err; at the end, of an atomic
   job, an item of its own for what becomes of the work tree. */
int tarn_disk_target_open_on_worker(struct disk_names *n);
void tarn_disk_target_end_on_worker(struct tarn_item *item);
/* disk_link.c: a file has been made; the file that a link brings content for,
   open for writing, or -errno. */
void tarn_disk_made_on_worker(struct disk_names *n,
                              const struct tarn_inode *inode);
int tarn_disk_link_open_on_worker(struct disk_names *n, struct disk_op *op);
/* disk_write.c */
void tarn_disk_write_on_worker(struct tarn_item *item);
/* disk_dirs.c: remembers what is to be done to the directory of `len` bytes at
   `path` at the end: its old mode if it was opened up, and `meta`, which may be
   NULL. 0 or -errno. */
int tarn_disk_dirs_put_on_worker(struct disk_names *n, const char *path,
                                 size_t len, const struct tarn_place_dir *made,
                                 const struct tarn_meta *meta);
void tarn_disk_dirs_on_worker(struct tarn_item *item);

static inline struct disk_op *tarn_disk_op_of(struct tarn_list *link)
{
  return TARN_CONTAINER(link, struct disk_op, link);
}

/* disk_run.c */
/* An entry failed with rc, a negative errno: counted and told; a full disk ends
   the job. */
void tarn_disk_report(struct sink_disk *s, const char *path, const char *what,
                      int rc);
/* A file is open and its content has all come: it is in flight to its end. */
void tarn_disk_await(struct sink_disk *s, struct disk_file *f);
/* Queues a file for the writers if there is something to do. */
void tarn_disk_make_ready(struct sink_disk *s, struct disk_file *f);
/* From here on the file is only closed and taken away. */
void tarn_disk_give_up(struct sink_disk *s, struct disk_file *f);
/* Drops operations that have not begun, all but removals. */
void tarn_disk_drop_ops(struct sink_disk *s, struct tarn_list *ops);
void tarn_disk_dispatch_names(struct sink_disk *s);
void tarn_disk_dispatch_writes(struct sink_disk *s);
/* sink_disk.c: does all that is possible now. */
void tarn_disk_advance(struct sink_disk *s);

#endif
