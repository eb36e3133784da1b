/*
 * tarn: moves trees of files over a wire.
 *
 * A context (struct tarn) hangs off the caller's libuv loop. A job downloads,
 * decodes and unpacks an archive there, and ends with exactly one call of its
 * done callback. The library prints nothing, never exits, installs no signal
 * handler, changes no environment variable and keeps no global state.
 *
 *   struct tarn *ctx;
 *   struct tarn_get_options get = TARN_GET_OPTIONS_INIT;
 *   struct tarn_job *job;
 *
 *   tarn_open(&ctx, uv_default_loop(), NULL, &err);
 *   get.url = "https://example.org/tree.tar.lz4";
 *   get.path = "target";
 *   get.on_done = done;          // res->err.code is 0 when all is proven
 *   tarn_get(ctx, &get, &job, &err);
 *   uv_run(uv_default_loop(), UV_RUN_DEFAULT);
 *
 * Memory: strings and arrays in option structs are copied before the call
 * returns. Threads: every function must be called on the loop's thread, except
 * tarn_version, tarn_features, tarn_strerror, tarn_err_name and
 * tarn_exit_code. Callbacks come from the loop, never from inside a call into
 * this header, so a callback may call anything here.
 */
#ifndef TARN_TARN_H
#define TARN_TARN_H

#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_VERSION_MAJOR 0
#define TARN_VERSION_MINOR 1
#define TARN_VERSION_PATCH 0

/* First member of every option struct; all others are zero. */
#ifdef __cplusplus
#define TARN_SIZED(type)                                                       \
  {                                                                            \
    sizeof(type)                                                               \
  }
#else
#define TARN_SIZED(type)                                                       \
  {                                                                            \
    .size = sizeof(type)                                                       \
  }
#endif

#if defined(__GNUC__)
#define TARN_EXTERN __attribute__((visibility("default")))
#else
#define TARN_EXTERN
#endif

/*
 * Every error: X(name, code, exit status of the command line, text).
 * Functions return 0 or one of these codes. docs/exit-codes.md explains them.
 */
#define TARN_ERRORS(X)                                                         \
  X(EINVAL, -1, 64, "wrong use")                                               \
  X(ENOMEM, -2, 70, "out of memory")                                           \
  X(EINTERNAL, -3, 70, "internal error")                                       \
  X(ECANCELED, -4, 130, "canceled")                                            \
  X(EPARTIAL, -5, 1, "some entries could not be restored")                     \
  X(ENOTFOUND, -6, 2, "not found")                                             \
  X(ETRANSFER, -7, 5, "transfer failed")                                       \
  X(EPROTO, -8, 5, "protocol error")                                           \
  X(ETIMEOUT, -9, 5, "time limit reached")                                     \
  X(EDENIED, -10, 13, "access refused")                                        \
  X(ETHROTTLED, -11, 16, "throttled by the server")                            \
  X(ENOSPC, -12, 28, "no space for the result")                                \
  X(EDATA, -13, 65, "damaged data")                                            \
  X(ETRUNCATED, -14, 65, "data ends early")                                    \
  X(ECHANGED, -15, 65, "object changed during the download")                   \
  X(EUNPROVEN, -16, 65, "end of the data cannot be proven")                    \
  X(ELIMIT, -17, 65, "limit exceeded")                                         \
  X(ENOTARCHIVE, -18, 65, "not an archive")                                    \
  X(EDIGEST, -19, 65, "digest differs")                                        \
  X(EFILE, -20, 66, "local file")                                              \
  X(ENOTSUP, -21, 69, "not possible with this build")                          \
  X(EUNREACHABLE, -22, 113, "host cannot be reached")                          \
  X(EPIPE, -23, 141, "output closed")

enum tarn_errno {
#define TARN_ERROR_ENUM(name, code, exit_status, text) TARN_##name = code,
  TARN_ERRORS(TARN_ERROR_ENUM)
#undef TARN_ERROR_ENUM
};

/*
 * The story of one error. The first error of a job wins: it names the cause,
 * not the consequence. URLs in text have user information and query removed.
 */
