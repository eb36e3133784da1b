/* Completion scripts for bash, zsh and fish, from the option table. */
#include "cli/options.h"

#include <string.h>

#include "cli/commands.h"

static bool wants_path(const struct cli_option *o)
{
  return o->value && strcmp(o->value, "FILE") == 0;
}

static bool wants_directory(const struct cli_option *o)
{
  return o->value && strcmp(o->value, "DIR") == 0;
}

/* A list with commas, as words. */
static void print_words(FILE *out, const char *choices)
{
  for (; *choices; choices++)
    (void)fputc(*choices == ',' ? ' ' : *choices, out);
}

/* ---- bash ---- */

static void print_bash_name(FILE *out, const struct cli_option *o,
                            const char *name)
{
  (void)fprintf(out, " --%s%s", name, o->value ? "=" : "");
}

/* "--name|--alias|-x)" */
static void print_bash_case(FILE *out, const struct cli_option *o)
{
  (void)fprintf(out, "    --%s", o->name);
  if (o->alias)
    (void)fprintf(out, "|--%s", o->alias);
  if (o->letter)
    (void)fprintf(out, "|-%c", o->letter);
  (void)fputs(") COMPREPLY=($(compgen ", out);
}

static void print_bash_values(FILE *out, const struct cli_option *o)
{
  if (!o->value)
    return;
  print_bash_case(out, o);
  if (o->choices) {
    (void)fputs("-W '", out);
    print_words(out, o->choices);
    (void)fputs("'", out);
  } else if (wants_directory(o)) {
    (void)fputs("-d", out);
  } else if (wants_path(o)) {
    (void)fputs("-f", out);
  } else {
    (void)fputs("-W ''", out);
  }
  (void)fputs(" -- \"$cur\")); return ;;\n", out);
}

static void print_bash_command(FILE *out, const struct cli_command_row *row)
{
  const struct cli_option *o;
  size_t i;

  (void)fprintf(out, "_tarn_%s() {\n  case $opt in\n", row->name);
  for (i = 0; (o = tarn_cli_option_at(i)) != NULL; i++)
    if (o->commands & row->command)
      print_bash_values(out, o);
  (void)fputs("  esac\n", out);
  if (row->takes_files)
    (void)fputs("  if [[ $cur != -* ]]; then\n"
                "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                "    return\n"
                "  fi\n",
                out);
  else
    (void)fputs("  [[ $cur == -* ]] || return\n", out);
  (void)fputs("  COMPREPLY=($(compgen -W '", out);
  for (i = 0; (o = tarn_cli_option_at(i)) != NULL; i++) {
    if (!(o->commands & row->command))
      continue;
    if (o->letter)
      (void)fprintf(out, " -%c", o->letter);
    print_bash_name(out, o, o->name);
    if (o->alias)
      print_bash_name(out, o, o->alias);
  }
  (void)fputs("' -- \"$cur\"))\n"
              "  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
              "}\n\n",
              out);
}

/* bash splits words at "=": the option may be one or two words back. */
static void print_bash(FILE *out)
{
  const struct cli_command_row *row;
  size_t i;

  (void)fputs("# bash completion for tarn\n\n", out);
  for (i = 0; (row = tarn_cli_command_at(i)) != NULL; i++)
    print_bash_command(out, row);
  (void)fputs("_tarn() {\n"
              "  local cur=${COMP_WORDS[COMP_CWORD]} opt=\n"
              "  COMPREPLY=()\n"
              "  if ((COMP_CWORD == 1)); then\n"
              "    COMPREPLY=($(compgen -W '",
              out);
  for (i = 0; (row = tarn_cli_command_at(i)) != NULL; i++)
    (void)fprintf(out, "%s ", row->name);
  (void)fputs("--help --version' -- \"$cur\"))\n"
              "    return\n"
              "  fi\n"
              "  opt=${COMP_WORDS[COMP_CWORD - 1]}\n"
              "  if [[ $cur == = ]]; then\n"
              "    cur=\n"
              "  elif [[ $opt == = ]]; then\n"
              "    opt=${COMP_WORDS[COMP_CWORD - 2]}\n"
              "  fi\n"
              "  case ${COMP_WORDS[1]} in\n",
              out);
  for (i = 0; (row = tarn_cli_command_at(i)) != NULL; i++)
    (void)fprintf(out, "    %s) _tarn_%s ;;\n", row->name, row->name);
  (void)fputs("  esac\n}\ncomplete -F _tarn tarn\n", out);
}

/* ---- zsh ---- */

/* In an _arguments spec within single quotes. */
static void print_zsh_text(FILE *out, const char *s)
{
  for (; *s; s++) {
    if (*s == '\'')
      (void)fputs("'\\''", out);
    else if (strchr("[]:\\", *s))
      (void)fprintf(out, "\\%c", *s);
    else
      (void)fputc(*s, out);
  }
}

static void print_zsh_action(FILE *out, const struct cli_option *o)
{
  if (!o->value)
    return;
  (void)fputc(':', out);
  print_zsh_text(out, o->value);
  (void)fputc(':', out);
  if (o->choices) {
    (void)fputc('(', out);
    print_words(out, o->choices);
    (void)fputc(')', out);
  } else if (wants_directory(o)) {
    (void)fputs("_files -/", out);
  } else if (wants_path(o)) {
    (void)fputs("_files", out);
  }
}

