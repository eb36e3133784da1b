#include "cli/options.h"

#include <ctype.h>
#include <string.h>

/* Help texts begin in this column; a longer option pushes its own away. */
#define HELP_COLUMN    28
#define CHOICES_COLUMN 26
#define MDOC_COLUMNS   60

static bool in_list(const struct cli_option *o, enum cli_command command,
                    enum cli_option_group group)
{
  return (o->commands & command) && o->group == group;
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
  bool headed;
  size_t i;
  int g;

  for (g = 0; g < CLI_GROUPS; g++) {
    headed = !all; /* the dozen needs no headings */
    for (i = 0; i < tarn_cli_option_count; i++) {
      o = &tarn_cli_options[i];
      if (!in_list(o, command, (enum cli_option_group)g))
        continue;
      if (!all && !o->usual)
        continue;
      if (!headed)
        (void)fprintf(out, "%s%s:\n", g ? "\n" : "",
                      tarn_cli_option_group((enum cli_option_group)g));
      headed = true;
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
  size_t i;
  int g;

  for (g = 0; g < CLI_GROUPS; g++) {
    (void)fprintf(out, ".Ss %s\n.Bl -tag -width Ds\n",
                  tarn_cli_option_group((enum cli_option_group)g));
    for (i = 0; i < tarn_cli_option_count; i++)
      if (in_list(&tarn_cli_options[i], command, (enum cli_option_group)g))
        print_mdoc_item(out, &tarn_cli_options[i]);
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
  size_t i;
  int g;

  for (g = 0; g < CLI_GROUPS; g++) {
    (void)fprintf(out, "%s### %s\n\n| option | what it does |\n|---|---|\n",
                  g ? "\n" : "",
                  tarn_cli_option_group((enum cli_option_group)g));
    for (i = 0; i < tarn_cli_option_count; i++)
      if (in_list(&tarn_cli_options[i], command, (enum cli_option_group)g))
        print_markdown_row(out, &tarn_cli_options[i]);
  }
}

void tarn_cli_print_names(FILE *out, enum cli_command command)
{
  const struct cli_option *o;
  size_t i;

  for (i = 0; i < tarn_cli_option_count; i++) {
    o = &tarn_cli_options[i];
    if (!(o->commands & command))
      continue;
    (void)fprintf(out, "%s\n", o->name);
    if (o->alias)
      (void)fprintf(out, "%s\n", o->alias);
  }
}
