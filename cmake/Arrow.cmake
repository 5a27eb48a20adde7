# Arrow and Parquet C++ as Arrow::arrow_shared and Parquet::parquet_shared: an installed CMake
# package when there is one, otherwise the libraries and headers inside PyPI's pyarrow, in .venv
# (scripts/setup.sh) or where PENSTOCK_PYARROW_DIR says. The wheel has neither package files nor
# unversioned names, hence the full paths. Nothing is downloaded here.
set(PENSTOCK_PYARROW_DIR "" CACHE PATH
    "The folder 'pyarrow' of a Python environment; used before an installed Arrow")
if(NOT PENSTOCK_PYARROW_DIR)
  find_package(Arrow 15 CONFIG QUIET)
  find_package(Parquet 15 CONFIG QUIET)
endif()
if(NOT TARGET Arrow::arrow_shared OR NOT TARGET Parquet::parquet_shared)
  set(penstock_pyarrow ${PENSTOCK_PYARROW_DIR})
  if(NOT penstock_pyarrow AND SKBUILD)    # pip has it in the environment of the build
    execute_process(COMMAND ${Python_EXECUTABLE} -c "import pyarrow; print(pyarrow.__path__[0])"
      OUTPUT_VARIABLE penstock_pyarrow OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(NOT penstock_pyarrow)
    file(GLOB penstock_pyarrow ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/pyarrow)
    list(SORT penstock_pyarrow COMPARE NATURAL ORDER DESCENDING)
  endif()
  list(APPEND penstock_pyarrow "")      # so that there is a first
  list(GET penstock_pyarrow 0 penstock_pyarrow)
  foreach(name arrow parquet)
    file(GLOB penstock_${name}_library ${penstock_pyarrow}/lib${name}.so.*)
    list(APPEND penstock_${name}_library "")
    list(GET penstock_${name}_library 0 penstock_${name}_library)
    if(NOT penstock_${name}_library OR NOT IS_DIRECTORY ${penstock_pyarrow}/include/${name})
      message(FATAL_ERROR
        "Neither an installed Arrow and Parquet (15 or later) nor pyarrow's in "
        "'${penstock_pyarrow}' was found. In Penstock's source folder run "
        "scripts/python_environment.sh library. Elsewhere install Arrow C++ with Parquet; or "
        "pyarrow, by pip in a virtual environment, and configure with "
        "-DPENSTOCK_PYARROW_DIR=ENVIRONMENT/lib/python3.N/site-packages/pyarrow")
    endif()
  endforeach()
  message(STATUS "Arrow: ${penstock_arrow_library}")
  add_library(Arrow::arrow_shared SHARED IMPORTED)
  set_target_properties(Arrow::arrow_shared PROPERTIES IMPORTED_LOCATION ${penstock_arrow_library}
    INTERFACE_INCLUDE_DIRECTORIES ${penstock_pyarrow}/include)
  add_library(Parquet::parquet_shared SHARED IMPORTED)
  set_target_properties(Parquet::parquet_shared PROPERTIES
    IMPORTED_LOCATION ${penstock_parquet_library} INTERFACE_LINK_LIBRARIES Arrow::arrow_shared)
endif()
