# A wheel holds code of the libraries that were found on this machine. Their licenses, as their
# Debian packages state them, go into the wheel beside Penstock's.
if(NOT SKBUILD_METADATA_DIR)
  return()
endif()
set(penstock_licenses ${PROJECT_BINARY_DIR}/licenses)
file(REMOVE_RECURSE ${penstock_licenses})
foreach(row UTF8PROC/utf8proc.h RE2/re2/re2.h XXHASH/xxhash.h PG_QUERY/pg_query.h
        JSON/nlohmann/json.hpp CLI11/CLI/CLI.hpp DEFLATE/libdeflate.h ZSTD/zstd.h LZ4/lz4.h
        SNAPPY/snappy-c.h Z/zlib.h)
  string(REGEX MATCH "^([^/]+)/(.+)$" matched ${row})
  execute_process(COMMAND dpkg -S ${PENSTOCK_${CMAKE_MATCH_1}_INCLUDE}/${CMAKE_MATCH_2}
    OUTPUT_VARIABLE owner ERROR_QUIET)
  string(REGEX REPLACE ":.*" "" owner "${owner}")
  if(owner AND EXISTS /usr/share/doc/${owner}/copyright)
    configure_file(/usr/share/doc/${owner}/copyright ${penstock_licenses}/${owner} COPYONLY)
  endif()
endforeach()
file(GLOB penstock_nanobind_license ${nanobind_DIR}/../../nanobind-*.dist-info/licenses/LICENSE)
if(penstock_nanobind_license)
  configure_file(${penstock_nanobind_license} ${penstock_licenses}/nanobind COPYONLY)
endif()
install(DIRECTORY ${penstock_licenses}/ DESTINATION ${SKBUILD_METADATA_DIR}/licenses/libraries
        COMPONENT python EXCLUDE_FROM_ALL)
