# penstock_embed(layer output): the Kernel C sources of src/<layer>/ (*.kc), what they share with C++ (*.h) and preludes (*.prelude) as
# one C++ file of strings, with what they include, so that an installed library needs no files beside it. `output` gets the file, or nothing when there are no
# sources. kernel/kernel_source.hpp says how they are found. An edited source is embedded anew by the next build, a new one too.
function(penstock_embed layer output)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/${layer}/*.kc
       ${PROJECT_SOURCE_DIR}/src/${layer}/*.h ${PROJECT_SOURCE_DIR}/src/${layer}/*.prelude)
  set(${output} "" PARENT_SCOPE)
  if(NOT sources)
    return()
  endif()
  set(file ${PROJECT_BINARY_DIR}/embedded/${layer}_sources.cpp)
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE paths)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/penstock/*.h)
  list(JOIN sources "|" names)
  add_custom_command(OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -DLAYER=${layer} "-DSOURCES=${names}" -DROOT=${PROJECT_SOURCE_DIR} -DOUTPUT=${file}
            -P ${PROJECT_SOURCE_DIR}/cmake/EmbedSources.cmake
    DEPENDS ${paths} ${headers} ${PROJECT_SOURCE_DIR}/cmake/EmbedSources.cmake VERBATIM)
  set(${output} ${file} PARENT_SCOPE)
endfunction()