struct tarn_err {
  int code;        /* 0, or a TARN_E code */
  int sys_errno;   /* errno of the failed system call, or 0 */
  int http_status; /* status of the reply that was judged, or 0 */
  uint64_t at;     /* offset the text speaks of, in bytes; 0 if none */
  char text[1024]; /* what was being done to what; always terminated */
};

/* Text of a code: static, never NULL. */
TARN_EXTERN const char *tarn_strerror(int code);
/* "TARN_EDATA" for TARN_EDATA: static, never NULL. */
TARN_EXTERN const char *tarn_err_name(int code);
/* The exit status the command line gives a code; 0 for 0. */
TARN_EXTERN int tarn_exit_code(int code);
/* "0.1.0": version of the library that runs. */
TARN_EXTERN const char *tarn_version(void);

/*
 * What this build can do and with which libraries, one at each index from 0:
 * returns 0 and fills *f, or TARN_EINVAL behind the last.
 */
struct tarn_feature {
  const char *name;    /* what it is for: "transfer", "zstd", "digests" */
  const char *library; /* "libcurl" */
  const char *version; /* of the library in use; NULL: not in this build */
};
TARN_EXTERN int tarn_features(unsigned index, struct tarn_feature *f);

struct tarn;     /* a context */
struct tarn_job; /* one get */

/* ---- context ---- */

/* Channels of the trace callback; or them for `trace_mask`. */
enum tarn_trace_channel {
  TARN_TRACE_CURL = 1,     /* sockets, timers */
  TARN_TRACE_TRANSFER = 2, /* requests, replies, spans, retries */
  TARN_TRACE_DECODE = 4,   /* codecs, units */
  TARN_TRACE_TREE = 8,     /* members, names */
  TARN_TRACE_DISK = 16,    /* batches, writers */
  TARN_TRACE_MEMORY = 32,  /* budgets */
  TARN_TRACE_STATE = 64    /* every move of a state machine */
};

/* Zero means the default for every field. New fields are appended only. */
struct tarn_options {
  size_t size;       /* sizeof(struct tarn_options), set by the initialiser */
  unsigned max_work; /* most work items in flight in libuv's pool;
                        default 4 */
  int has_umask;     /* take `umask` rather than the process's own, which is
                        read from /proc and never changed */
  unsigned umask;
  unsigned trace_mask; /* enum tarn_trace_channel, or-ed */
  void (*on_trace)(unsigned channel, const char *text, void *user);
  void *user; /* given to on_trace */
};
#define TARN_OPTIONS_INIT TARN_SIZED(struct tarn_options)

typedef void (*tarn_close_cb)(struct tarn *ctx, void *user);

/*
 * Opens a context on `loop`, which must outlive it. `opts` may be NULL.
 * *ctx belongs to the library and is freed after the close callback.
 * Calls curl_global_init (a host that wants its own flags calls it first).
 * Returns 0, TARN_EINVAL, TARN_ENOMEM, TARN_EINTERNAL; `err` may be NULL.
 */
TARN_EXTERN int tarn_open(struct tarn **ctx, uv_loop_t *loop,
                          const struct tarn_options *opts,
                          struct tarn_err *err);

/*
 * Cancels every job that still runs (each done callback still comes first),
 * then closes all handles, then calls `cb` once. *ctx is gone when cb returns.
 * The loop must go on running until then. A second call is a wrong use and
 * does nothing.
 */
TARN_EXTERN void tarn_close(struct tarn *ctx, tarn_close_cb cb, void *user);

/* ---- jobs ---- */

enum tarn_source {
  TARN_FROM_URL = 0, /* `url` */
  TARN_FROM_FD,      /* `from_fd`: file, pipe, FIFO or socket, read in order;
                        stays open, its flags are not changed */
  TARN_FROM_PUT,     /* the caller gives bytes with tarn_put */
  TARN_FROM_FILE     /* `input`: a path; a file is read ahead by workers, a
                        FIFO is opened when its writer is there */
};

enum tarn_target {
  TARN_TO_DIR = 0,  /* decode and extract into directory `path` */
  TARN_TO_FD,       /* bytes in order to `to_fd`, which stays open */
  TARN_TO_FILE,     /* raw bytes to file `path` */
  TARN_TO_CALLBACK, /* bytes in order to on_data */
  TARN_TO_LIST      /* decode, and tell each member to on_event; nothing is
                       written */
};

