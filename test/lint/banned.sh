# Calls that hide a length, an error or a size of the stack.
. "$(dirname "$0")/common.sh"
names='strcpy|strcat|stpcpy|sprintf|vsprintf|strtok|atoi|atol|atoll|atof'
names="$names|alloca|gets|mktemp|tmpnam"
files=$(c_files src include)
checked "$(printf '%s\n' "$files" | wc -l)"
# Comments may name them: only a call with its bracket counts.
found_lines "$(grep -nE "(^|[^A-Za-z0-9_])($names)[[:space:]]*\(" $files ||
  true)"
finish
