# penstock_embed(layer output): the Kernel C texts (*.kc) and preludes (*.prelude) of src/<layer>/ as one C++ file of strings, so
# that an installed library needs no files beside it. `output` gets the file, or nothing when there are no texts.
# kernel/kernel_source.hpp says how they are found. An edited text is embedded anew by the next build, a new one too.
function(penstock_embed layer output)
  file(GLOB_RECURSE texts CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/${layer}/*.kc
       ${PROJECT_SOURCE_DIR}/src/${layer}/*.prelude)
  set(${output} "" PARENT_SCOPE)
  if(NOT texts)
    return()
  endif()
  set(file ${PROJECT_BINARY_DIR}/embedded/${layer}_texts.cpp)
  list(TRANSFORM texts PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE paths)
  list(JOIN texts "|" names)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DLAYER=${layer} "-DTEXTS=${names}" -DROOT=${PROJECT_SOURCE_DIR}/src -DOUTPUT=${file}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake
    DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake VERBATIM)
  set(${output} ${file} PARENT_SCOPE)
endfunction()
