# Nothing but tarn_* is visible: not in libtarn.so, whose callers see it, and
# not in libtarn.a, whose symbols would meet those of the program.
. "$(dirname "$0")/common.sh"

# What a sanitizer adds is not part of a release.
ours()
{
  grep -vE '^(__odr_asan.*|__asan_.*|__tsan_.*|__ubsan_.*|__sanitizer_.*|\.?L.*)$' |
    grep -vE '^tarn_' || true
}

# The name of the version is a symbol too; @@VERSION follows every name.
names=$("$NM" -D --defined-only "$TARN_SHARED" | awk '$2 != "A" { print $NF }' |
  sed 's/@.*//')
checked "$(printf '%s\n' "$names" | grep -c '^tarn_' || true)"
found_lines "$(printf '%s\n' "$names" | ours | sed 's/^/libtarn.so exports /')"

names=$("$NM" -g --defined-only "$TARN_STATIC" |
  awk 'NF == 3 { print $3 }' | sort -u)
checked "$(printf '%s\n' "$names" | grep -c '^tarn_' || true)"
found_lines "$(printf '%s\n' "$names" | ours | sed 's/^/libtarn.a defines /')"
finish
