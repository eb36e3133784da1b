/*
 * tarn_get: wires a job's stages, the last one first.
 *
 *   to a directory   source > reorder > [verify] > decode > unpack > sink_disk
 *   decoded bytes    source > reorder > [verify] > decode > sink
 *   raw bytes        source > reorder > [verify] > sink
 *   a listing        source > reorder > [verify] > decode > unpack > sink_list
 *
 * A content coding of the server is peeled by one more decode stage, which the
 * job puts in when the reply is known.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "codec/digest.h"
#include "job/job.h"
#include "loop/url.h"
#include "os/idmap.h"
#include "os/owner.h"
#include "stage/sink_call.h"
#include "stage/sink_disk.h"
#include "stage/sink_list.h"
#include "stage/sink_stream.h"
#include "stage/source_fd.h"
#include "stage/source_http.h"
#include "stage/source_put.h"
#include "stage/unpack.h"
#include "stage/verify.h"

#define DEFAULT_MEMORY  (96u << 20)
#define LEAST_MEMORY    (2u << 20)
#define DEFAULT_WRITERS 8u
#define USUAL_WINDOW    (128u << 20)

static bool is_raw(const struct tarn_get_options *o)
{
  return o->target == TARN_TO_FILE || (o->flags & TARN_RAW);
}

/* The stream is read as an archive. */
static bool has_members(const struct tarn_get_options *o)
{
  return o->target == TARN_TO_DIR || o->target == TARN_TO_LIST;
}

static int check_digest(const struct tarn_get_options *o, struct tarn_err *err)
{
  struct tarn_digest_value value;
  int rc = o->digest ? tarn_digest_parse(o->digest, &value, err) : 0;

  if (rc == 0 && o->digest && !tarn_digest_library())
    rc = tarn_err_set(err, TARN_ENOTSUP,
                      "digests: this build has no library for them");
  return rc;
}

static bool sets_owners(const struct tarn_get_options *o)
{
  return o->chown || o->uid_map || o->gid_map;
}

static int check_owners(const struct tarn_get_options *o, struct tarn_err *err)
{
  struct tarn_id_map map;
  int rc = o->chown ? tarn_owner_check(o->chown, err) : 0;

  if (rc == 0) {
    rc = tarn_id_map_parse(&map, o->uid_map, "uid_map", err);
    tarn_id_map_close(&map);
  }
  if (rc == 0) {
    rc = tarn_id_map_parse(&map, o->gid_map, "gid_map", err);
    tarn_id_map_close(&map);
  }
  if (rc == 0 && sets_owners(o) && (o->flags & TARN_NO_SAME_OWNER))
    rc = tarn_err_set(err, TARN_EINVAL,
                      "owners are to be set and not to be restored");
  return rc;
}

/* One answer to what becomes of a name that is taken. */
static int check_old(const struct tarn_get_options *o, struct tarn_err *err)
{
  unsigned long old = o->flags & (TARN_KEEP_OLD_FILES | TARN_SKIP_OLD_FILES |
                                  TARN_KEEP_NEWER_FILES | TARN_UNLINK_FIRST);

  if ((old & (old - 1)) == 0)
    return 0;
  return tarn_err_set(err, TARN_EINVAL,
                      "only one of --keep-old-files, --skip-old-files, "
                      "--keep-newer-files and --unlink-first");
}

static int check(struct tarn_get_options *o, struct tarn_err *err)
{
  enum tarn_scheme scheme;
  int rc;

  if (o->source > TARN_FROM_FILE || o->target > TARN_TO_LIST ||
      o->compression > TARN_COMPRESSION_BZIP2)
    return tarn_err_set(err, TARN_EINVAL,
                        "an unknown source, target or "
                        "compression");
  if (o->source == TARN_FROM_URL && !o->url)
    return tarn_err_set(err, TARN_EINVAL, "no URL");
  if (o->source == TARN_FROM_URL &&
      (rc = tarn_url_scheme(o->url, &scheme, err)) != 0)
    return rc;
  if (o->source == TARN_FROM_FILE && !o->input)
    return tarn_err_set(err, TARN_EINVAL, "no file to read");
  if (o->target == TARN_TO_FILE && !o->path)
    return tarn_err_set(err, TARN_EINVAL, "no file to write");
  if (o->target == TARN_TO_CALLBACK && !o->on_data)
    return tarn_err_set(err, TARN_EINVAL, "no callback for the bytes");
  if ((o->flags & TARN_ATOMIC) && o->target != TARN_TO_DIR)
    return tarn_err_set(err, TARN_EINVAL, "atomic is for directories");
  if (has_members(o) && (o->flags & TARN_RAW))
    return tarn_err_set(err, TARN_EINVAL, "raw bytes where members are wanted");
  if ((rc = check_old(o, err)) != 0)
    return rc;
  if (o->connections > 256)
    return tarn_err_set(err, TARN_EINVAL, "more than 256 connections");
  if (o->memory == 0)
    o->memory = DEFAULT_MEMORY;
  if (o->memory < LEAST_MEMORY)
    return tarn_err_set(err, TARN_EINVAL, "less than 2 MiB of memory");
  if (o->target == TARN_TO_DIR && !o->path)
    o->path = ".";
  rc = check_owners(o, err);
  return rc ? rc : check_digest(o, err);
}

