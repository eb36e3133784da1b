/*
 * Options: one table drives parsing, --help, the manual, the completion of
 * three shells and the table in docs/command-line.md, so they cannot differ.
 *
 *   struct cli_args args;
 *   int n = tarn_cli_options_parse(argc, argv, TARN_CLI_GET, &args, why);
 *
 * A row says where its value goes: `at` is an offset in struct cli_args. A new
 * option is a row in option_rows_*.c and a field, nothing else. An option that
 * commands understand differently has a row for each of them.
 *
 * Memory: values point into argv, which must stay. Lists grow with realloc and
 * are freed by tarn_cli_args_close.
 * Threads: one at a time, as getopt_long has state of its own.
 */
#ifndef TARN_CLI_OPTIONS_H
#define TARN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cli_args;
struct cli_why;

/* Which command has an option. */
enum cli_command {
  TARN_CLI_GET = 1 << 0,
  TARN_CLI_EXTRACT = 1 << 1,
  TARN_CLI_LIST = 1 << 2
};

enum cli_option_kind {
  CLI_FLAG,     /* no value: sets `flag` in the unsigned long at `at`, clears
                   `unflag` there */
  CLI_SWITCH,   /* no value: sets the int at `at` to 1 */
  CLI_IGNORED,  /* no value, no effect: accepted for scripts */
  CLI_UNUSED,   /* a number from `min` to `max`, no effect: the same */
  CLI_STRING,   /* const char * */
  CLI_LIST,     /* struct cli_list, may be repeated */
  CLI_STATUSES, /* struct cli_statuses: numbers 100 to 599 with commas */
  CLI_COUNT,    /* unsigned, from `min` to `max` */
  CLI_NUMBER,   /* uint64_t, at least `min` */
  CLI_SIZE,     /* uint64_t in bytes, at least `min`; `bare` is the unit of a
                   number without one */
  CLI_SECONDS,  /* uint64_t in milliseconds, at least `min`; 0 counts as 1 */
  CLI_RATIO,    /* double above 0 */
  CLI_CHOICE,   /* int: index of the value among `choices` */
  CLI_CHANNELS, /* unsigned: bits of the names given, as in `choices` */
  CLI_HELP      /* asks for help; "all" may be given behind = */
};

enum cli_option_group {
  CLI_GROUP_TARGET,
  CLI_GROUP_LISTING,
  CLI_GROUP_TRANSFER,
  CLI_GROUP_SERVER,
  CLI_GROUP_PROOF,
  CLI_GROUP_EXTRACT,
  CLI_GROUP_RESOURCES,
  CLI_GROUP_REPORT,
  CLI_GROUP_ACCEPTED,
  CLI_GROUPS
};

struct cli_option {
  const char *name;  /* long name */
  const char *alias; /* second long name, or NULL */
  char letter;       /* short name, or 0 */
  enum cli_option_kind kind;
  enum cli_option_group group;
  unsigned commands;   /* enum cli_command, or-ed */
  bool usual;          /* among the dozen of --help */
  const char *value;   /* what the value is called: DIR and FILE complete to
                          paths; NULL without a value */
  const char *choices; /* the values, with commas between */
  size_t at;
  size_t has_at; /* offset of an int set to 1 when given, or 0 */
  unsigned long flag, unflag;
  uint64_t min, max, bare;
  const char *help; /* one line, lower case, no period */
  const char *man;  /* whole sentences that follow it in the manual, or NULL */
};

/* Row `i`; NULL behind the last. They are in no order that matters. */
const struct cli_option *tarn_cli_option_at(size_t i);
size_t tarn_cli_option_count(void);

/* Heading of a group. */
const char *tarn_cli_option_group(enum cli_option_group group);

/* True when the option takes a value as its own word. */
bool tarn_cli_option_has_value(const struct cli_option *o);

enum cli_parsed {
  CLI_PARSED_OK = 0,
  CLI_PARSED_HELP,     /* --help */
  CLI_PARSED_HELP_ALL, /* --help=all */
  CLI_PARSED_WRONG     /* *why says what */
};

/*
 * Reads the options of `command` from argv[1] on into *args. Long names may be
 * cut while they are unique; "--" ends the options; "-" is an operand.
 * Operands are moved behind the options; *first is the index of the first.
 * Returns an enum cli_parsed.
 */
int tarn_cli_options_parse(int argc, char **argv, enum cli_command command,
                           struct cli_args *args, int *first,
                           struct cli_why *why);

/* ---- what is printed from the table ---- */

/* The option list of `tarn CMD --help`: the usual rows, or all of them. */
void tarn_cli_print_help(FILE *out, enum cli_command command, bool all);
/* The option list of the manual page, in mdoc. */
void tarn_cli_print_man(FILE *out, enum cli_command command);
/* The option table of docs/command-line.md. */
void tarn_cli_print_markdown(FILE *out, enum cli_command command);
/* The long names, one a line: what tests look for elsewhere. */
void tarn_cli_print_names(FILE *out, enum cli_command command);

/* Completion scripts. Returns 0, or -1 for another shell. */
int tarn_cli_print_completion(FILE *out, const char *shell);

#endif
