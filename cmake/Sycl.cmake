# The SYCL plug-in, libpenstock_sycl.so: src/device/sycl/plugin/ compiled by a SYCL compiler. The
# program opens it at run time and lacks nothing else without it.
#
# PENSTOCK_SYCL=AUTO builds it where a compiler is found, ON demands one, OFF leaves it. The compiler
# is acpp, of find_package(AdaptiveCpp) or on the path, or Intel's icpx. It compiles kernels at run
# time as well, so the plug-in keeps the command.
set(PENSTOCK_SYCL AUTO CACHE STRING "Build the SYCL plug-in: AUTO, ON or OFF")
set_property(CACHE PENSTOCK_SYCL PROPERTY STRINGS AUTO ON OFF)
if(PENSTOCK_SYCL STREQUAL "OFF")
  return()
endif()

if(NOT PENSTOCK_SYCL_COMPILER)
  # The package alone is asked: its targets and rules change how a project is compiled.
  find_path(PENSTOCK_ADAPTIVECPP_PACKAGE adaptivecpp-config.cmake HINTS ${AdaptiveCpp_DIR}
    ENV AdaptiveCpp_DIR PATH_SUFFIXES lib/cmake/AdaptiveCpp)
  mark_as_advanced(PENSTOCK_ADAPTIVECPP_PACKAGE)
  find_program(PENSTOCK_SYCL_COMPILER NAMES acpp icpx
    HINTS ${PENSTOCK_ADAPTIVECPP_PACKAGE}/../../../bin
    DOC "The compiler of the SYCL plug-in and of its kernels")
endif()
if(NOT PENSTOCK_SYCL_COMPILER)
  if(PENSTOCK_SYCL STREQUAL "ON")
    message(FATAL_ERROR "PENSTOCK_SYCL is ON, and neither acpp nor icpx is found: set "
                        "PENSTOCK_SYCL_COMPILER")
  endif()
  message(STATUS "SYCL plug-in: not built, as neither acpp nor icpx is found")
  return()
endif()

cmake_path(GET PENSTOCK_SYCL_COMPILER FILENAME penstock_sycl_name)
set(penstock_sycl_options -O3 -std=c++20 -fPIC -shared)
set(penstock_sycl_version_option --acpp-version)
if(penstock_sycl_name MATCHES "^icpx")
  list(PREPEND penstock_sycl_options -fsycl -fp-model=precise)
  set(penstock_sycl_version_option --version)
endif()
execute_process(COMMAND ${PENSTOCK_SYCL_COMPILER} ${penstock_sycl_version_option}
  OUTPUT_VARIABLE penstock_sycl_version ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(penstock_sycl_version MATCHES "AdaptiveCpp version[^\n]*")
  set(penstock_sycl_version "${CMAKE_MATCH_0}")
elseif(penstock_sycl_version MATCHES "^[^\n]*")
  set(penstock_sycl_version "${CMAKE_MATCH_0}")
endif()
message(STATUS "SYCL plug-in: ${penstock_sycl_version} (${PENSTOCK_SYCL_COMPILER})")

list(JOIN penstock_sycl_options "\\n" penstock_sycl_lines)
set(penstock_sycl_folder ${PROJECT_SOURCE_DIR}/src/device/sycl/plugin)
file(GLOB penstock_sycl_sources CONFIGURE_DEPENDS ${penstock_sycl_folder}/*.cpp)
set(penstock_sycl_plugin ${PROJECT_BINARY_DIR}/libpenstock_sycl.so)
add_custom_command(OUTPUT ${penstock_sycl_plugin} VERBATIM
  COMMAND ${PENSTOCK_SYCL_COMPILER} ${penstock_sycl_options} -fvisibility=hidden
    "-DPENSTOCK_SYCL_COMMAND=\"${PENSTOCK_SYCL_COMPILER}\\n${penstock_sycl_lines}\""
    "-DPENSTOCK_SYCL_COMPILER_VERSION=\"${penstock_sycl_version}\""
    ${penstock_sycl_sources} -o ${penstock_sycl_plugin}
  DEPENDS ${penstock_sycl_sources} ${penstock_sycl_folder}/sycl_interface.hpp
    ${penstock_sycl_folder}/sycl_objects.hpp
  COMMENT "Compiling the SYCL plug-in")
add_custom_target(penstock_sycl ALL DEPENDS ${penstock_sycl_plugin})
# Kernels that are written by hand, compiled for the SYCL devices of this machine. They go beside the
# plug-in, and users of such devices compile none of them. Takes minutes: made when it is asked for.
set(penstock_sycl_programs ${PROJECT_BINARY_DIR}/libpenstock_sycl.programs)
add_custom_target(penstock_sycl_programs VERBATIM
  COMMAND ${CMAKE_COMMAND} -E env PENSTOCK_SYCL_PLUGIN=${penstock_sycl_plugin}
    PENSTOCK_CACHE_DIR=${PROJECT_BINARY_DIR}/sycl-cache
    ${PROJECT_BINARY_DIR}/penstock cache --fill --device "sycl:*" --into ${penstock_sycl_programs}
  COMMENT "Compiling hand-written kernels for SYCL")
add_dependencies(penstock_sycl_programs penstock penstock_sycl)
if(PENSTOCK_INSTALL)
  install(PROGRAMS ${penstock_sycl_plugin} COMPONENT core
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/penstock)
  install(FILES ${penstock_sycl_programs} OPTIONAL COMPONENT core
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/penstock)
endif()
