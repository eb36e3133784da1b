# No loose ends and no path of one person's machine in what people read. The
# brackets keep the patterns from finding themselves.
. "$(dirname "$0")/common.sh"
files=$(text_files)
checked "$(printf '%s\n' "$files" | wc -l)"
found_lines "$(grep -nIE '(^|[^A-Za-z])(TO[D]O|FIXM[E]|XX[X]|HAC[K])([^A-Za-z]|$)' \
  $files || true)"
found_lines "$(grep -nIE \
  '(^|[^A-Za-z0-9_.}$-])/(hom[e]|wor[k]|User[s]|roo[t])/[A-Za-z0-9]' \
  $files || true)"
finish
