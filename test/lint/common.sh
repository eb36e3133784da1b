# Shared by the checks; each sources this file first.
#
# TARN_SOURCE is the source tree, the other variables are in CMakeLists.txt.
# A check collects what it finds with `found` and ends with `finish`.
set -eu
: "${TARN_SOURCE:?run by ctest -L lint}"
cd "$TARN_SOURCE"
n_found=0

# found TEXT: one violation.
found()
{
  printf '%s\n' "$1"
  n_found=$((n_found + 1))
}

# found_lines TEXT: each line of TEXT is a violation; none when it is empty.
found_lines()
{
  if [ -n "$1" ]; then
    printf '%s\n' "$1"
    n_found=$((n_found + $(printf '%s\n' "$1" | wc -l)))
  fi
}

# checked NUMBER: a check that looked at nothing has failed.
checked()
{
  if [ "$1" -eq 0 ]; then
    echo "nothing was checked"
    exit 1
  fi
  printf '%s checked\n' "$1"
}

finish()
{
  [ "$n_found" -eq 0 ] || { printf '%s found\n' "$n_found"; exit 1; }
  exit 0
}

# skip TEXT: seen by ctest as "Skipped".
skip()
{
  printf 'skipped: %s\n' "$1"
  exit 77
}

# Existing ones of the given directories and files.
present()
{
  for path in "$@"; do
    [ ! -e "$path" ] || printf '%s\n' "$path"
  done
}

# c_files DIR...: sources and headers.
c_files()
{
  find $(present "$@") -type f \( -name '*.c' -o -name '*.h' -o \
    -name '*.c.in' \) | sort
}

# text_files: all that people wrote, without data and generated files.
text_files()
{
  find $(present src include test docs cmake .ci CMakeLists.txt \
    CMakePresets.json README.md NOTICE .clang-format .gitignore) -type f \
    ! -path 'test/data/*' ! -path 'test/fuzz/corpus/*' \
    ! -path '*/__pycache__/*' | sort
}