enum tarn_compression {
  TARN_COMPRESSION_AUTO = 0, /* first bytes, else the file name */
  TARN_COMPRESSION_NONE,
  TARN_COMPRESSION_GZIP,
  TARN_COMPRESSION_LZ4,
  TARN_COMPRESSION_ZSTD,
  TARN_COMPRESSION_XZ,
  TARN_COMPRESSION_BZIP2
};

/* Tells which bits of `flags` mean what. */
enum tarn_get_flag {
  TARN_RAW = 1 << 0,      /* TO_FD, TO_CALLBACK: bytes as served */
  TARN_INSECURE = 1 << 1, /* do not verify the server's certificate */
  TARN_NETRC = 1 << 2,    /* credentials from ~/.netrc */
  TARN_HTTP2 = 1 << 3,    /* HTTP/2 where TLS offers it */
  TARN_IPV4 = 1 << 4,
  TARN_IPV6 = 1 << 5,
  TARN_ALLOW_UNPROVEN = 1 << 6, /* accept an end nothing proves */
  TARN_NO_SYNC = 1 << 7,        /* TO_FILE, TARN_ATOMIC: no fsync */
  TARN_SAME_OWNER = 1 << 8,     /* restore owners (default for root) */
  TARN_NO_SAME_OWNER = 1 << 9,
  TARN_SAME_PERMISSIONS = 1 << 10,    /* modes exactly (default for root) */
  TARN_NO_SAME_PERMISSIONS = 1 << 11, /* modes through the umask */
  TARN_NUMERIC_OWNER = 1 << 12,       /* ignore user and group names */
  TARN_NO_MTIME = 1 << 13,       /* leave times at the time of extraction */
  TARN_IGNORE_NODES = 1 << 14,   /* skip device nodes and FIFOs */
  TARN_IGNORE_ZEROS = 1 << 15,   /* read on behind the end blocks */
  TARN_REPORT_ENTRIES = 1 << 16, /* on_event for each entry */
  TARN_NO_OPENAT2 = 1 << 17,     /* resolve paths by the portable walk, as
                                    on kernels without openat2 */
  /* What to do where a name is taken; without any: replace it. */
  TARN_KEEP_OLD_FILES = 1 << 18,         /* the member fails */
  TARN_SKIP_OLD_FILES = 1 << 19,         /* the member is skipped */
  TARN_KEEP_NEWER_FILES = 1 << 20,       /* skipped unless it is newer */
  TARN_UNLINK_FIRST = 1 << 21,           /* remove before making, always */
  TARN_KEEP_DIRECTORY_SYMLINK = 1 << 22, /* a symlink to a directory may
                                            stand for a directory */
  TARN_ATOMIC = 1 << 23,    /* TO_DIR: extract beside it, rename when proven */
  TARN_NO_XATTRS = 1 << 24, /* no extended attributes, ACLs, capabilities */
  TARN_IGNORE_PERMS = 1 << 25 /* modes as the umask gives them to new files */
};

enum tarn_event_kind {
  TARN_EVENT_START = 1, /* the reply is judged: the total is known, if told */
  TARN_EVENT_RETRY,     /* a request failed and is tried again */
  TARN_EVENT_WARNING,   /* something odd, or an entry that failed */
  TARN_EVENT_ENTRY      /* a member is on its way to disk, or is listed */
};

enum tarn_member_type {
  TARN_MEMBER_FILE = 1,
  TARN_MEMBER_DIR,
  TARN_MEMBER_SYMLINK,
  TARN_MEMBER_HARDLINK,
  TARN_MEMBER_CHAR,
  TARN_MEMBER_BLOCK,
  TARN_MEMBER_FIFO
};

/*
 * A member as the archive describes it, nothing judged yet: its path may be
 * absolute or have "..". Valid during the event. Names are raw bytes.
 */
