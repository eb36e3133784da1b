# Each header compiles alone, and twice, with every layer in sight.
. "$(dirname "$0")/common.sh"
includes="-Iinclude"
for view in "$TARN_LAYERS"/*; do
  includes="$includes -I$view"
done
n=0
for header in $(find src include -name '*.h' | sort); do
  name=${header#src/}
  name=${name#include/}
  n=$((n + 1))
  printf '#include "%s"\n#include "%s"\n' "$name" "$name" |
    "$CC" -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Wall -Wextra \
      -Wpedantic -Wconversion -Werror $includes $TARN_CFLAGS -fsyntax-only \
      -x c - || found "$header does not compile alone"
done
checked "$n"
finish
