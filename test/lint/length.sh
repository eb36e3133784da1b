# A file over 600 lines is two files.
. "$(dirname "$0")/common.sh"
n=0
for file in $(text_files); do
  lines=$(wc -l < "$file")
  n=$((n + 1))
  [ "$lines" -le 600 ] || found "$file: $lines lines, 600 are allowed"
done
checked "$n"
finish
