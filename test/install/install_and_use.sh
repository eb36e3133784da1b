# Installs the build into a directory, moves it away from where it was put, and
# builds and runs test/install/consumer against it in four ways.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/tarn-install.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
# A caller of a library with a sanitizer needs the same sanitizer.
flags=${TARN_SANITIZE:+-fsanitize=$TARN_SANITIZE}

"$CMAKE" --install "$TARN_BUILD" --prefix "$dir/first" > "$dir/log" || {
  cat "$dir/log"
  exit 1
}
mv "$dir/first" "$dir/prefix"
lib=$dir/prefix/$TARN_LIBDIR

for file in bin/tarn include/tarn/tarn.h share/man/man1/tarn.1 \
  share/man/man1/tarn-get.1 share/man/man1/tarn-extract.1 \
  share/man/man1/tarn-list.1 "$TARN_LIBDIR/libtarn.a" "$TARN_LIBDIR/libtarn.so"
do
  [ -s "$dir/prefix/$file" ] || { echo "$file is not installed"; exit 1; }
done
if grep -rlF -e "$TARN_BUILD/" -e "$dir/first" "$lib/cmake" "$lib/pkgconfig"; then
  echo "these files name the place they were built or first put"
  exit 1
fi
"$dir/prefix/bin/tarn" --version

# runs NAME PROGRAM: with no help to find the static form's library.
runs()
{
  printf '%s: ' "$1"
  "$2" "$TARN_VERSION" || { echo "exit $?"; exit 1; }
}

# needs PROGRAM: prints a line when it loads libtarn.so.
needs()
{
  LD_LIBRARY_PATH=$lib ldd "$1" | grep libtarn.so || true
}

"$CMAKE" -S "$here/consumer" -B "$dir/cmake" -G "$GENERATOR" \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$flags" \
  -DCMAKE_PREFIX_PATH="$dir/prefix" > "$dir/log" &&
  "$CMAKE" --build "$dir/cmake" >> "$dir/log" || { cat "$dir/log"; exit 1; }
runs "find_package, shared" "$dir/cmake/use_tarn"
runs "find_package, static" "$dir/cmake/use_tarn_static"

export PKG_CONFIG_PATH="$lib/pkgconfig"
# The words of pkg-config are options, split on purpose.
"$CC" $flags "$here/consumer/use.c" -o "$dir/use_shared" \
  $(pkg-config --cflags --libs tarn)
"$CC" $flags "$here/consumer/use.c" -o "$dir/use_static" \
  $(pkg-config --cflags --libs tarn-static)
(export LD_LIBRARY_PATH="$lib"; runs "pkg-config, shared" "$dir/use_shared")
runs "pkg-config, static" "$dir/use_static"

for form in "$dir/cmake/use_tarn" "$dir/use_shared"; do
  [ -n "$(needs "$form")" ] || { echo "$form is not shared"; exit 1; }
done
for form in "$dir/cmake/use_tarn_static" "$dir/use_static"; do
  [ -z "$(needs "$form")" ] || { echo "$form is not static"; exit 1; }
done
[ "$(pkg-config --modversion tarn)" = "$TARN_VERSION" ]
