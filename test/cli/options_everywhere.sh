#!/bin/sh
# options_everywhere.sh TARN MAN_DIR DOCS_DIR
# Every option of every command is in --help=all, the manual page, the three
# completions and docs/command-line.md; help fits 80 columns; the manual pages
# are clean.
set -u
tarn=$1 man=$2 docs=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

fail() {
  echo "FAILED: $*"
  bad=1
}

for shell in bash zsh fish; do
  "$tarn" --completion $shell >"$dir/$shell" || fail "--completion $shell"
done

# Names end at a character that no name has.
end='\([^a-z0-9-]\|$\)'

# everywhere COMMAND LEAST: its options, at least that many, are everywhere.
everywhere() {
  "$tarn" "$1" --help=all >"$dir/help" || fail "$1 --help=all"
  "$tarn" --option-names "$1" >"$dir/names" || fail "--option-names $1"
  "$tarn" --markdown-options "$1" >"$dir/markdown" ||
    fail "--markdown-options $1"
  sed -n "/^_tarn_$1() {/,/^}/p" "$dir/bash" >"$dir/bash-part"
  sed -n "/^_tarn_$1() {/,/^}/p" "$dir/zsh" >"$dir/zsh-part"
  grep "__fish_seen_subcommand_from $1'" "$dir/fish" >"$dir/fish-part"

  [ "$(wc -l <"$dir/names")" -ge "$2" ] || fail "$1: too few names"
  [ -z "$(sort "$dir/names" | uniq -d)" ] || fail "$1: a name is there twice"
  while read -r name; do
    for file in help bash-part zsh-part; do
      grep -q -e "--$name$end" "$dir/$file" || fail "$1: --$name: not in $file"
    done
    grep -q -e "-l $name$end" "$dir/fish-part" ||
      fail "$1: --$name: not in fish"
    grep -q -e "Fl -$name$end" "$man/tarn-$1.1" ||
      fail "--$name is not in tarn-$1.1"
  done <"$dir/names"

  long=$(awk 'length > 80' "$dir/help")
  [ -z "$long" ] || fail "$1: longer than 80 columns: $long"

  # The table between the marks is what the program prints.
  sed -n "/^<!-- options $1: begin -->\$/,/^<!-- options $1: end -->\$/p" \
    "$docs/command-line.md" | sed '1d;$d' >"$dir/documented"
  diff "$dir/documented" "$dir/markdown" ||
    fail "docs/command-line.md: put tarn --markdown-options $1 into it"
}

everywhere get 50
everywhere extract 40
everywhere list 45

if command -v bash >/dev/null; then
  bash -n "$dir/bash" || fail "the bash completion is no bash"
  : >"$dir/tree.tar"
  got=$(bash -c '. "$1"
    cd "$2" || exit
    compopt() { :; }
    complete_words() {
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
      _tarn
      echo "${COMPREPLY[*]}"
    }
    complete_words tarn get --compre
    complete_words tarn get --compression = z
    complete_words tarn ext
    complete_words tarn extract --dry
    complete_words tarn extract tre
    complete_words tarn list --full
    complete_words tarn list --dry' sh "$dir/bash" "$dir" | tr '\n' ' ')
  [ "$got" = "--compression= zstd extract --dry-run tree.tar --full-time  " ] ||
    fail "bash completes to: $got"
fi
if command -v zsh >/dev/null; then
  zsh -n "$dir/zsh" || fail "the zsh completion is no zsh"
fi
if command -v fish >/dev/null; then
  fish -n "$dir/fish" || fail "the fish completion is no fish"
fi
if command -v mandoc >/dev/null; then
  for page in tarn.1 tarn-get.1 tarn-extract.1 tarn-list.1 libtarn.3; do
    # The other pages need not be installed yet.
    said=$(mandoc -T lint "$man/$page" 2>&1 |
      grep -v 'referenced manual not found\|outdated mandoc.db lacks')
    [ -z "$said" ] || fail "mandoc: $said"
  done
fi
exit $bad
