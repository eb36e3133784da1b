/*
 * A member as a JSON object on a line of its own: docs/list-json.md.
 *
 *   text = tarn_cli_list_json(&json, member, &len);
 *
 * Memory: the line is lent by `j`. Threads: one at a time.
 */
#ifndef TARN_CLI_LIST_JSON_H
#define TARN_CLI_LIST_JSON_H

#include <stddef.h>

#include <tarn/tarn.h>

#include "cli/json.h"

/* Lends the line, newline included, or NULL without memory. */
const char *tarn_cli_list_json(struct cli_json *j, const struct tarn_member *m,
                               size_t *len);

#endif
