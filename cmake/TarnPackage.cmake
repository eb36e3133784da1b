# What the packages hold besides the library, and how they are made:
#   cpack --config build/release/CPackConfig.cmake -B dist
if(TARGET tarn)
  install(TARGETS tarn RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# Pages written by hand lie in docs/man; those made from the option tables lie
# in the build tree. A directory that is not there installs nothing.
foreach(dir "${PROJECT_SOURCE_DIR}/docs/man" "${PROJECT_BINARY_DIR}/man")
  foreach(section 1 3 5 7)
    install(DIRECTORY "${dir}/"
      DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}" OPTIONAL
      FILES_MATCHING PATTERN "*.${section}")
  endforeach()
endforeach()

# Installed under the names the shells look for.
set(tarn_completions "${PROJECT_BINARY_DIR}/completions")
install(FILES "${tarn_completions}/tarn.bash" RENAME tarn OPTIONAL
  DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${tarn_completions}/_tarn" OPTIONAL
  DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
install(FILES "${tarn_completions}/tarn.fish" OPTIONAL
  DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" RENAME copyright)

set(CPACK_GENERATOR TGZ)
find_program(TARN_DPKG_SHLIBDEPS dpkg-shlibdeps)
if(TARN_DPKG_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_PACKAGE_NAME tarn)
set(CPACK_PACKAGE_VENDOR "The tarn project")
set(CPACK_PACKAGE_CONTACT "The tarn project <tarn@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Downloads an archive by several ranges at once, \
decodes and unpacks it while it arrives, and ends with success only when every \
byte was proven. The package holds the program, the library libtarn and its \
header.")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGE_FILE_NAME
  "tarn-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_THREADS 0)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS libuv1-dev)
include(CPack)
