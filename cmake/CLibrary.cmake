# libpenstock.so: the functions of include/penstock/*.h for programs and languages that load a
# library at run time, as the Python package in python/ does. It holds all layers that they need and
# shows nothing else, so that a process may also have other versions of them.
find_library(PENSTOCK_PG_QUERY_SHARED_LIBRARY NAMES libpg_query.so pg_query)
find_library(PENSTOCK_RE2_SHARED_LIBRARY NAMES libre2.so re2)
if(NOT TARGET penstock_session OR BUILD_SHARED_LIBS OR PENSTOCK_SANITIZE OR
   NOT PENSTOCK_PG_QUERY_SHARED_LIBRARY OR NOT PENSTOCK_RE2_SHARED_LIBRARY)
  return()
endif()
file(GLOB_RECURSE penstock_c_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/c_*.cpp)
list(FILTER penstock_c_sources INCLUDE REGEX "/src/(device|codec|video|session)/")
add_library(penstock_c SHARED ${penstock_c_sources})
set_target_properties(penstock_c PROPERTIES OUTPUT_NAME penstock VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/c_library.map)
penstock_precompile(penstock_c penstock_base)
# The static ones of Debian cannot be part of a shared library. Named first, the shared ones have
# all that the linker looks for.
target_link_libraries(penstock_c PRIVATE -Wl,--no-as-needed ${PENSTOCK_PG_QUERY_SHARED_LIBRARY}
                      ${PENSTOCK_RE2_SHARED_LIBRARY})
penstock_link(penstock_c session video)
target_link_options(penstock_c PRIVATE
  -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/c_library.map -Wl,-Bsymbolic)
