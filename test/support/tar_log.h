/*
 * Reads an archive with archive/tar_read and writes down all that happens, so
 * that two readings can be compared as text.
 *
 *   tar_log_read(&log, data, len, tar_log_whole, NULL, NULL, true);
 *   assert_int_equal(log.rc, 0);
 *   assert_string_equal(log.text, "...");
 *   tar_log_free(&log);
 *
 * A line for each event: "member file path mode uid ..." and after its content
 * "finish LENGTH HASH", holes included. Pieces are copied to their own heap
 * memory, so that reading beyond one is seen by the sanitizers.
 */
#ifndef TAR_LOG_H
#define TAR_LOG_H

#include "archive/tar_read.h"

struct tar_log {
  int rc;              /* of the last call */
  struct tarn_err err; /* of the last error or refusal */
  char *text;          /* every event, a line each */
  char *names;         /* the path of every member, a line each */
  size_t text_len, names_len;
  uint64_t n_written; /* bytes of the last member's BODY events */
  unsigned n_members, n_finished, n_refused, n_warnings;
};

/* How long the next piece is, of `left` bytes; at least 1. */
typedef size_t (*tar_log_cut)(size_t left, void *state);
size_t tar_log_whole(size_t left, void *state);
size_t tar_log_byte(size_t left, void *state);
/* `state` is an unsigned seed: pieces of 1 to about 1500 bytes. */
size_t tar_log_random(size_t left, void *state);

void tar_log_read(struct tar_log *log, const uint8_t *data, size_t len,
                  tar_log_cut cut, void *state,
                  const struct tarn_tar_options *opts, bool proven);
void tar_log_free(struct tar_log *log);

#endif
