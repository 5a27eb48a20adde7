# The installable package: headers, static libraries, and penstockConfig.cmake for find_package(penstock COMPONENTS core io stream sql).
#
#     penstock::penstock   devices, plans, lambdas (the core; needs utf8proc where the program is linked)
#     penstock::io         files: Parquet, Arrow IPC, CSV; needs Arrow where the program is linked
#     penstock::stream     gzip, zstd, lz4 and their like; needs their libraries where the program is linked
#     penstock::sql        SELECT to plan
#
# The same names work inside this build. `cmake --install DIR --component core` installs the core alone.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(penstock_core INTERFACE)
target_compile_features(penstock_core INTERFACE cxx_std_20)
target_link_libraries(penstock_core INTERFACE penstock_plan)
if(PENSTOCK_SANITIZE)
  target_link_options(penstock_core INTERFACE -fsanitize=${PENSTOCK_SANITIZE})
endif()
set_target_properties(penstock_core PROPERTIES EXPORT_NAME penstock)
add_library(penstock::penstock ALIAS penstock_core)

function(penstock_export component)   # the layers of a component, in an export set of their own
  foreach(layer IN LISTS ARGN)
    if(NOT TARGET penstock_${layer})
      return()
    endif()
    if(NOT layer STREQUAL "core")
      set_target_properties(penstock_${layer} PROPERTIES EXPORT_NAME ${layer})
      add_library(penstock::${layer} ALIAS penstock_${layer})
    endif()
    if(NOT PENSTOCK_INSTALL)
      continue()
    endif()
    install(TARGETS penstock_${layer} EXPORT penstock_${component} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component})
  endforeach()
  if(NOT PENSTOCK_INSTALL)
    return()
  endif()
  install(EXPORT penstock_${component} NAMESPACE penstock:: FILE penstock_${component}.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock COMPONENT ${component})
endfunction()
penstock_export(core base device kernel primitive column codec expr plan core)
penstock_export(io io)
penstock_export(stream stream)
penstock_export(sql sql)
if(NOT PENSTOCK_INSTALL)
  return()
endif()

# The program, and the libraries of the wheel that it and penstock::io were linked with: what is installed needs no build tree.
set(penstock_private_libraries ${CMAKE_INSTALL_LIBDIR}/penstock)
if(penstock_pyarrow)
  foreach(component cli io)
    install(FILES ${penstock_arrow_library} ${penstock_parquet_library} DESTINATION ${penstock_private_libraries} COMPONENT ${component})
  endforeach()
endif()
if(TARGET penstock)
  install(TARGETS penstock RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT cli)
  if(penstock_pyarrow)
    cmake_path(RELATIVE_PATH penstock_private_libraries BASE_DIRECTORY ${CMAKE_INSTALL_BINDIR} OUTPUT_VARIABLE penstock_way)
    set_target_properties(penstock PROPERTIES INSTALL_RPATH "$ORIGIN/${penstock_way}")
  endif()
endif()

install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/penstock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT core
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/penstockConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/penstockConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/penstockConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/penstockConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/penstockConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock COMPONENT core)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/Arrow.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/penstock COMPONENT io)
