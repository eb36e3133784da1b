#include "cli/commands.h"

#include <string.h>
#include <unistd.h>

#include <tarn/tarn.h>

#include "cli/args.h"
#include "cli/ask.h"
#include "cli/run.h"
#include "cli/targets.h"

struct get {
  struct cli_args args;
  struct cli_targets targets;
};

static void fill(void *user, size_t i, struct tarn_get_options *get,
                 struct cli_about *about)
{
  const struct get *g = user;
  const struct cli_target *target = &g->targets.items[i];

  get->url = target->url;
  get->path = target->path;
  if (g->args.to_stdout) {
    get->target = TARN_TO_FD;
    get->to_fd = STDOUT_FILENO;
  } else {
    get->target = g->args.output ? TARN_TO_FILE : TARN_TO_DIR;
  }
  about->url = target->shown;
  about->path = target->path;
  about->is_file = g->args.output != NULL;
}

static int check_stdout(const struct cli_args *args, unsigned streams)
{
  if (!args->to_stdout)
    return 0;
  if (!(streams & CLI_STDOUT_OPEN)) {
    tarn_cli_say("standard output is not open");
    return CLI_EXIT_FILE;
  }
  if (isatty(STDOUT_FILENO)) {
    tarn_cli_say("-O: standard output is a terminal: redirect it, or use -o "
                 "FILE");
    return CLI_EXIT_USAGE;
  }
  return 0;
}

static int get(struct get *g, int argc, char **argv, unsigned streams)
{
  static const struct cli_run_ops ops = {fill, NULL, NULL};
  struct cli_why why;
  int first, rc = tarn_cli_ask(argc, argv, TARN_CLI_GET, &g->args, &first);

  if (rc != CLI_ASK_RUN)
    return rc;
  rc = tarn_cli_targets_make(&g->targets, argv + first, (size_t)(argc - first),
                             &g->args, &why);
  if (rc != 0)
    return tarn_cli_ask_refuse(TARN_CLI_GET, rc, &why);
  rc = check_stdout(&g->args, streams);
  return rc != 0 ? rc : tarn_cli_run(&g->args, &ops, g->targets.n, g);
}

int tarn_cli_get(int argc, char **argv, unsigned streams)
{
  struct get g;
  int rc;

  memset(&g, 0, sizeof g);
  tarn_cli_args_init(&g.args);
  rc = get(&g, argc, argv, streams);
  tarn_cli_targets_close(&g.targets);
  tarn_cli_args_close(&g.args);
  return rc;
}
