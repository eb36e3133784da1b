#include "cli/commands.h"

#include <string.h>
#include <unistd.h>

#include <tarn/tarn.h>

#include "cli/args.h"
#include "cli/ask.h"
#include "cli/input.h"
#include "cli/listing.h"
#include "cli/run.h"

struct list {
  struct cli_args args;
  struct cli_input input;
  struct cli_listing listing;
};

static void fill(void *user, size_t i, struct tarn_get_options *get,
                 struct cli_about *about)
{
  const struct list *x = user;

  (void)i;
  tarn_cli_input_fill(&x->input, get);
  get->target = TARN_TO_LIST;
  about->url = x->input.shown;
  about->is_list = true;
  about->is_local = x->input.source != TARN_FROM_URL;
}

static int print_entry(void *user, const struct tarn_member *m,
                       struct tarn_err *err)
{
  struct list *x = user;

  return tarn_cli_listing_entry(&x->listing, m, err);
}

static int end_entries(void *user, struct tarn_err *err)
{
  struct list *x = user;

  return tarn_cli_listing_end(&x->listing, err);
}

/* A listing is its own progress, but for a download into a file or pipe. */
static void choose_progress(struct list *x)
{
  if (x->args.progress == CLI_PROGRESS_AUTO &&
      (x->input.source != TARN_FROM_URL || isatty(STDOUT_FILENO)))
    x->args.progress = CLI_PROGRESS_NONE;
}

static int list(struct list *x, int argc, char **argv, unsigned streams)
{
  static const struct cli_run_ops ops = {fill, print_entry, end_entries};
  struct cli_why why;
  int first, rc = tarn_cli_ask(argc, argv, TARN_CLI_LIST, &x->args, &first);

  if (rc != CLI_ASK_RUN)
    return rc;
  if (argc - first != 1)
    rc =
        tarn_cli_refuse(&why, CLI_EXIT_USAGE, "list needs one URL, FILE or -%s",
                        argc > first ? "; entries are chosen by "
                                       "--include=GLOB"
                                     : "");
  else
    rc = tarn_cli_input_make(&x->input, TARN_CLI_LIST, argv[first], streams,
                             &why);
  if (rc != 0)
    return tarn_cli_ask_refuse(TARN_CLI_LIST, rc, &why);
  if (!(streams & CLI_STDOUT_OPEN)) {
    tarn_cli_say("standard output is not open");
    return CLI_EXIT_FILE;
  }
  choose_progress(x);
  tarn_cli_listing_init(&x->listing, &x->args);
  rc = tarn_cli_run(&x->args, &ops, 1, x);
  tarn_cli_listing_close(&x->listing);
  return rc;
}

int tarn_cli_list(int argc, char **argv, unsigned streams)
{
  struct list x;
  int rc;

  memset(&x, 0, sizeof x);
  tarn_cli_args_init(&x.args);
  rc = list(&x, argc, argv, streams);
  tarn_cli_input_close(&x.input);
  tarn_cli_args_close(&x.args);
  return rc;
}
