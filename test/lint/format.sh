# clang-format decides the layout; the version matters, so other ones skip.
. "$(dirname "$0")/common.sh"
case $CLANG_FORMAT in
  ''|*-NOTFOUND) skip "clang-format is not installed" ;;
esac
"$CLANG_FORMAT" --version | grep -q 'version 14\.' ||
  skip "$CLANG_FORMAT is not version 14"
files=$(c_files src include test docs/examples | grep -v '\.in$')
checked "$(printf '%s\n' "$files" | wc -l)"
for file in $files; do
  "$CLANG_FORMAT" --dry-run -Werror "$file" > /dev/null 2>&1 ||
    found "$file: run $CLANG_FORMAT -i on it"
done
finish
