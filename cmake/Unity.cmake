# penstock_unity(target sources): compiles the files of one folder as one file, where
# PENSTOCK_UNITY_BUILD is on. Headers, and templates that other files make too, are compiled once: the
# five files of src/exec/validate/ took 22 to 26 s as one, 33 to 47 s alone.
#
# The preset dev turns it off. An edited file is then compiled alone, and a developer sees that a file
# includes what it uses.
option(PENSTOCK_UNITY_BUILD "Compile the files of a folder as one (cmake/Unity.cmake)" ON)

# Compiled alone: the same text for several instruction sets, loops with flags of their own,
# commands with cases of the same names, and the C interface, which libpenstock.so has of its own.
set(penstock_separate_files "hot_loops_[a-z0-9]+\\.cpp$|_fast\\.cpp$|bench_[a-z0-9]+_command\\.cpp$|/c_[a-z_]+\\.cpp$")
function(penstock_unity target)
  if(NOT PENSTOCK_UNITY_BUILD)
    return()
  endif()
  foreach(source IN LISTS ARGN)
    if(source MATCHES ${penstock_separate_files})
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(REPLACE "/" "_" group ${folder})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # These warnings take the other files of a folder for a header. Elsewhere they are whole.
  target_compile_options(${target} PRIVATE -Wno-shadow -Wshadow=local
                         -Wno-subobject-linkage)
endfunction()

# penstock_unite(output sources): for commands of our own, the sources, with each complete folder
# replaced by one file that includes its sources.
function(penstock_unite output)
  set(united ${ARGN})
  set(folders "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(FILTER files EXCLUDE REGEX ${penstock_separate_files})
    set(missing ${files})
    list(REMOVE_ITEM missing ${ARGN})
    list(LENGTH files count)
    if(NOT PENSTOCK_UNITY_BUILD OR missing OR count LESS 2)
      continue()
    endif()
    list(REMOVE_ITEM united ${files})
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" name ${name})
    set(unity ${PROJECT_BINARY_DIR}/unity/${name}.cpp)
    list(TRANSFORM files REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE lines)
    list(JOIN lines "" lines)
    file(CONFIGURE OUTPUT ${unity} CONTENT "${lines}" @ONLY)
    list(APPEND united ${unity})
  endforeach()
  set(${output} ${united} PARENT_SCOPE)
endfunction()
