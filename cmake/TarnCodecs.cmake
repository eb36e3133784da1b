# Which codec and digest files are in the build, and the table that lists them.
set(TARN_CODEC_LIBS PkgConfig::LZ4 PkgConfig::ZLIB)
set(TARN_CODEC_EXCEPT)
set(TARN_CODEC_MISSING)
set(TARN_CODEC_CASES)
set(TARN_CODEC_LIBRARIES)
set(TARN_LOOP_EXCEPT)
set(TARN_SSL_LIBS)

# tarn_codec(KIND file NAME library present): file.c exports tarn_codec_<file>
# and tarn_<file>_version, declared in formats.h; a codec that is not present
# is a name without functions.
macro(tarn_codec kind file codec_name library present)
  if(${present})
    string(APPEND TARN_CODEC_CASES
      "  case TARN_COMPRESSION_${kind}:\n    return &tarn_codec_${file};\n")
    string(APPEND TARN_CODEC_LIBRARIES
      "    {\"${codec_name}\", \"${library}\", tarn_${file}_version},\n")
  else()
    list(APPEND TARN_CODEC_EXCEPT ${file}.c)
    string(APPEND TARN_CODEC_MISSING
      "static const struct tarn_codec missing_${file} = "
      "{.name = \"${codec_name}\"};\n")
    string(APPEND TARN_CODEC_CASES
      "  case TARN_COMPRESSION_${kind}:\n    return &missing_${file};\n")
    string(APPEND TARN_CODEC_LIBRARIES "    {\"${codec_name}\", \"${library}\", NULL},\n")
  endif()
endmacro()

tarn_codec(NONE plain none tarn TRUE)
tarn_codec(GZIP gzip gzip zlib TRUE)
tarn_codec(LZ4 lz4 lz4 liblz4 TRUE)
if(ZSTD_FOUND)
  tarn_codec(ZSTD zstd zstd libzstd TRUE)
  list(APPEND TARN_CODEC_LIBS PkgConfig::ZSTD)
else()
  tarn_codec(ZSTD zstd zstd libzstd FALSE)
endif()
if(LZMA_FOUND)
  tarn_codec(XZ xz xz liblzma TRUE)
  list(APPEND TARN_CODEC_LIBS PkgConfig::LZMA)
else()
  tarn_codec(XZ xz xz liblzma FALSE)
endif()
if(BZIP2_FOUND OR BZip2_FOUND)
  tarn_codec(BZIP2 bzip2 bzip2 libbz2 TRUE)
  list(APPEND TARN_CODEC_LIBS BZip2::BZip2)
else()
  tarn_codec(BZIP2 bzip2 bzip2 libbz2 FALSE)
endif()

# Digests: SHA by libcrypto, the fingerprint by libxxhash, each with a file
# that says "not in this build" in its place.
if(CRYPTO_FOUND)
  list(APPEND TARN_CODEC_LIBS PkgConfig::CRYPTO)
  list(APPEND TARN_CODEC_EXCEPT sha_none.c)
else()
  list(APPEND TARN_CODEC_EXCEPT sha_evp.c)
endif()
if(XXHASH_FOUND)
  list(APPEND TARN_CODEC_LIBS PkgConfig::XXHASH)
  list(APPEND TARN_CODEC_EXCEPT print_zlib.c)
else()
  list(APPEND TARN_CODEC_EXCEPT print_xxh3.c)
endif()

# The CRC of FA1 archives, in the same way.
if(LZMA_FOUND)
  list(APPEND TARN_CODEC_EXCEPT crc64_none.c)
else()
  list(APPEND TARN_CODEC_EXCEPT crc64_lzma.c)
endif()

# Trusted certificates: loaded once on a worker where libssl is there, left to
# libcurl elsewhere.
if(SSL_FOUND AND CRYPTO_FOUND)
  list(APPEND TARN_SSL_LIBS PkgConfig::SSL PkgConfig::CRYPTO)
  list(APPEND TARN_LOOP_EXCEPT ca_store_none.c)
else()
  list(APPEND TARN_LOOP_EXCEPT ca_store_openssl.c)
endif()

configure_file("${PROJECT_SOURCE_DIR}/src/codec/table.c.in"
  "${PROJECT_BINARY_DIR}/codec_table.c" @ONLY)
set(TARN_CODEC_EXTRA "${PROJECT_BINARY_DIR}/codec_table.c")
