# Libraries that single layers need. All are found on this machine; nothing is downloaded.
include(GNUInstallDirs)
set(penstock_private_libraries ${CMAKE_INSTALL_LIBDIR}/penstock)

# penstock_link_found(layer component libraries...): links what was found here. A static library is
# installed with the layer, in a folder of Penstock's own: whoever links the installed layer gets the
# version that it was compiled for, also on a machine that has another one.
function(penstock_link_found layer component)
  foreach(library IN LISTS ARGN)
    if(NOT library MATCHES "\\.a$" OR NOT PENSTOCK_INSTALL)
      target_link_libraries(penstock_${layer} PRIVATE ${library})
      continue()
    endif()
    cmake_path(GET library FILENAME name)
    target_link_libraries(penstock_${layer} PRIVATE $<BUILD_INTERFACE:${library}>
      $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${penstock_private_libraries}/${name}>)
    install(FILES ${library} DESTINATION ${penstock_private_libraries} COMPONENT ${component})
  endforeach()
endfunction()

# penstock_require(package variables...): remembers a package of Debian if a variable says that
# something of it was not found. The end of this file names all at once.
set(penstock_missing_packages "")
macro(penstock_require package)
  foreach(variable IN ITEMS ${ARGN})
    if(NOT ${variable})
      list(APPEND penstock_missing_packages ${package})
    endif()
  endforeach()
endmacro()

# Unicode's case mapping and categories, for functions of strings. The static one is
# preferred.
find_library(PENSTOCK_UTF8PROC_LIBRARY NAMES libutf8proc.a utf8proc DOC "utf8proc 2.8 or later")
find_path(PENSTOCK_UTF8PROC_INCLUDE utf8proc.h)
penstock_require(libutf8proc-dev PENSTOCK_UTF8PROC_LIBRARY PENSTOCK_UTF8PROC_INCLUDE)
target_include_directories(penstock_expr SYSTEM PRIVATE ${PENSTOCK_UTF8PROC_INCLUDE})
penstock_link_found(expr core ${PENSTOCK_UTF8PROC_LIBRARY})

# Regular expressions, for functions of strings: the core's other library.
find_library(PENSTOCK_RE2_LIBRARY NAMES libre2.a re2 DOC "RE2")
find_path(PENSTOCK_RE2_INCLUDE re2/re2.h)
penstock_require(libre2-dev PENSTOCK_RE2_LIBRARY PENSTOCK_RE2_INCLUDE)
target_include_directories(penstock_expr SYSTEM PRIVATE ${PENSTOCK_RE2_INCLUDE})
penstock_link_found(expr core ${PENSTOCK_RE2_LIBRARY})

# The hash of cache keys: XXH3, from the header alone.
find_path(PENSTOCK_XXHASH_INCLUDE xxhash.h)
penstock_require(libxxhash-dev PENSTOCK_XXHASH_INCLUDE)
target_include_directories(penstock_base SYSTEM PRIVATE ${PENSTOCK_XXHASH_INCLUDE})

# The program's arguments, by headers alone.
find_path(PENSTOCK_CLI11_INCLUDE CLI/CLI.hpp)
if(PROJECT_IS_TOP_LEVEL)
  penstock_require(libcli11-dev PENSTOCK_CLI11_INCLUDE)
endif()

# Static libraries are preferred for programs, so that a binary carried elsewhere needs nothing
# installed. They are not position independent everywhere, so shared libraries take shared ones.
function(penstock_find_library variable name)
  if(BUILD_SHARED_LIBS)
    find_library(${variable} NAMES ${name})
  else()
    find_library(${variable} NAMES lib${name}.a ${name})
  endif()
endfunction()

