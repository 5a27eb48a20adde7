# The installable package: headers, libraries, penstockConfig.cmake for
# find_package(penstock COMPONENTS core io stream video sql session), and files for pkg-config.
# DebianPackages.cmake makes .debs of it.
#
#     penstock::penstock   devices, plans, lambdas (the core; needs utf8proc and RE2 where the program is linked)
#     penstock::io         files: Parquet, Arrow IPC, CSV; needs stream, and Arrow where the program is linked
#     penstock::stream     gzip, zstd, lz4 and the like; needs their libraries there
#     penstock::video      scores of a distorted video against its reference
#     penstock::sql        SELECT to plan
#     penstock::session    a device that stays open, statements, files; needs io and sql
#
# The same names work inside this build. `cmake --install DIR --component core` installs the core
# alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(penstock_core INTERFACE)
target_compile_features(penstock_core INTERFACE cxx_std_20)
target_link_libraries(penstock_core INTERFACE penstock_exec)
if(PENSTOCK_SANITIZE)
  target_link_options(penstock_core INTERFACE -fsanitize=${PENSTOCK_SANITIZE})
endif()
set_target_properties(penstock_core PROPERTIES EXPORT_NAME penstock)
add_library(penstock::penstock ALIAS penstock_core)

# The layers of a component, in an export set of their own.
function(penstock_export component)
  foreach(layer IN LISTS ARGN)
    if(NOT TARGET penstock_${layer})
      return()
    endif()
    if(NOT layer STREQUAL "core")
      set_target_properties(penstock_${layer} PROPERTIES EXPORT_NAME ${layer}
        INSTALL_RPATH "$ORIGIN;$ORIGIN/penstock")
      add_library(penstock::${layer} ALIAS penstock_${layer})
    endif()
    if(NOT PENSTOCK_INSTALL)
      continue()
    endif()
    install(TARGETS penstock_${layer} EXPORT penstock_${component}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  endforeach()
  if(NOT PENSTOCK_INSTALL)
    return()
  endif()
  install(EXPORT penstock_${component} NAMESPACE penstock:: FILE penstock_${component}.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock COMPONENT ${component})
endfunction()
penstock_export(core base device kernel primitive column codec expr table plan relation fuse exec
                ranks core)
penstock_export(stream stream)
penstock_export(io io)
penstock_export(video video)
penstock_export(sql sql)
penstock_export(session session)
if(NOT PENSTOCK_INSTALL)
  return()
endif()

# penstock_install_shared(component libraries...): shared libraries, under the names by which the
# loader looks for them.
function(penstock_install_shared component)
  foreach(library IN LISTS ARGN)
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE headers
      COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "SONAME +([^\n ]+)" found "${headers}")
    file(REAL_PATH ${library} file)
    install(FILES ${file} RENAME ${CMAKE_MATCH_1} DESTINATION ${penstock_private_libraries}
      COMPONENT ${component})
  endforeach()
endfunction()

# The program, libpenstock.so, and the shared libraries that they and penstock::io were linked with:
# what is installed needs no build tree, and runs where the system has other versions of them.
foreach(component cli io c)
  if(penstock_pyarrow)
    install(FILES ${penstock_arrow_library} ${penstock_parquet_library}
      DESTINATION ${penstock_private_libraries} COMPONENT ${component})
  endif()
endforeach()
if(TARGET penstock_c)
  install(TARGETS penstock_c
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c NAMELINK_COMPONENT c_dev)
  set_target_properties(penstock_c PROPERTIES INSTALL_RPATH "$ORIGIN/penstock")
  penstock_install_shared(c ${PENSTOCK_PG_QUERY_SHARED_LIBRARY} ${PENSTOCK_RE2_SHARED_LIBRARY})
endif()
if(TARGET penstock)
  install(TARGETS penstock RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_BINDIR}
    OUTPUT_VARIABLE penstock_path_to_libraries)
  set_target_properties(penstock PROPERTIES INSTALL_RPATH
    "$ORIGIN/${penstock_path_to_libraries};$ORIGIN/${penstock_path_to_libraries}/penstock")
  if(NOT CMAKE_CROSSCOMPILING)
    set(penstock_reference ${PROJECT_BINARY_DIR}/reference)   # penstock_program() has it written
    install(DIRECTORY ${penstock_reference}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
      COMPONENT cli FILES_MATCHING PATTERN "*.1")
    install(FILES ${penstock_reference}/penstock.bash RENAME penstock COMPONENT cli
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${penstock_reference}/_penstock COMPONENT cli
      DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${penstock_reference}/penstock.fish COMPONENT cli
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()

install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/penstock
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT core
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

# A project in C alone links by the C compiler, which does not know the C++ runtime of static
# libraries: these are the libraries that this C++ compiler adds and a C compiler does not.
set(penstock_cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER penstock_cxx_runtime INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi|m)$")
list(REMOVE_DUPLICATES penstock_cxx_runtime)
if(PENSTOCK_SANITIZE)
  set(penstock_cxx_runtime "")    # whoever links a sanitized library links by its compiler
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/penstockConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/penstockConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/penstockConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/penstockConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/penstockConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock COMPONENT core)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/Arrow.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock COMPONENT io)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/penstock RENAME copyright COMPONENT cli)

include(PkgConfig)
include(DebianPackages)
