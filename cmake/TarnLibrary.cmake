# libtarn, static and shared: the objects of every layer that was declared
# before this file is included, and src/*.c, the public calls, which see all.
get_property(tarn_layers GLOBAL PROPERTY TARN_LAYERS)
set(tarn_objects)
set(tarn_externals)
foreach(layer ${tarn_layers})
  list(APPEND tarn_objects $<TARGET_OBJECTS:${layer}>)
  get_target_property(libs ${layer} INTERFACE_LINK_LIBRARIES)
  # What is left without the lower layers and the warnings is not ours.
  list(FILTER libs EXCLUDE REGEX "^(tarn_.*|\\$<LINK_ONLY:tarn_.*>)$")
  list(APPEND tarn_externals ${libs})
endforeach()
list(REMOVE_DUPLICATES tarn_externals)

file(GLOB tarn_api_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.c")
if(tarn_api_sources)
  add_library(tarn_api OBJECT ${tarn_api_sources})
  target_link_libraries(tarn_api PRIVATE ${tarn_layers} tarn_warnings)
  list(APPEND tarn_objects $<TARGET_OBJECTS:tarn_api>)
endif()

set(tarn_map "${PROJECT_SOURCE_DIR}/cmake/libtarn.map")
add_library(tarn_static STATIC ${tarn_objects})
add_library(tarn_shared SHARED ${tarn_objects})
add_library(tarn::tarn ALIAS tarn_shared)
add_library(tarn::tarn_static ALIAS tarn_static)
foreach(library tarn_static tarn_shared)
  set_target_properties(${library} PROPERTIES
    OUTPUT_NAME tarn LINKER_LANGUAGE C)
  target_include_directories(${library} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # tarn.h includes uv.h: libuv is the one library a caller sees.
  target_link_libraries(${library} PUBLIC PkgConfig::UV
    PRIVATE ${tarn_externals})
endforeach()
set_target_properties(tarn_static PROPERTIES EXPORT_NAME tarn_static)
set_target_properties(tarn_shared PROPERTIES EXPORT_NAME tarn
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS "${tarn_map}")
target_link_options(tarn_shared PRIVATE "LINKER:--version-script=${tarn_map}")
if(NOT TARN_SANITIZE)
  # The run time of a sanitizer comes with the program.
  target_link_options(tarn_shared PRIVATE LINKER:--no-undefined)
endif()

# ---- what is installed ----
include(CMakePackageConfigHelpers)
install(FILES "${PROJECT_SOURCE_DIR}/include/tarn/tarn.h"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tarn")
# Two export sets: a caller of the shared library needs libuv alone, one of
# the static library needs every library behind it.
install(TARGETS tarn_shared EXPORT tarnShared
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(TARGETS tarn_static EXPORT tarnStatic
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
set(tarn_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tarn")
install(EXPORT tarnShared NAMESPACE tarn:: DESTINATION "${tarn_package_dir}"
  FILE tarnSharedTargets.cmake)
install(EXPORT tarnStatic NAMESPACE tarn:: DESTINATION "${tarn_package_dir}"
  FILE tarnStaticTargets.cmake)

# tarn_external(TARGET): the pkg-config module of an imported target, or its
# linker flag where it has none.
set(tarn_pc_requires)
set(tarn_pc_libs)
set(tarn_config_finds)
function(tarn_external target)
  if(target MATCHES "^PkgConfig::(.*)$")
    set(var ${CMAKE_MATCH_1})
    set(module ${${var}_MODULE_NAME})
    if(NOT var STREQUAL "UV")
      list(APPEND tarn_pc_requires ${module})
      string(APPEND tarn_config_finds
        "  pkg_check_modules(${var} QUIET IMPORTED_TARGET ${module})\n")
    endif()
  elseif(target STREQUAL "Threads::Threads")
    list(APPEND tarn_pc_libs ${CMAKE_THREAD_LIBS_INIT})
    string(APPEND tarn_config_finds "  find_package(Threads QUIET)\n")
  elseif(target STREQUAL "BZip2::BZip2")
    list(APPEND tarn_pc_libs -lbz2)
    string(APPEND tarn_config_finds "  find_package(BZip2 QUIET)\n")
  else()
    message(FATAL_ERROR "cmake/TarnLibrary.cmake does not know how to tell a "
      "caller of the static library about ${target}")
  endif()
  set(tarn_pc_requires "${tarn_pc_requires}" PARENT_SCOPE)
  set(tarn_pc_libs "${tarn_pc_libs}" PARENT_SCOPE)
  set(tarn_config_finds "${tarn_config_finds}" PARENT_SCOPE)
endfunction()
foreach(target ${tarn_externals})
  tarn_external(${target})
endforeach()
list(JOIN tarn_pc_requires ", " tarn_pc_requires)
list(JOIN tarn_pc_libs " " tarn_pc_libs)
list(JOIN tarn_externals " " tarn_config_needs)

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/tarnConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/tarnConfig.cmake" INSTALL_DESTINATION "${tarn_package_dir}"
  NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tarnConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tarnConfig.cmake"
  "${PROJECT_BINARY_DIR}/tarnConfigVersion.cmake"
  DESTINATION "${tarn_package_dir}")

# Absolute install directories stay as they are, others hang off the prefix.
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
    set(tarn_pc_${dir} "${CMAKE_INSTALL_${dir}}")
  else()
    set(tarn_pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(tarn_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  # Found from where the file lies, so that an installed tree can be moved.
  file(RELATIVE_PATH tarn_pc_up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    "/prefix")
  string(REGEX REPLACE "/$" "" tarn_pc_up "${tarn_pc_up}")
  set(tarn_pc_prefix "\${pcfiledir}/${tarn_pc_up}")
endif()
foreach(module tarn tarn-static)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${module}.pc.in"
    "${PROJECT_BINARY_DIR}/${module}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${module}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
