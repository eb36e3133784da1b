/*
 * A line of a listing: a member's name alone, or as GNU tar's -tv prints it:
 * mode, owner, size or device numbers, time, name and where a link leads.
 *
 *   tarn_cli_list_line_init(&l, CLI_LIST_DETAILS | CLI_LIST_UTC);
 *   text = tarn_cli_list_line(&l, member, &len);
 *
 * As in GNU tar, columns are as wide as what came so far needs: nothing waits
 * for the last member. A member's time before 1970 is written right, also with
 * a fraction.
 *
 * Memory: one growing buffer, reused by each line. Threads: one at a time.
 */
#ifndef TARN_CLI_LIST_LINE_H
#define TARN_CLI_LIST_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <tarn/tarn.h>

enum cli_list_how {
  CLI_LIST_DETAILS = 1 << 0,
  CLI_LIST_FULL_TIME = 1 << 1, /* nanoseconds, where there are any */
  CLI_LIST_UTC = 1 << 2,       /* else the zone of the environment */
  CLI_LIST_NUMERIC = 1 << 3,   /* owners as numbers */
  CLI_LIST_ESCAPE = 1 << 4     /* for a terminal: control bytes, and bytes that
                                  are not UTF-8, as \ooo */
};

struct cli_list_line {
  unsigned how;
  size_t owner_width; /* of "user/group size" */
  size_t time_width;
  char *buf;
  size_t len, cap;
  bool failed; /* memory ran out: this line cannot be had */
};

void tarn_cli_list_line_init(struct cli_list_line *l, unsigned how);
void tarn_cli_list_line_close(struct cli_list_line *l);

/* Lends the line, newline included, or NULL without memory. */
const char *tarn_cli_list_line(struct cli_list_line *l,
                               const struct tarn_member *m, size_t *len);

/* "-rwsr-xr-x": ten characters, the first by type, 'h' for a hard link. */
void tarn_cli_list_mode(char out[11], enum tarn_member_type type,
                        unsigned mode);

#define TARN_CLI_LIST_TIME 64

/*
 * "2024-02-29 12:30", with CLI_LIST_FULL_TIME "2024-02-29 12:30:05.25". A time
 * that no calendar holds is written as seconds since 1970. Returns `out`.
 */
const char *tarn_cli_list_time(char out[TARN_CLI_LIST_TIME], int64_t sec,
                               uint32_t nsec, unsigned how);

#endif
