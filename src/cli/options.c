#include "cli/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/size.h"
#include "cli/why.h"

/* getopt_long tells a long option by its row, above every letter. */
#define ROW_BASE 256

/* ":" first for a missing value, then two characters a letter at most. */
#define MAX_LETTERS 128

/* ---- values ---- */

/* Index of `word`, len bytes, in a list with commas; -1 when not there. */
static int choice_of(const char *choices, const char *word, size_t len)
{
  int i = 0;
  size_t n;

  for (;; choices += n + 1, i++) {
    n = strcspn(choices, ",");
    if (n == len && strncmp(choices, word, len) == 0)
      return i;
    if (choices[n] == '\0')
      return -1;
  }
}

/* The last choice, "all", stands for every bit before it. */
static int channels_of(const char *choices, const char *words, unsigned *bits)
{
  int last = choice_of(choices, "all", 3), i;
  size_t n;

  for (;; words += n + 1) {
    n = strcspn(words, ",");
    i = choice_of(choices, words, n);
    if (i < 0)
      return -1;
    *bits |= i == last ? (1u << last) - 1 : 1u << i;
    if (words[n] == '\0')
      return 0;
  }
}

static int statuses_of(const char *s, struct cli_statuses *list)
{
  int status, digits;

  for (;; s++) {
    status = 0;
    for (digits = 0; *s >= '0' && *s <= '9' && digits < 4; digits++, s++)
      status = status * 10 + (*s - '0');
    if (digits != 3 || status < 100 || status > 599)
      return -1;
    if (tarn_cli_statuses_add(list, status) != 0)
      return -1;
    if (*s == '\0')
      return 0;
    if (*s != ',')
      return -1;
  }
}

static int set_number(const struct cli_option *o, void *field, const char *s)
{
  uint64_t n = 0;
  unsigned count;
  int ok;

  switch (o->kind) {
  case CLI_SIZE:
    ok = tarn_cli_size_parse(s, o->bare, &n) == 0;
    break;
  case CLI_SECONDS:
    ok = tarn_cli_time_parse(s, &n) == 0;
    break;
  default:
    ok = tarn_cli_count_parse(s, &n) == 0;
    break;
  }
  if (!ok || n < o->min || (o->max && n > o->max))
    return -1;
  if (o->kind == CLI_UNUSED)
    return 0;
  if (o->kind == CLI_COUNT) {
    count = (unsigned)n;
    memcpy(field, &count, sizeof count);
    return 0;
  }
  /* To the library, a time of zero means its default. */
  if (o->kind == CLI_SECONDS && n == 0)
    n = 1;
  memcpy(field, &n, sizeof n);
  return 0;
}

static const char *wanted(const struct cli_option *o)
{
  switch (o->kind) {
  case CLI_SIZE:
    return "a size such as 500K, 96Mi or 2G";
  case CLI_SECONDS:
    return "a time such as 10, 0.5, 250ms or 5m";
  case CLI_RATIO:
    return "a number above 0";
  case CLI_STATUSES:
    return "HTTP statuses such as 503,507";
  default:
    return "a number";
  }
}

static int set_choice(const struct cli_option *o, void *field, const char *s)
{
  int i = choice_of(o->choices, s, strlen(s));

  if (i < 0)
    return -1;
  memcpy(field, &i, sizeof i);
  return 0;
}

static int set_ratio(void *field, const char *s)
{
  double ratio;

  if (tarn_cli_ratio_parse(s, &ratio) != 0 || !(ratio > 0))
    return -1;
  memcpy(field, &ratio, sizeof ratio);
  return 0;
}

static int set_value(const struct cli_option *o, void *field, const char *s)
{
  switch (o->kind) {
  case CLI_STRING:
    memcpy(field, &s, sizeof s);
    return 0;
  case CLI_LIST:
    return tarn_cli_list_add(field, s);
  case CLI_STATUSES:
    return statuses_of(s, field);
  case CLI_CHOICE:
    return set_choice(o, field, s);
  case CLI_CHANNELS:
    return channels_of(o->choices, s, field);
  case CLI_RATIO:
    return set_ratio(field, s);
  default:
    return set_number(o, field, s);
  }
}

static void set_plain(const struct cli_option *o, void *field)
{
  static const int one = 1;
  unsigned long flags;

  if (o->kind == CLI_FLAG) {
    memcpy(&flags, field, sizeof flags);
    flags = (flags & ~o->unflag) | o->flag;
    memcpy(field, &flags, sizeof flags);
  } else if (o->kind == CLI_SWITCH) {
    memcpy(field, &one, sizeof one);
  }
}

static int refuse_value(const struct cli_option *o, const char *s,
                        struct cli_why *why)
{
  if (o->choices)
    return tarn_cli_refuse(why, CLI_PARSED_WRONG, "--%s: \"%s\" is none of %s",
                           o->name, s, o->choices);
  if ((o->kind == CLI_COUNT || o->kind == CLI_UNUSED) && o->max)
    return tarn_cli_refuse(
        why, CLI_PARSED_WRONG, "--%s: \"%s\" is not a number from %llu to %llu",
        o->name, s, (unsigned long long)o->min, (unsigned long long)o->max);
  return tarn_cli_refuse(why, CLI_PARSED_WRONG, "--%s: \"%s\" is not %s",
                         o->name, s, wanted(o));
}

static int apply(const struct cli_option *o, const char *s,
                 struct cli_args *args, struct cli_why *why)
{
  char *base = (char *)args;
  static const int one = 1;

