# tarn_test(NAME LABEL layer... [WRAP_MALLOC]): one program from NAME.c in the
# current directory, with cmocka, run by ctest in its own process with a time
# limit. LABEL is unit, flow or job.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
set(TARN_TEST_LAUNCHER "" CACHE STRING
  "Command and options each C test is started with, for example valgrind")

function(tarn_test name label)
  cmake_parse_arguments(T "" "" "LIBS;SOURCES" ${ARGN})
  add_executable(${name} ${name}.c ${T_SOURCES})
  target_compile_definitions(${name} PRIVATE
    TARN_TEST_DATA="${PROJECT_SOURCE_DIR}/test/data"
    TARN_TEST_SUPPORT="${PROJECT_SOURCE_DIR}/test/support")
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/test/support")
  target_link_libraries(${name} PRIVATE ${T_LIBS} tarn_warnings
    PkgConfig::CMOCKA)
  add_test(NAME ${name} COMMAND ${TARN_TEST_LAUNCHER} $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES LABELS "${label};quick" TIMEOUT 300)
endfunction()