struct tarn_member {
  size_t size; /* of this struct in the running library */
  enum tarn_member_type type;
  const char *path; /* ends with a NUL that path_len does not count */
  size_t path_len;
  const char *link; /* target of a symlink or hard link, else "" */
  size_t link_len;
  unsigned mode; /* permission bits and 07000 */
  uint64_t uid, gid;
  const char *uname, *gname; /* "" when the archive has none */
  int64_t mtime_sec;
  uint32_t mtime_nsec; /* 0 to 999999999, also before 1970 */
  unsigned dev_major, dev_minor;
  uint64_t length;    /* bytes of content, holes too */
  uint64_t header_at; /* offset of its header in the decoded stream */
  int is_sparse;
  int has_no_mtime; /* the format keeps no times (FA1): they are 0 here */
};

struct tarn_event {
  size_t size; /* of this struct in the running library */
  enum tarn_event_kind kind;
  const char *text;    /* a sentence; valid during the call. An entry's name
                          is in raw bytes */
  struct tarn_err err; /* RETRY, WARNING: the story; code 0 for advice */
  unsigned attempt;    /* RETRY: how many have failed in a row */
  uint64_t wait_ms;    /* RETRY: pause before the next */
  const struct tarn_member *member; /* ENTRY, else NULL */
};

/* What limits the job just now. */
enum tarn_limit {
  TARN_LIMIT_NONE = 0,
  TARN_LIMIT_NETWORK,
  TARN_LIMIT_DECODE,
  TARN_LIMIT_DISK,
  TARN_LIMIT_OUTPUT
};

/* Time of one stage, in nanoseconds since the job began. */
struct tarn_stage_time {
  uint64_t busy_ns;     /* summed over its workers */
  uint64_t wait_in_ns;  /* had nothing to do */
  uint64_t wait_out_ns; /* had work, no memory or worker to do it with */
};

struct tarn_progress {
  size_t size;         /* of this struct in the running library */
  uint64_t wire_bytes; /* received and in use, in order or not */
  uint64_t wire_total; /* valid when has_total */
  int has_total;
  uint64_t decoded_bytes;
  uint64_t files;  /* members finished */
  uint64_t failed; /* members that could not be restored */
  uint64_t retries;
  unsigned connections; /* requests in flight */
  uint64_t elapsed_ns;
  size_t memory_now, memory_peak; /* the budget's, in bytes */
  enum tarn_limit limit;
  const char *compression; /* "lz4", or NULL while unknown */
  struct tarn_stage_time network, decode, disk;
};

struct tarn_result {
  size_t size;                   /* of this struct in the running library */
  struct tarn_err err;           /* err.code is 0 when every byte was proven */
  struct tarn_progress progress; /* at the end */
};

typedef void (*tarn_done_cb)(struct tarn_job *job,
                             const struct tarn_result *res, void *user);
typedef void (*tarn_event_cb)(struct tarn_job *job,
                              const struct tarn_event *event, void *user);
/*
 * Bytes for TARN_TO_CALLBACK. `ptr` is lent until the caller gives the credit
 * back with tarn_consumed; credit is counted in order. When nothing is given
 * back the job stops at its memory budget and waits.
 */
typedef void (*tarn_data_cb)(struct tarn_job *job, const void *ptr, size_t len,
                             void *user);

/*
 * A job. Zero means the default for every field, so a zeroed struct with its
 * `size`, a url and a path is a complete request. New fields are appended.
 */
struct tarn_get_options {
  size_t size; /* set by the initialiser */
  enum tarn_source source;
  enum tarn_target target;
  const char *url;        /* http, https or file; FROM_URL */
  int from_fd;            /* FROM_FD */
  int to_fd;              /* TO_FD */
  const char *path;       /* TO_DIR (made if missing; default "."),
                             TO_FILE */
  tarn_data_cb on_data;   /* TO_CALLBACK */
  tarn_event_cb on_event; /* may be NULL */
  tarn_done_cb on_done;   /* may be NULL; comes exactly once */
  void *user;             /* given to every callback */
  unsigned long flags;    /* enum tarn_get_flag */

  size_t memory;          /* budget in bytes; default 96 MiB,
                             at least 2 MiB */
  unsigned connections;   /* default 4, at most 256 */
  size_t chunk_size;      /* ceiling for one range; default chosen */
  unsigned write_workers; /* default 8 or the context's max_work */
  enum tarn_compression compression;

