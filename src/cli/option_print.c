#include "cli/options.h"

#include <ctype.h>
#include <string.h>

const char *tarn_cli_option_group(enum cli_option_group group)
{
  static const char *const names[CLI_GROUPS] = {
      [CLI_GROUP_TARGET] = "Where the bytes go",
      [CLI_GROUP_LISTING] = "What is printed",
      [CLI_GROUP_TRANSFER] = "Transfer",
      [CLI_GROUP_SERVER] = "Server and credentials",
      [CLI_GROUP_PROOF] = "Proof and limits",
      [CLI_GROUP_EXTRACT] = "Decoding and extraction",
      [CLI_GROUP_RESOURCES] = "Memory and threads",
      [CLI_GROUP_REPORT] = "Reporting",
      [CLI_GROUP_ACCEPTED] = "Accepted for scripts",
  };

  return names[group];
}

bool tarn_cli_option_has_value(const struct cli_option *o)
{
  return o->value != NULL;
}

/* Help texts begin in this column; a longer option pushes its own away. */
#define HELP_COLUMN    28
#define CHOICES_COLUMN 26
#define MDOC_COLUMNS   60

/*
 * The next row of a command in a group, from *i on, which moves behind it; NULL
 * when there is none.
 */
static const struct cli_option *next_row(size_t *i, enum cli_command command,
                                         int group)
{
  const struct cli_option *o;

  while ((o = tarn_cli_option_at(*i)) != NULL) {
    ++*i;
    if ((o->commands & command) && (int)o->group == group)
      return o;
  }
  return NULL;
}

/* Some commands have no option of some groups. */
static bool is_empty(enum cli_command command, int group)
{
  size_t i = 0;

  return next_row(&i, command, group) == NULL;
}

/* ---- --help ---- */

static size_t print_head(FILE *out, const struct cli_option *o)
{
  int n;

  n = o->letter ? fprintf(out, "  -%c, ", o->letter) : fprintf(out, "      ");
  n += fprintf(out, "--%s", o->name);
  if (o->value)
    n += fprintf(out, "=%s", o->value);
  else if (o->kind == CLI_HELP)
    n += fprintf(out, "[=%s]", o->choices);
  return n > 0 ? (size_t)n : 0;
}

static void print_row(FILE *out, const struct cli_option *o, bool all)
{
  size_t column = print_head(out, o);

  if (column + 2 > HELP_COLUMN) {
    (void)fputc('\n', out);
    column = 0;
  }
  (void)fprintf(out, "%*s%s\n", (int)(HELP_COLUMN - column), "", o->help);
  if (all && o->value && o->choices)
    (void)fprintf(out, "%*s%s: %s\n", CHOICES_COLUMN, "", o->value, o->choices);
  if (all && o->alias)
    (void)fprintf(out, "%*salso --%s\n", HELP_COLUMN, "", o->alias);
}

void tarn_cli_print_help(FILE *out, enum cli_command command, bool all)
{
  const struct cli_option *o;
  bool headed, first = true;
  size_t i;
  int g;

  for (g = 0; g < CLI_GROUPS; g++) {
    headed = !all; /* the dozen needs no headings */
    for (i = 0; (o = next_row(&i, command, g)) != NULL;) {
      if (!all && !o->usual)
        continue;
      if (!headed)
        (void)fprintf(out, "%s%s:\n", first ? "" : "\n",
                      tarn_cli_option_group((enum cli_option_group)g));
      headed = true;
      first = false;
      print_row(out, o, all);
    }
  }
}

/* ---- manual page, mdoc(7) ---- */

static void print_mdoc_char(FILE *out, char c)
{
  if (c == '\\')
    (void)fputs("\\e", out);
  else if (c == '-')
    (void)fputs("\\-", out);
  else if (c == '~')
    (void)fputs("\\(ti", out);
  else
    (void)fputc(c, out);
}

