# tarn.h serves C++ callers, and C callers without GNU extensions.
. "$(dirname "$0")/common.sh"
echo '#include <tarn/tarn.h>' | "$CC" -std=c11 -pedantic-errors -Wall -Werror \
  -D_POSIX_C_SOURCE=200809L -Iinclude $TARN_CFLAGS -fsyntax-only -x c - ||
  found "include/tarn/tarn.h is not C11 with POSIX alone"
case $CXX in
  ''|*-NOTFOUND) [ "$n_found" -gt 0 ] || skip "no C++ compiler" ;;
  *)
    "$CXX" -std=c++11 -Wall -Wextra -Werror \
      -Wno-missing-field-initializers -Iinclude $TARN_CFLAGS \
      -fsyntax-only -x c++ - <<'END' || found "include/tarn/tarn.h is not C++11"
#include <tarn/tarn.h>
int use();
int use()
{
  tarn_get_options get = TARN_GET_OPTIONS_INIT;
  tarn_options opts = TARN_OPTIONS_INIT;
  return get.connections == 0 && opts.max_work == 0 && TARN_EDATA < 0;
}
END
    ;;
esac
finish