  int has_retry_count;
  unsigned retry_count;   /* failures in a row of one range; without
                             has_retry_count: until 120 s without a byte */
  uint64_t retry_wait_ms; /* first pause, default 1000 */
  uint64_t max_wait_ms;   /* longest pause, default 10000 */
  int has_min_speed;
  uint64_t min_speed;             /* bytes a second, default 1000; 0 with
                                     has_min_speed: no check */
  uint64_t min_speed_wait_ms;     /* window, default 5000 */
  uint64_t connection_timeout_ms; /* default 60000 */
  uint64_t max_time_ms;           /* whole job; default none */
  const int *fail_statuses;       /* HTTP statuses that end the job at once */
  size_t n_fail_statuses;

  const char *const *headers; /* "Name: value", for the given origin only */
  size_t n_headers;
  const char *const *resolve; /* "host:port:address", as curl's --resolve */
  size_t n_resolve;
  const char *proxy;         /* default: from the environment */
  const char *user_password; /* "user:password" */
  const char *bearer;        /* token */
  const char *cacert;        /* file of trusted certificates */
  const char *cert, *key;    /* client certificate and key files */
  const char *unix_socket;   /* path */

  const char *digest; /* "sha256:HEX" or "sha512:HEX" of the raw bytes */

  unsigned strip_components;
  uint64_t max_size;  /* decoded bytes of all members; default none */
  uint64_t max_files; /* members; default none */
  double max_ratio;   /* decoded to raw bytes; default none */

  const char *input; /* FROM_FILE: path of the archive */
  /*
   * Shell patterns of members, as GNU tar's --exclude: * and ? match slashes
   * too, a pattern may begin at any component, and what it matches stands for
   * all beneath. With `include` only members that match one are taken.
   */
  const char *const *include;
  size_t n_include;
  const char *const *exclude;
  size_t n_exclude;
  /* Patterns of further extended attributes to restore: "security.selinux". */
  const char *const *xattrs_include;
  size_t n_xattrs_include;
  const char *chown; /* "USER", "USER:GROUP", ":GROUP": owner of all, names or
                        numbers; implies TARN_SAME_OWNER */
  /* "FROM:TO:COUNT", with commas between: ids FROM and the COUNT - 1 behind it
     become TO and those behind it. What no range holds is refused. */
  const char *uid_map, *gid_map;
};
#define TARN_GET_OPTIONS_INIT TARN_SIZED(struct tarn_get_options)

/*
 * Starts a job; it begins on the loop, after the call has returned. *job is
 * lent: valid until its done callback returns. Returns 0 or TARN_EINVAL (the
 * options make no sense, said in *err), TARN_ENOMEM, TARN_ENOTSUP; then there
 * is no job and no callback comes.
 */
TARN_EXTERN int tarn_get(struct tarn *ctx, const struct tarn_get_options *opts,
                         struct tarn_job **job, struct tarn_err *err);

/*
 * Ends a job early. Its done callback comes with TARN_ECANCELED unless another
 * error was first; unfinished files are removed before. Idempotent.
 */
TARN_EXTERN void tarn_cancel(struct tarn_job *job);

/*
 * Gives bytes to a TARN_FROM_PUT job, copied before the call returns. Returns
 * how many of `len` were taken: fewer than `len` when the budget is full; the
 * on_room callback says when to go on. TARN_EINVAL after tarn_put_end.
 */
TARN_EXTERN int64_t tarn_put(struct tarn_job *job, const void *ptr, size_t len);
/* The bytes given are all. Returns 0 or TARN_EINVAL. */
TARN_EXTERN int tarn_put_end(struct tarn_job *job);
typedef void (*tarn_room_cb)(struct tarn_job *job, void *user);
/* Called once when there is room again; set it anew for the next time. */
TARN_EXTERN void tarn_on_room(struct tarn_job *job, tarn_room_cb cb,
                              void *user);

/* Gives `len` bytes of credit back to a TARN_TO_CALLBACK job. */
TARN_EXTERN void tarn_consumed(struct tarn_job *job, size_t len);

/*
 * Fills *p (p->size set by the caller) with a snapshot. Cheap: made for ten
 * calls a second. Returns 0 or TARN_EINVAL.
 */
TARN_EXTERN int tarn_job_progress(const struct tarn_job *job,
                                  struct tarn_progress *p);

#ifdef __cplusplus
}
#endif

#endif