/*
 * Text for mdoc: lines of about MDOC_COLUMNS, and a sentence begins on a line
 * of its own, as mandoc -T lint asks. A dot or quote that leads a line would
 * be a request and is escaped.
 */
static void print_mdoc_text(FILE *out, const char *s, bool capital)
{
  unsigned column = 0;

  for (; *s; s++) {
    if (*s == ' ' && column > 0 && (s[-1] == '.' || column > MDOC_COLUMNS)) {
      (void)fputc('\n', out);
      column = 0;
      continue;
    }
    if (column++ == 0 && (*s == '.' || *s == '\''))
      (void)fputs("\\&", out);
    print_mdoc_char(out, capital ? (char)toupper((unsigned char)*s) : *s);
    capital = false;
  }
}

static void print_mdoc_item(FILE *out, const struct cli_option *o)
{
  (void)fputs(".It ", out);
  if (o->letter)
    (void)fprintf(out, "Fl %c , ", o->letter);
  (void)fprintf(out, "Fl -%s", o->name);
  if (o->value)
    (void)fprintf(out, " Ns = Ns Ar %s", o->value);
  else if (o->kind == CLI_HELP)
    (void)fprintf(out, " Ns Op = Ns %s", o->choices);
  if (o->alias)
    (void)fprintf(out, " , Fl -%s Ns = Ns Ar %s", o->alias, o->value);
  (void)fputc('\n', out);

  print_mdoc_text(out, o->help, true);
  (void)fputs(".\n", out);
  if (o->value && o->choices)
    (void)fprintf(out, ".Ar %s\nis one of %s.\n", o->value, o->choices);
  if (o->man) {
    print_mdoc_text(out, o->man, false);
    (void)fputc('\n', out);
  }
}

void tarn_cli_print_man(FILE *out, enum cli_command command)
{
  const struct cli_option *o;
  size_t i;
  int g;

  for (g = 0; g < CLI_GROUPS; g++) {
    if (is_empty(command, g))
      continue;
    (void)fprintf(out, ".Ss %s\n.Bl -tag -width Ds\n",
                  tarn_cli_option_group((enum cli_option_group)g));
    for (i = 0; (o = next_row(&i, command, g)) != NULL;)
      print_mdoc_item(out, o);
    (void)fputs(".El\n", out);
  }
}

/* ---- docs/command-line.md ---- */

static void print_markdown_row(FILE *out, const struct cli_option *o)
{
  (void)fputs("| `", out);
  if (o->letter)
    (void)fprintf(out, "-%c, ", o->letter);
  (void)fprintf(out, "--%s", o->name);
  if (o->alias)
    (void)fprintf(out, ", --%s", o->alias);
  if (o->value)
    (void)fprintf(out, "=%s", o->value);
  (void)fprintf(out, "` | %s", o->help);
  if (o->value && o->choices)
    (void)fprintf(out, ": %s", o->choices);
  (void)fputs(" |\n", out);
}

void tarn_cli_print_markdown(FILE *out, enum cli_command command)
{
  const struct cli_option *o;
  bool first = true;
  size_t i;
  int g;

  for (g = 0; g < CLI_GROUPS; g++) {
    if (is_empty(command, g))
      continue;
    (void)fprintf(out, "%s### %s\n\n| option | what it does |\n|---|---|\n",
                  first ? "" : "\n",
                  tarn_cli_option_group((enum cli_option_group)g));
    first = false;
    for (i = 0; (o = next_row(&i, command, g)) != NULL;)
      print_markdown_row(out, o);
  }
}

void tarn_cli_print_names(FILE *out, enum cli_command command)
{
  const struct cli_option *o;
  size_t i;

  for (i = 0; (o = tarn_cli_option_at(i)) != NULL; i++) {
    if (!(o->commands & command))
      continue;
    (void)fprintf(out, "%s\n", o->name);
    if (o->alias)
      (void)fprintf(out, "%s\n", o->alias);
  }
}