static void print_zsh_spec(FILE *out, const struct cli_option *o,
                           const char *dashes, const char *name,
                           const char *suffix)
{
  (void)fprintf(out, "    '%s%s%s%s[", o->kind == CLI_LIST ? "*" : "", dashes,
                name, suffix);
  print_zsh_text(out, o->help);
  (void)fputc(']', out);
  print_zsh_action(out, o);
  (void)fputs("' \\\n", out);
}

static void print_zsh_option(FILE *out, const struct cli_option *o)
{
  const char letter[2] = {o->letter, '\0'};

  if (o->letter)
    print_zsh_spec(out, o, "-", letter, o->value ? "+" : "");
  print_zsh_spec(out, o, "--", o->name, o->value ? "=" : "");
  if (o->alias)
    print_zsh_spec(out, o, "--", o->alias, o->value ? "=" : "");
}

static void print_zsh(FILE *out)
{
  const struct cli_command_row *row;
  const struct cli_option *o;
  size_t i, k;

  (void)fputs("#compdef tarn\n\n", out);
  for (i = 0; (row = tarn_cli_command_at(i)) != NULL; i++) {
    (void)fprintf(out, "_tarn_%s() {\n  _arguments -S \\\n", row->name);
    for (k = 0; (o = tarn_cli_option_at(k)) != NULL; k++)
      if (o->commands & row->command)
        print_zsh_option(out, o);
    (void)fprintf(out, "    '*:%s:%s'\n}\n\n", row->takes_urls ? "URL" : "FILE",
                  row->takes_files ? "_files" : "_urls");
  }
  (void)fputs("_tarn() {\n"
              "  local -a commands=(",
              out);
  for (i = 0; (row = tarn_cli_command_at(i)) != NULL; i++)
    (void)fprintf(out, "'%s:%s' ", row->name, row->summary);
  (void)fputs("'--help:print help' '--version:print versions')\n"
              "  if ((CURRENT == 2)); then\n"
              "    _describe command commands\n"
              "    return\n"
              "  fi\n"
              "  shift words\n"
              "  ((CURRENT--))\n"
              "  case $words[1] in\n",
              out);
  for (i = 0; (row = tarn_cli_command_at(i)) != NULL; i++)
    (void)fprintf(out, "    %s) _tarn_%s ;;\n", row->name, row->name);
  (void)fputs("  esac\n}\n\n_tarn \"$@\"\n", out);
}

/* ---- fish ---- */

static void print_fish_text(FILE *out, const char *s)
{
  for (; *s; s++) {
    if (*s == '\'' || *s == '\\')
      (void)fputc('\\', out);
    (void)fputc(*s, out);
  }
}

static void print_fish_line(FILE *out, const struct cli_command_row *row,
                            const struct cli_option *o, const char *name,
                            char letter)
{
  (void)fprintf(out, "complete -c tarn -n '__fish_seen_subcommand_from %s'",
                row->name);
  if (letter)
    (void)fprintf(out, " -s %c", letter);
  (void)fprintf(out, " -l %s -d '", name);
  print_fish_text(out, o->help);
  (void)fputc('\'', out);
  if (o->choices && o->value) {
    (void)fputs(" -x -a '", out);
    print_words(out, o->choices);
    (void)fputc('\'', out);
  } else if (wants_directory(o)) {
    (void)fputs(" -x -a '(__fish_complete_directories)'", out);
  } else if (wants_path(o)) {
    (void)fputs(" -r -F", out);
  } else if (o->value) {
    (void)fputs(" -x", out);
  }
  (void)fputc('\n', out);
}

static void print_fish(FILE *out)
{
  const struct cli_command_row *row;
  const struct cli_option *o;
  size_t i, k;

  (void)fputs("# fish completion for tarn\n"
              "complete -c tarn -f\n"
              "complete -c tarn -n __fish_use_subcommand -l version "
              "-d 'print versions'\n",
              out);
  for (i = 0; (row = tarn_cli_command_at(i)) != NULL; i++) {
    (void)fprintf(out,
                  "complete -c tarn -n __fish_use_subcommand -a %s -d '%s'\n",
                  row->name, row->summary);
    if (row->takes_files)
      (void)fprintf(out,
                    "complete -c tarn -n '__fish_seen_subcommand_from %s' -F\n",
                    row->name);
    for (k = 0; (o = tarn_cli_option_at(k)) != NULL; k++) {
      if (!(o->commands & row->command))
        continue;
      print_fish_line(out, row, o, o->name, o->letter);
      if (o->alias)
        print_fish_line(out, row, o, o->alias, 0);
    }
  }
}

int tarn_cli_print_completion(FILE *out, const char *shell)
{
  if (strcmp(shell, "bash") == 0)
    print_bash(out);
  else if (strcmp(shell, "zsh") == 0)
    print_zsh(out);
  else if (strcmp(shell, "fish") == 0)
    print_fish(out);
  else
    return -1;
  return 0;
}