/* ---- sinks ---- */

static void call_user(void *user, const void *ptr, size_t len)
{
  struct tarn_job *job = user;

  job->on_data(job, ptr, len, job->user);
}

static bool by_flags(unsigned long flags, unsigned long yes, unsigned long no,
                     bool usual)
{
  if (flags & yes)
    return true;
  return flags & no ? false : usual;
}

static enum tarn_old old_policy(unsigned long flags)
{
  if (flags & TARN_KEEP_OLD_FILES)
    return TARN_OLD_KEEP;
  if (flags & TARN_SKIP_OLD_FILES)
    return TARN_OLD_SKIP;
  if (flags & TARN_KEEP_NEWER_FILES)
    return TARN_OLD_KEEP_NEWER;
  return flags & TARN_UNLINK_FIRST ? TARN_OLD_UNLINK_FIRST : TARN_OLD_REPLACE;
}

static struct tarn_tree *disk_tree(struct tarn_job *job,
                                   const struct tarn_get_options *o)
{
  bool root = geteuid() == 0;
  struct tarn_disk_options disk = {0};

  disk.path = o->path;
  disk.strip = o->strip_components;
  disk.writers = o->write_workers ? o->write_workers : DEFAULT_WRITERS;
  if (disk.writers > job->ctx->env.work.cap)
    disk.writers = job->ctx->env.work.cap;
  disk.same_owner =
      by_flags(o->flags, TARN_SAME_OWNER, TARN_NO_SAME_OWNER, root);
  disk.same_permissions =
      by_flags(o->flags, TARN_SAME_PERMISSIONS, TARN_NO_SAME_PERMISSIONS, root);
  disk.numeric_owner = o->flags & TARN_NUMERIC_OWNER;
  disk.no_mtime = o->flags & TARN_NO_MTIME;
  disk.ignore_nodes = o->flags & TARN_IGNORE_NODES;
  disk.no_openat2 = o->flags & TARN_NO_OPENAT2;
  disk.ignore_perms = o->flags & TARN_IGNORE_PERMS;
  disk.chown = o->chown;
  disk.uid_map = o->uid_map;
  disk.gid_map = o->gid_map;
  if (sets_owners(o))
    disk.same_owner = true;
  disk.old = old_policy(o->flags);
  disk.keep_dir_symlink = o->flags & TARN_KEEP_DIRECTORY_SYMLINK;
  disk.atomic = o->flags & TARN_ATOMIC;
  disk.no_sync = o->flags & TARN_NO_SYNC;
  disk.no_xattrs = o->flags & TARN_NO_XATTRS;
  disk.xattrs_include = job->xattrs;
  disk.umask = job->ctx->env.umask;
  return tarn_sink_disk_new(&job->flow, &disk);
}

static struct tarn_stage *tree_sink(struct tarn_job *job,
                                    const struct tarn_get_options *o)
{
  struct tarn_select_patterns patterns = {o->include, o->n_include, o->exclude,
                                          o->n_exclude};
  struct tarn_select_patterns xattrs = {o->xattrs_include, o->n_xattrs_include,
                                        NULL, 0};
  struct tarn_members_options members = {0};
  struct tarn_tree *tree;
  struct tarn_stage *stage;

  if (tarn_select_new(&job->select, &patterns, NULL) != 0 ||
      tarn_select_new(&job->xattrs, &xattrs, NULL) != 0)
    return NULL;
  tree = o->target == TARN_TO_LIST ? tarn_sink_list_new(&job->flow)
                                   : disk_tree(job, o);
  if (!tree)
    return NULL;
  members.ignore_zeros = o->flags & TARN_IGNORE_ZEROS;
  members.max_files = o->max_files;
  members.max_size = o->max_size;
  members.select = job->select;
  members.type = job->content_type;
  stage = tarn_unpack_new(&job->flow, &members, tree);
  if (!stage)
    tree->ops->free(tree);
  return stage;
}

