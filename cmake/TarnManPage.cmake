# cmake -DTARN=program -DIN=page.in -DOUT=page -P this: puts the
# option list of `tarn get` into a manual page.
cmake_minimum_required(VERSION 3.22)
file(READ "${IN}" text)
if(text MATCHES "@GET_OPTIONS@")
  execute_process(COMMAND "${TARN}" --man-options get
    OUTPUT_VARIABLE options RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${TARN} --man-options get: ${status}")
  endif()
  string(REPLACE "@GET_OPTIONS@\n" "${options}" text "${text}")
endif()
file(WRITE "${OUT}" "${text}")
