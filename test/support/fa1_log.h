/*
 * Reads an FA1 archive and writes down all that happens, so that two readings
 * can be compared as text. Content is told when a file is complete or given up,
 * as the pieces depend on how the input was cut.
 *
 *   fa1_log_read(&log, data, len, FA1_LOG_WHOLE, 0, true, crc);
 *   assert_string_equal(log.text, "member file a 644 0/0\n"
 *                                 "finish a 5 hello\n");
 *
 * Pieces are copied to their own heap memory, so that reading beyond one is
 * seen by the sanitizers.
 */
#ifndef FA1_LOG_H
#define FA1_LOG_H

#include "archive/fa1_read.h"

struct fa1_log {
  int rc;
  struct tarn_err err; /* of the last error or refusal */
  char text[65536];
  size_t len;
};

enum fa1_log_cut { FA1_LOG_WHOLE, FA1_LOG_BYTES, FA1_LOG_RANDOM };

void fa1_log_read(struct fa1_log *log, const uint8_t *data, size_t len,
                  enum fa1_log_cut cut, unsigned seed, bool proven,
                  tarn_crc64_fn crc);

#endif