static int add_sink(struct tarn_job *job, const struct tarn_get_options *o,
                    struct tarn_err *err)
{
  struct tarn_sink_stream_options stream = {-1, NULL, false, false};
  struct tarn_stage *sink = NULL;
  int rc = 0;

  stream.no_sync = o->flags & TARN_NO_SYNC;
  stream.allow_unproven = o->flags & TARN_ALLOW_UNPROVEN;
  switch (o->target) {
  case TARN_TO_DIR:
    sink = tree_sink(job, o);
    job->to_disk = true;
    break;
  case TARN_TO_LIST:
    sink = tree_sink(job, o);
    break;
  case TARN_TO_FILE:
    stream.path = o->path;
    job->to_disk = true;
    rc = tarn_sink_stream_new(&sink, &job->flow, &stream, err);
    break;
  case TARN_TO_FD:
    stream.fd = o->to_fd;
    rc = tarn_sink_stream_new(&sink, &job->flow, &stream, err);
    break;
  case TARN_TO_CALLBACK:
  default:
    sink =
        tarn_sink_call_new(&job->flow, stream.allow_unproven, call_user, job);
    job->call_sink = sink;
    break;
  }
  if (rc)
    return rc;
  if (!sink)
    return tarn_err_nomem(err, "job");
  tarn_job_own(job, sink);
  job->top = sink;
  return 0;
}

/* ---- what is in between ---- */

static enum tarn_compression by_name(const struct tarn_get_options *o)
{
  enum tarn_compression kind = TARN_COMPRESSION_AUTO;
  char *path;

  if (o->source == TARN_FROM_FILE)
    return tarn_codec_by_name(o->input, strlen(o->input));
  if (o->source != TARN_FROM_URL)
    return kind;
  path = tarn_url_path(o->url);
  if (path)
    kind = tarn_codec_by_name(path, strlen(path));
  free(path);
  return kind;
}

static int add_decode(struct tarn_job *job, const struct tarn_get_options *o,
                      struct tarn_err *err)
{
  struct tarn_stage *stage;

  job->decode.kind = o->compression;
  job->decode.by_name = by_name(o);
  job->decode.must_match_name = !has_members(o);
  job->decode.end_by_transport = has_members(o);
  job->decode.max_window = o->memory > USUAL_WINDOW ? o->memory : USUAL_WINDOW;
  job->decode.max_size = o->max_size;
  job->decode.max_ratio = o->max_ratio;
  stage = tarn_decode_new(&job->flow, &job->decode, job->top);
  if (!stage)
    return tarn_err_nomem(err, "job");
  tarn_job_own(job, stage);
  job->top = stage;
  job->decodes = true;
  return 0;
}

/* ---- the object is known: what stands above the decoder ---- */

static enum tarn_compression coding_kind(const char *coding)
{
  if (strcmp(coding, "gzip") == 0 || strcmp(coding, "x-gzip") == 0)
    return TARN_COMPRESSION_GZIP;
  if (strcmp(coding, "zstd") == 0)
    return TARN_COMPRESSION_ZSTD;
  return TARN_COMPRESSION_AUTO;
}

/* Undoes a Content-Encoding that was not asked for (RFC 9110 section 8.4). */
static int add_peel(struct tarn_job *job, const char *coding,
                    struct tarn_err *err)
{
  struct tarn_decode_options opts = job->decode;
  struct tarn_stage *peel;

  opts.peel = true;
  opts.kind = coding_kind(coding);
  opts.max_size = 0;
  opts.max_ratio = 0;
  if (opts.kind == TARN_COMPRESSION_AUTO)
    return tarn_err_set(err, TARN_ENOTSUP,
                        "%s: the server sends it coded as %s, which tarn "
                        "cannot undo",
                        job->shown, coding);
  peel = tarn_decode_new(&job->flow, &opts, job->top);
  if (!peel)
    return tarn_err_nomem(err, "decode");
  tarn_decode_forget_name(job->top);
  tarn_job_own(job, peel);
  job->top = peel;
  return 0;
}

static int add_verify(struct tarn_job *job, struct tarn_err *err)
{
  struct tarn_stage *stage;
  int rc = tarn_verify_new(&stage, &job->flow, &job->digest, job->top, err);

  if (rc == 0) {
    tarn_job_own(job, stage);
    job->top = stage;
  }
  return rc;
}

