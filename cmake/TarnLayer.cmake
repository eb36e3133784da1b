# tarn_layer(NAME USES lower... LIBS external... EXCEPT file... EXTRA file...)
#
# One directory src/NAME is one static library tarn_NAME. Its headers are
# included as "NAME/file.h" through a link in the build tree, and a layer sees
# the links of itself and of the layers it uses only: an upward #include does
# not compile. EXCEPT removes files whose optional library is missing; EXTRA
# adds generated ones.
function(tarn_layer name)
  cmake_parse_arguments(L "" "" "USES;LIBS;EXCEPT;EXTRA" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.c")
  foreach(file ${L_EXCEPT})
    list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/src/${name}/${file}")
  endforeach()

  set(view "${PROJECT_BINARY_DIR}/layers/${name}")
  file(MAKE_DIRECTORY "${view}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/src/${name}" "${view}/${name}"
    SYMBOLIC)

  add_library(tarn_${name} STATIC ${sources} ${L_EXTRA})
  target_include_directories(tarn_${name} PUBLIC "${view}")
  target_link_libraries(tarn_${name} PRIVATE tarn_warnings)
  foreach(lower ${L_USES})
    target_link_libraries(tarn_${name} PUBLIC tarn_${lower})
  endforeach()
  target_link_libraries(tarn_${name} PUBLIC ${L_LIBS})
  set_property(GLOBAL APPEND PROPERTY TARN_LAYERS tarn_${name})
endfunction()
