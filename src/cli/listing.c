#include "cli/listing.h"

#include <string.h>
#include <unistd.h>

#include "cli/list_json.h"

static unsigned how_of(const struct cli_args *args)
{
  unsigned how = 0;

  if (args->details)
    how |= CLI_LIST_DETAILS;
  if (args->full_time)
    how |= CLI_LIST_FULL_TIME;
  if (args->utc)
    how |= CLI_LIST_UTC;
  if (args->get.flags & TARN_NUMERIC_OWNER)
    how |= CLI_LIST_NUMERIC;
  if (isatty(STDOUT_FILENO))
    how |= CLI_LIST_ESCAPE;
  return how;
}

void tarn_cli_listing_init(struct cli_listing *l, const struct cli_args *args)
{
  memset(l, 0, sizeof *l);
  l->as_json = args->json;
  tarn_cli_list_line_init(&l->line, how_of(args));
  tarn_cli_json_init(&l->json);
  tarn_cli_out_init(&l->out, STDOUT_FILENO);
}

void tarn_cli_listing_close(struct cli_listing *l)
{
  tarn_cli_list_line_close(&l->line);
  tarn_cli_json_close(&l->json);
  tarn_cli_out_close(&l->out);
}

int tarn_cli_listing_entry(struct cli_listing *l, const struct tarn_member *m,
                           struct tarn_err *err)
{
  const char *text;
  size_t len;

  text = l->as_json ? tarn_cli_list_json(&l->json, m, &len)
                    : tarn_cli_list_line(&l->line, m, &len);
  if (!text) {
    memset(err, 0, sizeof *err);
    return err->code = TARN_ENOMEM;
  }
  return tarn_cli_out_put(&l->out, text, len, err);
}

int tarn_cli_listing_end(struct cli_listing *l, struct tarn_err *err)
{
  return tarn_cli_out_flush(&l->out, err);
}
