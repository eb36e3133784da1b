#!/bin/sh
# options_everywhere.sh TARN MAN_DIR DOCS_DIR
# Every option is in --help=all, the manual page, the three completions and
# docs/command-line.md; help fits 80 columns; the manual pages are clean.
set -u
tarn=$1 man=$2 docs=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

fail() {
  echo "FAILED: $*"
  bad=1
}

"$tarn" get --help=all >"$dir/help" || fail "--help=all"
"$tarn" --option-names get >"$dir/names" || fail "--option-names"
"$tarn" --markdown-options get >"$dir/markdown" || fail "--markdown-options"
for shell in bash zsh fish; do
  "$tarn" --completion $shell >"$dir/$shell" || fail "--completion $shell"
done

[ "$(wc -l <"$dir/names")" -ge 50 ] || fail "the table has too few names"
[ -z "$(sort "$dir/names" | uniq -d)" ] || fail "a name is there twice"

# Names end at a character that no name has.
end='\([^a-z0-9-]\|$\)'
while read -r name; do
  for file in help bash zsh; do
    grep -q -e "--$name$end" "$dir/$file" || fail "--$name is not in $file"
  done
  grep -q -e "-l $name$end" "$dir/fish" || fail "--$name is not in fish"
  grep -q -e "Fl -$name$end" "$man/tarn-get.1" ||
    fail "--$name is not in tarn-get.1"
done <"$dir/names"

long=$(awk 'length > 80' "$dir/help")
[ -z "$long" ] || fail "longer than 80 columns: $long"

# The table between the marks is what the program prints.
sed -n '/^<!-- options: begin -->$/,/^<!-- options: end -->$/p' \
  "$docs/command-line.md" | sed '1d;$d' >"$dir/documented"
diff "$dir/documented" "$dir/markdown" ||
  fail "docs/command-line.md differs: put tarn --markdown-options get into it"

if command -v bash >/dev/null; then
  bash -n "$dir/bash" || fail "the bash completion is no bash"
  got=$(bash -c '. "$1"
    COMP_WORDS=(tarn get --compre) COMP_CWORD=2
    compopt() { :; }
    _tarn
    echo "${COMPREPLY[*]}"
    COMP_WORDS=(tarn get --compression = z) COMP_CWORD=4
    _tarn
    echo "${COMPREPLY[*]}"' sh "$dir/bash" | tr '\n' ' ')
  [ "$got" = "--compression= zstd " ] || fail "bash completes to: $got"
fi
if command -v zsh >/dev/null; then
  zsh -n "$dir/zsh" || fail "the zsh completion is no zsh"
fi
if command -v fish >/dev/null; then
  fish -n "$dir/fish" || fail "the fish completion is no fish"
fi
if command -v mandoc >/dev/null; then
  for page in tarn.1 tarn-get.1 libtarn.3; do
    # The other pages need not be installed yet.
    said=$(mandoc -T lint "$man/$page" 2>&1 |
      grep -v 'referenced manual not found')
    [ -z "$said" ] || fail "mandoc: $said"
  done
fi
exit $bad
