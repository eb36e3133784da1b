/*
 * The terminal and the standard streams: is it one, how wide, and lines that
 * reach it whole and harmless.
 *
 * Names and texts come from archives and servers. A control byte in one could
 * move the cursor or set a title, so what goes to a terminal is escaped.
 *
 *   tarn_cli_say("%s: no scheme, taking https", word);
 *
 * Memory: buffers are the caller's. Threads: the main one.
 */
#ifndef TARN_CLI_TERM_H
#define TARN_CLI_TERM_H

#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define TARN_CLI_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TARN_CLI_PRINTF(fmt, args)
#endif

/* True when fd is a terminal that can redraw a line (TERM is not "dumb"). */
bool tarn_cli_term_can_redraw(int fd);

/* Columns of the terminal at fd; 80 when it does not tell. */
size_t tarn_cli_term_width(int fd);

/*
 * Copies s so that it can be shown: control bytes, and bytes that are not
 * UTF-8, become \ooo in octal, as GNU tar writes them. Cuts at `cap`, never
 * within an escape or a character; always terminates. Returns the length.
 */
size_t tarn_cli_term_escape(char *out, size_t cap, const char *s);

/*
 * Writes all of ptr to fd, waiting while a non-blocking stream is full.
 * Returns 0, or -1 when the stream takes no more: the caller may ignore it,
 * nothing useful can be said about a closed stderr.
 */
int tarn_cli_term_write(int fd, const char *ptr, size_t len);

/* True when fd would take bytes at once. */
bool tarn_cli_term_writable(int fd);

/* One line "tarn: text" on stderr, escaped when that is a terminal. */
void tarn_cli_say(const char *fmt, ...) TARN_CLI_PRINTF(1, 2);

#endif