  if (o->kind == CLI_HELP) {
    if (s && strcmp(s, "all") != 0)
      return refuse_value(o, s, why);
    return s ? CLI_PARSED_HELP_ALL : CLI_PARSED_HELP;
  }
  if (!tarn_cli_option_has_value(o))
    set_plain(o, base + o->at);
  else if (set_value(o, base + o->at, s) != 0)
    return refuse_value(o, s, why);
  if (o->has_at)
    memcpy(base + o->has_at, &one, sizeof one);
  return CLI_PARSED_OK;
}

/* ---- getopt_long's tables, made of ours ---- */

static int value_rule(const struct cli_option *o)
{
  if (o->kind == CLI_HELP)
    return optional_argument;
  return tarn_cli_option_has_value(o) ? required_argument : no_argument;
}

/* An alias has the same value as its option, so an abbreviation that fits both
 * is not ambiguous. */
static struct option *long_table(enum cli_command command)
{
  struct option *table = calloc(2 * tarn_cli_option_count() + 1, sizeof *table);
  const struct cli_option *o;
  size_t i, n = 0;

  for (i = 0; table && (o = tarn_cli_option_at(i)) != NULL; i++) {
    if (!(o->commands & command))
      continue;
    table[n++] =
        (struct option){o->name, value_rule(o), NULL, ROW_BASE + (int)i};
    if (o->alias)
      table[n++] =
          (struct option){o->alias, value_rule(o), NULL, ROW_BASE + (int)i};
  }
  return table;
}

/* A letter never takes its value optionally: -h is help without "all". */
static void short_table(enum cli_command command, char out[MAX_LETTERS])
{
  const struct cli_option *o;
  size_t i, n = 0;

  out[n++] = ':';
  for (i = 0; (o = tarn_cli_option_at(i)) != NULL; i++) {
    if (!o->letter || !(o->commands & command) || n + 3 > MAX_LETTERS)
      continue;
    out[n++] = o->letter;
    if (tarn_cli_option_has_value(o))
      out[n++] = ':';
  }
  out[n] = '\0';
}

static const struct cli_option *row_of(int c, enum cli_command command)
{
  const struct cli_option *o;
  size_t i;

  if (c >= ROW_BASE)
    return tarn_cli_option_at((size_t)(c - ROW_BASE));
  for (i = 0; c && (o = tarn_cli_option_at(i)) != NULL; i++)
    if (o->letter == c && (o->commands & command))
      return o;
  return NULL;
}

/* Long names that begin with the first len bytes of `word`, for the message
 * about an abbreviation of several. Returns how many. */
static unsigned candidates(const struct option *table, const char *word,
                           size_t len, char *out, size_t cap)
{
  unsigned n = 0;
  size_t used = 0;

  out[0] = '\0';
  for (; table->name; table++) {
    if (strncmp(table->name, word, len) != 0)
      continue;
    n++;
    if (used < cap)
      used += (size_t)snprintf(out + used, cap - used, "%s--%s",
                               n > 1 ? ", " : "", table->name);
  }
  return n;
}

static int refuse_option(const struct option *table, const char *word,
                         enum cli_command command, struct cli_why *why)
{
  const struct cli_option *o = row_of(optopt, command);
  char names[256];
  size_t len;

  if (o)
    return tarn_cli_refuse(why, CLI_PARSED_WRONG, "--%s takes no value",
                           o->name);
  if (optopt)
    return tarn_cli_refuse(why, CLI_PARSED_WRONG, "unknown option -%c", optopt);
  word += 2;
  len = strcspn(word, "=");
  if (candidates(table, word, len, names, sizeof names) > 1)
    return tarn_cli_refuse(why, CLI_PARSED_WRONG, "--%.*s can be any of %s",
                           (int)len, word, names);
  return tarn_cli_refuse(why, CLI_PARSED_WRONG, "unknown option --%.*s",
                         (int)len, word);
}

static int parse_all(int argc, char **argv, enum cli_command command,
                     const struct option *table, struct cli_args *args,
                     struct cli_why *why)
{
  char letters[MAX_LETTERS];
  const struct cli_option *o;
  int c, rc;

  short_table(command, letters);
  opterr = 0;
  optind = 0; /* forget what was read of another argv */
  while ((c = getopt_long(argc, argv, letters, table, NULL)) != -1) {
    if (c == '?')
      return refuse_option(table, argv[optind - 1], command, why);
    o = row_of(c == ':' ? optopt : c, command);
    if (!o)
      return tarn_cli_refuse(why, CLI_PARSED_WRONG, "unknown option -%c", c);
    if (c == ':')
      return tarn_cli_refuse(why, CLI_PARSED_WRONG, "--%s needs %s", o->name,
                             o->value);
    rc = apply(o, c >= ROW_BASE || o->value ? optarg : NULL, args, why);
    if (rc != CLI_PARSED_OK)
      return rc;
  }
  return CLI_PARSED_OK;
}

int tarn_cli_options_parse(int argc, char **argv, enum cli_command command,
                           struct cli_args *args, int *first,
                           struct cli_why *why)
{
  struct option *table = long_table(command);
  int rc;

  why->text[0] = '\0';
  if (!table)
    return tarn_cli_refuse(why, CLI_PARSED_WRONG, "out of memory");
  rc = parse_all(argc, argv, command, table, args, why);
  *first = optind;
  free(table);
  return rc;
}
