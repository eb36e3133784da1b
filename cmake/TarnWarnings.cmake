# The fixed list of warnings. TARN_WERROR (set by every preset) makes them
# errors; a plain build by a packager does not stop on a newer compiler's.
option(TARN_WERROR "Treat warnings as errors" OFF)
set(TARN_SANITIZE "" CACHE STRING "Sanitizers, for example address,undefined")

add_library(tarn_warnings INTERFACE)
target_compile_options(tarn_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wstrict-prototypes
  -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings
  -Wundef -Wformat=2 -Wimplicit-fallthrough
  $<$<BOOL:${TARN_WERROR}>:-Werror>)

if(TARN_SANITIZE)
  add_compile_options(-fsanitize=${TARN_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TARN_SANITIZE})
endif()
