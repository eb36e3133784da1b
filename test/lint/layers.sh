# A layer cannot include a higher one: the same source must compile with every
# layer in sight and must not with the lower layer's path alone.
. "$(dirname "$0")/common.sh"
all=""
for view in "$TARN_LAYERS"/*; do
  all="$all -I$view"
done

# compiles HEADER path...
compiles()
{
  header=$1
  shift
  printf '#include "%s"\n' "$header" | "$CC" -std=c11 -D_GNU_SOURCE -Iinclude \
    "$@" $TARN_CFLAGS -fsyntax-only -x c - 2> /dev/null
}

# visible HEADER path...: found at all, whatever it includes itself.
visible()
{
  header=$1
  shift
  printf '#if !__has_include("%s")\n#error\n#endif\n' "$header" |
    "$CC" -std=c11 -Iinclude "$@" -fsyntax-only -x c - 2> /dev/null
}

# refused LOWER HEADER
refused()
{
  compiles "$2" $all || found "$2 does not compile with all layers in sight"
  visible "$2" $all || found "$2 is not seen with all layers in sight"
  if compiles "$2" "-I$TARN_LAYERS/$1" || visible "$2" "-I$TARN_LAYERS/$1"
  then
    found "layer $1 can include $2"
  fi
}

refused base stage/stage.h
refused base loop/work.h
refused codec os/beneath.h
refused archive codec/codec.h
refused http loop/xfer.h
refused os stage/stage.h
refused loop stage/stage.h
refused cli base/err.h

# What CMake hands to the compiler: no layer sees a layer that sees it.
commands=$(dirname "$TARN_LAYERS")/compile_commands.json
seen=$(tr ' ' '\n' < "$commands" | sed -n "s|^-I$TARN_LAYERS/||p" | sort -u)
[ -n "$seen" ] || found "no layer path in $commands"
sees()
{
  grep '"command"' "$commands" | grep -F "/src/$1/" |
    grep -qF -- "$TARN_LAYERS/$2 "
}
for pair in base:codec base:stage codec:archive archive:codec http:loop \
  os:loop loop:os loop:stage stage:job cli:base cli:job; do
  if sees "${pair%:*}" "${pair#*:}"; then
    found "CMake shows layer ${pair#*:} to layer ${pair%:*}"
  fi
done
sees stage base || found "CMake does not show layer base to layer stage"
finish
