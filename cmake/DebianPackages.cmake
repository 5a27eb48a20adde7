# `cpack -G DEB` in the build folder makes three packages (docs/packages.md):
#
#     libpenstock0.2   libpenstock.so.0.2, and the private libraries that it and the program load
#     libpenstock-dev  headers, static libraries, files for CMake and pkg-config
#     penstock         the program, manual pages, completion scripts
#
# The private libraries are Arrow's from PyPI's wheel, which Debian does not have, and those that
# Debian and Ubuntu have in versions of different names: so one package installs on each of them.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(penstock_library_package libpenstock${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_PACKAGE_VENDOR "Penstock")
set(CPACK_PACKAGE_CONTACT "Penstock's maintainers <maintainers@penstock.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# penstock_package(group name section components...)
set(CPACK_COMPONENTS_ALL "")
macro(penstock_package group name section)
  string(TOUPPER ${group} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  foreach(component IN ITEMS ${ARGN})
    list(APPEND CPACK_COMPONENTS_ALL ${component})
    string(TOUPPER ${component} upper)
    set(CPACK_COMPONENT_${upper}_GROUP ${group})
  endforeach()
endmacro()
penstock_package(runtime ${penstock_library_package} libs c)
penstock_package(dev libpenstock-dev libdevel core stream io video sql session c_dev)
penstock_package(program penstock utils cli)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION
"This package has the C library, for programs and languages that load it at
run time. Drivers of GPUs and compilers of kernels are opened when needed.")
set(CPACK_DEBIAN_DEV_DESCRIPTION
"This package has what programs in C and C++20 are built with: headers, the
link of the shared C library, static C++ libraries, files for CMake and
pkg-config.")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"This package has the program. It answers SELECT statements over Parquet,
Arrow, CSV and JSON files, decompresses gzip, zstd and lz4, and scores videos.")

set(penstock_same_version "${penstock_library_package} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
# Kernels for the CPU are compiled when they are first needed. Drivers and FFmpeg's libraries are
# opened at run time, so dpkg-shlibdeps does not see them.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "tcc | c-compiler, ocl-icd-libopencl1")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "pocl-opencl-icd")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${penstock_same_version}, g++ | libstdc++-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "cmake, pkg-config")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${penstock_same_version}, tcc | c-compiler")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "ocl-icd-libopencl1")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "pocl-opencl-icd, ffmpeg, mpich")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/debian/shlibs ${PROJECT_SOURCE_DIR}/packaging/debian/triggers)
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
  "libpenstock ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${penstock_library_package} (>= ${PROJECT_VERSION})\n")

find_program(PENSTOCK_SHLIBDEPS dpkg-shlibdeps)
if(PENSTOCK_SHLIBDEPS)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${penstock_pyarrow})
endif()

# DebianFiles.cmake reads these when the files of all packages lie in their folders.
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/DebianFiles.cmake)
set(CPACK_PENSTOCK_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_PENSTOCK_LIBRARY_PACKAGE ${penstock_library_package})
set(CPACK_PENSTOCK_PYARROW ${penstock_pyarrow})
set(CPACK_PENSTOCK_FOUND_LIBRARIES ${PENSTOCK_UTF8PROC_LIBRARY} ${PENSTOCK_RE2_LIBRARY}
    ${PENSTOCK_PG_QUERY_LIBRARY} ${penstock_stream_libraries})
# CPack would build the target "all", with every test. scripts/packages.sh builds this.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
add_custom_target(penstock_packages)
foreach(target penstock penstock_c)
  if(TARGET ${target})
    add_dependencies(penstock_packages ${target})
  endif()
endforeach()
include(CPack)
