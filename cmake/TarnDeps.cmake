# The libraries: four are required, the others add one source file each.
# TARN_MINIMAL builds with the required ones alone.
option(TARN_MINIMAL "Use only the four required libraries" OFF)

if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR "tarn needs Linux (5.6 or newer for openat2; older ones "
    "use a slower walk). This is ${CMAKE_SYSTEM_NAME}.")
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|aarch64|arm64)$")
  message(FATAL_ERROR "tarn is built and tested on x86-64 and arm64. This is "
    "${CMAKE_SYSTEM_PROCESSOR}.")
endif()

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl>=7.87)
pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv>=1.42)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4>=1.9)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)

# tarn_optional(VAR module...): VAR_FOUND and PkgConfig::VAR when present.
macro(tarn_optional var)
  if(NOT TARN_MINIMAL)
    pkg_check_modules(${var} IMPORTED_TARGET ${ARGN})
  endif()
endmacro()
tarn_optional(ZSTD libzstd)
tarn_optional(LZMA liblzma)
tarn_optional(XXHASH libxxhash)
tarn_optional(CRYPTO libcrypto>=1.1.1)
tarn_optional(SSL libssl>=1.1.1)
if(NOT TARN_MINIMAL)
  # bzip2 brings no pkg-config file on Debian 12.
  find_package(BZip2)
endif()
