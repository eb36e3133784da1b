# The program `tarn`: src/cli on the public header alone, its manual pages and
# completions, which are printed by the program from its option table.
tarn_layer(cli LIBS PkgConfig::UV EXCEPT main.c)
target_include_directories(tarn_cli PUBLIC "${PROJECT_SOURCE_DIR}/include")

# libtarn is made of every layer but this one.
get_property(layers GLOBAL PROPERTY TARN_LAYERS)
list(REMOVE_ITEM layers tarn_cli)
set_property(GLOBAL PROPERTY TARN_LAYERS ${layers})

add_executable(tarn "${PROJECT_SOURCE_DIR}/src/cli/main.c")
target_link_libraries(tarn PRIVATE tarn_cli tarn_static tarn_warnings)
install(TARGETS tarn RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# ---- manual pages: NAME.in with the option list put in ----
set(TARN_MAN_DIR "${PROJECT_BINARY_DIR}/man")
file(MAKE_DIRECTORY "${TARN_MAN_DIR}")
set(pages tarn.1 tarn-get.1 tarn-extract.1 tarn-list.1 libtarn.3)
set(made)
foreach(page ${pages})
  add_custom_command(OUTPUT "${TARN_MAN_DIR}/${page}"
    COMMAND "${CMAKE_COMMAND}" "-DTARN=$<TARGET_FILE:tarn>"
      "-DIN=${PROJECT_SOURCE_DIR}/docs/man/${page}.in"
      "-DOUT=${TARN_MAN_DIR}/${page}"
      -P "${PROJECT_SOURCE_DIR}/cmake/TarnManPage.cmake"
    DEPENDS tarn "${PROJECT_SOURCE_DIR}/docs/man/${page}.in"
      "${PROJECT_SOURCE_DIR}/cmake/TarnManPage.cmake"
    VERBATIM)
  list(APPEND made "${TARN_MAN_DIR}/${page}")
  string(REGEX REPLACE "^.*\\." "" section ${page})
  install(FILES "${TARN_MAN_DIR}/${page}"
    DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
endforeach()

# ---- completions ----
set(TARN_COMPLETION_DIR "${PROJECT_BINARY_DIR}/completion")
file(MAKE_DIRECTORY "${TARN_COMPLETION_DIR}")
# tarn_completion(SHELL FILE DIRECTORY): where each shell looks.
function(tarn_completion shell file directory)
  set(out "${TARN_COMPLETION_DIR}/${shell}/${file}")
  file(MAKE_DIRECTORY "${TARN_COMPLETION_DIR}/${shell}")
  add_custom_command(OUTPUT "${out}"
    COMMAND tarn --completion ${shell} > "${out}"
    DEPENDS tarn)
  set(made ${made} "${out}" PARENT_SCOPE)
  install(FILES "${out}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${directory}")
endfunction()
tarn_completion(bash tarn bash-completion/completions)
tarn_completion(zsh _tarn zsh/site-functions)
tarn_completion(fish tarn.fish fish/vendor_completions.d)
add_custom_target(tarn_manual ALL DEPENDS ${made})

if(TARN_TESTS)
  add_test(NAME cli_options_everywhere
    COMMAND sh "${PROJECT_SOURCE_DIR}/test/cli/options_everywhere.sh"
      "$<TARGET_FILE:tarn>" "${TARN_MAN_DIR}" "${PROJECT_SOURCE_DIR}/docs")
  add_test(NAME cli_usage
    COMMAND sh "${PROJECT_SOURCE_DIR}/test/cli/usage.sh" "$<TARGET_FILE:tarn>")
  set_tests_properties(cli_options_everywhere cli_usage
    PROPERTIES LABELS "cli;quick" TIMEOUT 60)
endif()
