# Files for pkg-config. Their paths are relative to where they lie, so that a moved tree works.
#
#     penstock.pc               libpenstock.so, the C interface
#     penstock-cpp.pc           penstock::penstock, from static libraries
#     penstock-cpp-session.pc   penstock::session, io, stream, video and sql
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}
  OUTPUT_VARIABLE penstock_pc_libdir)
set(penstock_pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
string(REGEX REPLACE "[^/]+" ".." penstock_pc_up ${penstock_pc_libdir}/pkgconfig)

# Returns linker options for libraries that were found: static ones as they are installed in our own
# folder, others by name.
function(penstock_pc_libraries output)
  set(options "")
  foreach(library IN LISTS ARGN)
    cmake_path(GET library FILENAME name)
    if(name MATCHES "\\.a$")
      list(APPEND options "\${libdir}/penstock/${name}")
    else()
      list(APPEND options "-l:${name}")
    endif()
  endforeach()
  list(JOIN options " " options)
  set(${output} "${options}" PARENT_SCOPE)
endfunction()

# In one word: pkg-config writes an option that two packages have, such as the end of a group, once.
function(penstock_pc_layers output)
  set(options ${ARGN})
  list(TRANSFORM options PREPEND "-lpenstock_")
  list(JOIN options "," options)
  set(${output} "-Wl,--start-group,${options},--end-group" PARENT_SCOPE)
endfunction()

# penstock_pc(file component description requirement libraries)
function(penstock_pc file component description requirement libraries)
  set(text "prefix=\${pcfiledir}/${penstock_pc_up}
libdir=\${prefix}/${penstock_pc_libdir}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: ${file}
Description: ${description}
Version: ${PROJECT_VERSION}
")
  if(requirement)
    string(APPEND text "Requires: ${requirement}\n")
  endif()
  string(APPEND text "Cflags: -I\${includedir}\nLibs: -L\${libdir} ${libraries}\n")
  file(WRITE ${PROJECT_BINARY_DIR}/pkgconfig/${file}.pc "${text}")
  install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/${file}.pc DESTINATION ${penstock_pc_folder}
    COMPONENT ${component})
endfunction()

if(BUILD_SHARED_LIBS OR PENSTOCK_SANITIZE)
  return()
endif()
if(TARGET penstock_c)
  penstock_pc(penstock c_dev "${PROJECT_DESCRIPTION} (C)" "" "-lpenstock")
endif()
penstock_pc_layers(layers exec fuse relation plan table expr codec column primitive kernel device base)
penstock_pc_libraries(found ${PENSTOCK_UTF8PROC_LIBRARY} ${PENSTOCK_RE2_LIBRARY})
penstock_pc(penstock-cpp core "${PROJECT_DESCRIPTION} (C++20)" "" "${layers} ${found} -lstdc++ -lm")
if(TARGET penstock_session)
  penstock_pc_layers(layers session sql io stream video)
  penstock_pc_libraries(found ${PENSTOCK_PG_QUERY_LIBRARY} ${penstock_stream_libraries})
  set(arrow "-lparquet -larrow")
  if(penstock_pyarrow)
    cmake_path(GET penstock_arrow_library FILENAME arrow)
    cmake_path(GET penstock_parquet_library FILENAME parquet)
    set(arrow "-L\${libdir}/penstock -Wl,-rpath,\${libdir}/penstock -l:${parquet} -l:${arrow}")
  endif()
  penstock_pc(penstock-cpp-session session "${PROJECT_DESCRIPTION}: files and SQL (C++20)"
    penstock-cpp "${layers} ${found} ${arrow}")
endif()