static void on_object(struct tarn_flow *flow, const struct tarn_reply *reply)
{
  struct tarn_job *job = TARN_CONTAINER(flow, struct tarn_job, flow);
  struct tarn_err err;
  int rc = 0;

  if (reply->content_type[0])
    (void)snprintf(job->content_type, sizeof job->content_type, "%s, %d",
                   reply->content_type,
                   reply->status == 206 ? 200 : reply->status);
  if (reply->coding[0] && job->decodes)
    rc = add_peel(job, reply->coding, &err);
  if (rc == 0 && job->has_digest)
    rc = add_verify(job, &err);
  if (rc)
    flow->fail(flow, &err);
  tarn_reorder_to(job->reorder, job->top);
  tarn_job_tell_start(job);
}

/* ---- sources ---- */

static void call_room(void *user)
{
  struct tarn_job *job = user;
  tarn_room_cb cb = job->on_room;

  job->on_room = NULL;
  if (cb)
    cb(job, job->room_user);
}

static int add_file(struct tarn_job *job, const struct tarn_get_options *o,
                    struct tarn_err *err)
{
  char *path = tarn_url_path(o->url);
  int rc;

  if (!path)
    return tarn_err_nomem(err, "job");
  rc =
      tarn_source_fd_new(&job->source, &job->flow, job->reorder, -1, path, err);
  free(path);
  return rc;
}

static int add_source(struct tarn_job *job, const struct tarn_get_options *o,
                      struct tarn_err *err)
{
  enum tarn_scheme scheme;

  switch (o->source) {
  case TARN_FROM_FD:
    return tarn_source_fd_new(&job->source, &job->flow, job->reorder,
                              o->from_fd, NULL, err);
  case TARN_FROM_FILE:
    return tarn_source_fd_new(&job->source, &job->flow, job->reorder, -1,
                              o->input, err);
  case TARN_FROM_PUT:
    job->source_puts = true;
    job->source = tarn_source_put_new(&job->flow, job->reorder, call_room, job);
    return job->source ? 0 : tarn_err_nomem(err, "job");
  case TARN_FROM_URL:
  default:
    (void)tarn_url_scheme(o->url, &scheme, NULL);
    if (scheme == TARN_SCHEME_FILE)
      return add_file(job, o, err);
    return tarn_source_http_new(&job->source, &job->flow, job->reorder, o, err);
  }
}

/* ---- the call ---- */

static bool set_shown(struct tarn_job *job, const struct tarn_get_options *o)
{
  char text[512];

  if (o->source == TARN_FROM_URL)
    tarn_url_public(o->url, text, sizeof text);
  else if (o->source == TARN_FROM_FILE)
    (void)snprintf(text, sizeof text, "%s", o->input);
  else
    (void)snprintf(text, sizeof text, "input");
  job->shown = strdup(text);
  return job->shown != NULL;
}

static void set_user(struct tarn_job *job, const struct tarn_get_options *o)
{
  job->on_data = o->on_data;
  job->on_event = o->on_event;
  job->on_done = o->on_done;
  job->user = o->user;
  job->max_time_ms = o->max_time_ms;
  job->flow.object = on_object;
  if ((o->flags & TARN_REPORT_ENTRIES) || o->target == TARN_TO_LIST)
    job->flow.entry = tarn_job_tell_entry;
  if (o->digest) {
    job->has_digest = true;
    (void)tarn_digest_parse(o->digest, &job->digest, NULL);
  }
}

static int wire(struct tarn_job *job, const struct tarn_get_options *o,
                struct tarn_err *err)
{
  int rc;

  if (!set_shown(job, o))
    return tarn_err_nomem(err, "job");
  if ((rc = add_sink(job, o, err)) != 0)
    return rc;
  if (!is_raw(o) && (rc = add_decode(job, o, err)) != 0)
    return rc;
  return add_source(job, o, err);
}

int tarn_get(struct tarn *ctx, const struct tarn_get_options *opts,
             struct tarn_job **out, struct tarn_err *err)
{
  struct tarn_get_options own = TARN_GET_OPTIONS_INIT;
  struct tarn_job *job;
  int rc;

  if (!ctx || !opts || ctx->is_closing)
    return tarn_err_set(err, TARN_EINVAL, "no open context, or no options");
  if ((rc = tarn_options_copy(&own, sizeof own, opts, opts->size, err)) != 0 ||
      (rc = check(&own, err)) != 0)
    return rc;
  job = tarn_job_new(ctx, own.memory, is_raw(&own));
  if (!job)
    return tarn_err_nomem(err, "job");
  set_user(job, &own);
  rc = wire(job, &own, err);
  if (rc) {
    tarn_job_abort(job);
    return rc;
  }
  tarn_job_begin(job);
  if (out)
    *out = job;
  return 0;
}
