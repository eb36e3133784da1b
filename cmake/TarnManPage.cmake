# cmake -DTARN=program -DIN=page.in -DOUT=page -P this: puts the option lists
# into a manual page: a line "@OPTIONS get@" becomes that of `tarn get`.
cmake_minimum_required(VERSION 3.22)
file(READ "${IN}" text)
string(REGEX MATCHALL "@OPTIONS [a-z]+@\n" marks "${text}")
foreach(mark ${marks})
  string(REGEX REPLACE "@OPTIONS ([a-z]+)@\n" "\\1" command "${mark}")
  execute_process(COMMAND "${TARN}" --man-options ${command}
    OUTPUT_VARIABLE options RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${TARN} --man-options ${command}: ${status}")
  endif()
  string(REPLACE "${mark}" "${options}" text "${text}")
endforeach()
file(WRITE "${OUT}" "${text}")
