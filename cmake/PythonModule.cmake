# The compiled module of the Python package, penstock._core, with nanobind's stable ABI: one file for
# CPython 3.10 and newer. nanobind's own code is the package nanobind-backend, which pip installs.
#
# A build folder gets the package too, python/penstock with links to the sources, so that
# PYTHONPATH=build/python imports what was just built.
option(PENSTOCK_PYTHON_PACKAGE "Build the Python package's module" ${PROJECT_IS_TOP_LEVEL})
if(NOT PENSTOCK_PYTHON_PACKAGE OR BUILD_SHARED_LIBS OR PENSTOCK_SANITIZE OR NOT TARGET penstock_cli OR
   NOT penstock_pyarrow)
  return()
endif()
if(NOT DEFINED Python_EXECUTABLE AND NOT SKBUILD)
  set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
find_package(Python 3.10 COMPONENTS Interpreter Development.Module
             OPTIONAL_COMPONENTS Development.SABIModule)
set(penstock_without_python STATUS)
if(SKBUILD)     # pip builds nothing else
  set(penstock_without_python FATAL_ERROR)
endif()
if(NOT Python_Development.Module_FOUND)
  message(${penstock_without_python}
          "The Python package needs CPython's headers: apt-get install python3-dev")
  return()
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(nanobind CONFIG QUIET)
if(NOT nanobind_FOUND)
  message(${penstock_without_python} "The Python package needs nanobind, of scripts/python_environment.sh")
  return()
endif()

file(GLOB penstock_python_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/src/*.cpp
     ${PROJECT_SOURCE_DIR}/src/session/adbc/c_*.cpp)
nanobind_add_module(penstock_python BACKEND_MODULE nanobind_backend NB_SUPPRESS_WARNINGS
                    ${penstock_python_sources})
# The map chooses what is seen: the ADBC driver too, which driver managers look up.
set_target_properties(penstock_python PROPERTIES OUTPUT_NAME _core CXX_VISIBILITY_PRESET default
  INSTALL_RPATH "$ORIGIN/../pyarrow"
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/penstock
  LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/python_module.map)
target_include_directories(penstock_python PRIVATE ${PROJECT_SOURCE_DIR}/python/src)
# Debian's static RE2 is not position independent; the shared ones, named first, have all that the
# linker looks for. The published wheel has static ones of its own (packaging/wheel).
option(PENSTOCK_PYTHON_STATIC
       "Link the static libpg_query and RE2 into the Python module; both are position independent" OFF)
if(NOT PENSTOCK_PYTHON_STATIC)
  target_link_libraries(penstock_python PRIVATE -Wl,--no-as-needed
    ${PENSTOCK_PG_QUERY_SHARED_LIBRARY} ${PENSTOCK_RE2_SHARED_LIBRARY} -Wl,--as-needed)
endif()
penstock_link(penstock_python cli)
target_link_options(penstock_python PRIVATE
  -Wl,--version-script=${CMAKE_CURRENT_LIST_DIR}/python_module.map -Wl,-Bsymbolic)

file(GLOB_RECURSE penstock_python_files RELATIVE ${PROJECT_SOURCE_DIR}/python CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/python/*.py ${PROJECT_SOURCE_DIR}/python/*.pyi
     ${PROJECT_SOURCE_DIR}/python/*.typed ${PROJECT_SOURCE_DIR}/python/dbt/*.sql
     ${PROJECT_SOURCE_DIR}/python/dbt/*.yml)
foreach(file IN LISTS penstock_python_files)
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/${file} ${PROJECT_BINARY_DIR}/python/${file}
       SYMBOLIC)
endforeach()
install(TARGETS penstock_python LIBRARY DESTINATION penstock COMPONENT python EXCLUDE_FROM_ALL)
include(PythonLicenses)
