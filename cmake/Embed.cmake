# Turns the Kernel C texts and preludes of a layer (src/<layer>/**/*.{kc,cuh,h.kc}) into one C++ file that holds them as
# strings, so that an installed library needs no files beside it. kernel_text.hpp says how they are found again.
function(penstock_embed layer output)
  file(GLOB_RECURSE texts CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/src/${layer}/*.kc
       ${CMAKE_SOURCE_DIR}/src/${layer}/*.prelude)
  set(${output} "" PARENT_SCOPE)
  if(NOT texts)
    return()
  endif()
  set(file ${CMAKE_BINARY_DIR}/embedded/${layer}_texts.cpp)
  list(TRANSFORM texts PREPEND ${CMAKE_SOURCE_DIR}/src/ OUTPUT_VARIABLE paths)
  string(REPLACE ";" "|" joined "${texts}")
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DLAYER=${layer} "-DTEXTS=${joined}" -DROOT=${CMAKE_SOURCE_DIR}/src -DOUTPUT=${file}
            -P ${CMAKE_SOURCE_DIR}/cmake/EmbedTexts.cmake
    DEPENDS ${paths} ${CMAKE_SOURCE_DIR}/cmake/EmbedTexts.cmake VERBATIM)
  set(${output} ${file} PARENT_SCOPE)
endfunction()
