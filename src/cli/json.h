/*
 * JSON lines: one object of scalars a line, built and then written whole.
 *
 *   struct cli_json j;
 *   tarn_cli_json_init(&j);
 *   tarn_cli_json_begin(&j);
 *   tarn_cli_json_text(&j, "event", "start");
 *   tarn_cli_json_count(&j, "files", 3);
 *   line = tarn_cli_json_end(&j, &len);   // {"event":"start","files":3}\n
 *   tarn_cli_json_close(&j);
 *
 * Keys are literals of this program and are not escaped. Bytes of a text that
 * are not UTF-8 become U+FFFD, one each: a line is always valid JSON.
 *
 * Memory: one growing buffer, reused by each line. When it cannot grow the
 * line is dropped. Threads: one at a time.
 */
#ifndef TARN_CLI_JSON_H
#define TARN_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli_json {
  char *buf;
  size_t len, cap;
  bool failed; /* memory ran out: this line cannot be had */
};

void tarn_cli_json_init(struct cli_json *j);
void tarn_cli_json_close(struct cli_json *j);

/* Starts a line, forgetting the one before. */
void tarn_cli_json_begin(struct cli_json *j);

/* Ends the line. Lends it, newline included, or NULL without memory. */
const char *tarn_cli_json_end(struct cli_json *j, size_t *len);

/* "key":"text"; null when text is NULL. */
void tarn_cli_json_text(struct cli_json *j, const char *key, const char *text);

/*
 * A text that may be any bytes: "key":"text", and behind it "key_b64" with the
 * very bytes in base64 (RFC 4648) when they are not UTF-8.
 */
void tarn_cli_json_name(struct cli_json *j, const char *key, const char *text);

void tarn_cli_json_count(struct cli_json *j, const char *key, uint64_t n);
/* Nanoseconds as seconds with six decimals. */
void tarn_cli_json_seconds(struct cli_json *j, const char *key, uint64_t ns);
void tarn_cli_json_int(struct cli_json *j, const char *key, int n);
void tarn_cli_json_whole(struct cli_json *j, const char *key, int64_t n);
void tarn_cli_json_bool(struct cli_json *j, const char *key, bool yes);
void tarn_cli_json_null(struct cli_json *j, const char *key);

#endif
