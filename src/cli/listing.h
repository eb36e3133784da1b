/*
 * A listing: each member of an archive as a line on standard output, for
 * `tarn list` and `tarn extract --dry-run`.
 *
 *   tarn_cli_listing_init(&l, &args);
 *   tarn_cli_listing_entry(&l, member, &err);     // struct cli_run_ops
 *   tarn_cli_listing_end(&l, &err);
 *   tarn_cli_listing_close(&l);
 *
 * Memory: buffers of a line and of the output. Threads: one at a time.
 */
#ifndef TARN_CLI_LISTING_H
#define TARN_CLI_LISTING_H

#include <stdbool.h>

#include <tarn/tarn.h>

#include "cli/args.h"
#include "cli/json.h"
#include "cli/list_line.h"
#include "cli/out.h"

struct cli_listing {
  bool as_json;
  struct cli_list_line line;
  struct cli_json json;
  struct cli_out out;
};

void tarn_cli_listing_init(struct cli_listing *l, const struct cli_args *args);
void tarn_cli_listing_close(struct cli_listing *l);

int tarn_cli_listing_entry(struct cli_listing *l, const struct tarn_member *m,
                           struct tarn_err *err);
/* CLI_OUT_AGAIN while a signal keeps it from writing. */
int tarn_cli_listing_end(struct cli_listing *l, struct tarn_err *err);

#endif