# Files: Arrow and Parquet. Programs of this build find them where they were found now. A tree or
# program carried elsewhere finds them by the same path relative to the program's folder, in lib/
# beside it, or by LD_LIBRARY_PATH. An installed program finds the wheel's libraries, which nothing
# else on the system does, in a folder of its own (Package.cmake), and an installed Arrow where it
# is.
file(GLOB_RECURSE penstock_io_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/io/*.cpp)
if(penstock_io_sources)
  include(Arrow)
  cmake_language(DEFER CALL target_link_libraries penstock_io
                 PRIVATE Parquet::parquet_shared Arrow::arrow_shared)
  set(CMAKE_BUILD_RPATH "$ORIGIN;$ORIGIN/lib;$ORIGIN/../lib")
  if(NOT penstock_pyarrow)
    set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  if(penstock_pyarrow)
    foreach(folder "" /test)
      file(RELATIVE_PATH penstock_arrow_path ${PROJECT_BINARY_DIR}${folder} ${penstock_pyarrow})
      list(APPEND CMAKE_BUILD_RPATH "$ORIGIN/${penstock_arrow_path}")
    endforeach()
  endif()
endif()

# SQL's grammar: PostgreSQL's, as libpg_query takes it out of the server, and a reader of its parse
# trees' JSON.
file(GLOB_RECURSE penstock_sql_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/sql/*.cpp)
if(penstock_sql_sources)
  penstock_find_library(PENSTOCK_PG_QUERY_LIBRARY pg_query)    # 15 or later
  find_path(PENSTOCK_PG_QUERY_INCLUDE pg_query.h)
  find_path(PENSTOCK_JSON_INCLUDE nlohmann/json.hpp)
  penstock_require(libpg-query-dev PENSTOCK_PG_QUERY_LIBRARY PENSTOCK_PG_QUERY_INCLUDE)
  penstock_require(nlohmann-json3-dev PENSTOCK_JSON_INCLUDE)
  # At the end of the folder, when the layer's target exists.
  cmake_language(DEFER CALL target_include_directories penstock_sql SYSTEM
                 PRIVATE ${PENSTOCK_PG_QUERY_INCLUDE} ${PENSTOCK_JSON_INCLUDE})
  cmake_language(DEFER CALL penstock_link_found sql sql ${PENSTOCK_PG_QUERY_LIBRARY})
endif()

# Compressed files: the published libraries of their formats.
file(GLOB_RECURSE penstock_stream_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/stream/*.cpp)
if(penstock_stream_sources)
  set(penstock_stream_libraries "")
  foreach(row libdeflate-dev/deflate/libdeflate.h libzstd-dev/zstd/zstd.h liblz4-dev/lz4/lz4.h
          libsnappy-dev/snappy/snappy-c.h zlib1g-dev/z/zlib.h)
    string(REPLACE "/" ";" row ${row})
    list(GET row 0 package)
    list(GET row 1 name)
    list(GET row 2 header)
    string(TOUPPER ${name} word)
    penstock_find_library(PENSTOCK_${word}_LIBRARY ${name})
    find_path(PENSTOCK_${word}_INCLUDE ${header})
    penstock_require(${package} PENSTOCK_${word}_LIBRARY PENSTOCK_${word}_INCLUDE)
    list(APPEND penstock_stream_libraries ${PENSTOCK_${word}_LIBRARY})
    list(APPEND penstock_stream_includes ${PENSTOCK_${word}_INCLUDE})
  endforeach()
  list(REMOVE_DUPLICATES penstock_stream_includes)
  cmake_language(DEFER CALL target_include_directories penstock_stream SYSTEM
                 PRIVATE ${penstock_stream_includes})
  cmake_language(DEFER CALL penstock_link_found stream stream ${penstock_stream_libraries})
endif()
# `penstock bench parquet` has Arrow write its files and read them beside us.
if(penstock_io_sources)
  cmake_language(DEFER CALL target_link_libraries penstock_bench
                 PRIVATE Parquet::parquet_shared Arrow::arrow_shared)
endif()
# `penstock bench codecs` compresses its chunks with them.
cmake_language(DEFER CALL target_link_libraries penstock_bench PRIVATE ${penstock_stream_libraries})

if(penstock_missing_packages)
  list(REMOVE_DUPLICATES penstock_missing_packages)
  list(JOIN penstock_missing_packages " " penstock_missing_packages)
  message(FATAL_ERROR "Libraries were not found: apt-get install ${penstock_missing_packages}")
endif()
