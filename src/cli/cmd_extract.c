#include "cli/commands.h"

#include <string.h>
#include <unistd.h>

#include <tarn/tarn.h>

#include "cli/args.h"
#include "cli/ask.h"
#include "cli/input.h"
#include "cli/listing.h"
#include "cli/run.h"

struct extract {
  struct cli_args args;
  struct cli_input input;
  struct cli_listing listing;
};

static void fill(void *user, size_t i, struct tarn_get_options *get,
                 struct cli_about *about)
{
  const struct extract *x = user;

  (void)i;
  tarn_cli_input_fill(&x->input, get);
  get->target = x->args.dry_run ? TARN_TO_LIST : TARN_TO_DIR;
  get->path = x->args.directory ? x->args.directory : ".";
  about->url = x->input.shown;
  about->path = x->args.dry_run ? NULL : get->path;
  about->is_list = x->args.dry_run;
  about->is_local = true;
}

static int print_entry(void *user, const struct tarn_member *m,
                       struct tarn_err *err)
{
  struct extract *x = user;

  return tarn_cli_listing_entry(&x->listing, m, err);
}

static int end_entries(void *user, struct tarn_err *err)
{
  struct extract *x = user;

  return tarn_cli_listing_end(&x->listing, err);
}

static int make_input(struct extract *x, char **words, int n, unsigned streams,
                      struct cli_why *why)
{
  const char *word = x->args.input ? x->args.input : n > 0 ? words[0] : "-";

  if (x->args.input && n > 0)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "-i and %s: extract reads one archive", words[0]);
  if (n > 1)
    return tarn_cli_refuse(why, CLI_EXIT_USAGE,
                           "%s: extract reads one archive; entries are chosen "
                           "by --include=GLOB",
                           words[1]);
  return tarn_cli_input_make(&x->input, TARN_CLI_EXTRACT, word, streams, why);
}

/* Names go to standard output: -v there means what it means to list, and no
   line of progress is to run into them. */
static void make_dry(struct cli_args *args)
{
  args->details = args->verbose;
  args->verbose = 0;
  if (args->progress == CLI_PROGRESS_AUTO)
    args->progress = CLI_PROGRESS_NONE;
}

static int extract(struct extract *x, int argc, char **argv, unsigned streams)
{
  static const struct cli_run_ops write_ops = {fill, NULL, NULL};
  static const struct cli_run_ops dry_ops = {fill, print_entry, end_entries};
  struct cli_why why;
  int first, rc = tarn_cli_ask(argc, argv, TARN_CLI_EXTRACT, &x->args, &first);

  if (rc != CLI_ASK_RUN)
    return rc;
  rc = make_input(x, argv + first, argc - first, streams, &why);
  if (rc != 0)
    return tarn_cli_ask_refuse(TARN_CLI_EXTRACT, rc, &why);
  if (!x->args.dry_run)
    return tarn_cli_run(&x->args, &write_ops, 1, x);
  if (!(streams & CLI_STDOUT_OPEN)) {
    tarn_cli_say("standard output is not open");
    return CLI_EXIT_FILE;
  }
  make_dry(&x->args);
  tarn_cli_listing_init(&x->listing, &x->args);
  rc = tarn_cli_run(&x->args, &dry_ops, 1, x);
  tarn_cli_listing_close(&x->listing);
  return rc;
}

int tarn_cli_extract(int argc, char **argv, unsigned streams)
{
  struct extract x;
  int rc;

  memset(&x, 0, sizeof x);
  tarn_cli_args_init(&x.args);
  rc = extract(&x, argc, argv, streams);
  tarn_cli_input_close(&x.input);
  tarn_cli_args_close(&x.args);
  return rc;
}
