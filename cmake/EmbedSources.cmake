# Script of penstock_embed(): writes the sources named in SOURCES (separated by |, relative to ROOT/src) and what they include from
# ROOT/src and ROOT/include as C++ string literals, one line of code per line of source, into OUTPUT. An #include "file" that is not there,
# or that leads back to its own file, is an error.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "|" ";" names "${SOURCES}")

# Sets `output` to the path of a source, or to nothing.
function(path_of name output)
  set(${output} "" PARENT_SCOPE)
  foreach(folder include src)
    if(EXISTS "${ROOT}/${folder}/${name}")
      set(${output} "${ROOT}/${folder}/${name}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Sets `output` to what `name` includes: "line:file" for each.
function(includes_of name output)
  set(number 0)
  set(includes "")
  path_of("${name}" path)
  file(READ "${path}" text)
  if(text MATCHES "(^|\n)[ \t]*#[ \t]*include[ \t]*\"")
    string(REGEX REPLACE "[][;]" " " text "${text}")
    string(REPLACE "\n" ";" lines "${text}")
    foreach(line IN LISTS lines)
      math(EXPR number "${number} + 1")
      if(line MATCHES "^[ \t]*#[ \t]*include[ \t]*\"([^\"]*)\"")
        list(APPEND includes "${number}:${CMAKE_MATCH_1}")
      endif()
    endforeach()
  endif()
  set(${output} "${includes}" PARENT_SCOPE)
endfunction()

# Follows the includes of `name`; ARGN are the files on the way to it. Each file is followed once.
function(check_includes name)
  get_property(checked GLOBAL PROPERTY penstock_checked)
  if(name IN_LIST checked)
    return()
  endif()
  includes_of("${name}" includes)
  foreach(include IN LISTS includes)
    string(REGEX MATCH "^([0-9]+):(.*)$" found "${include}")
    set(line "${CMAKE_MATCH_1}")
    set(included "${CMAKE_MATCH_2}")
    path_of("${included}" path)
    if(NOT path)
      message(FATAL_ERROR "src/${name}:${line}: \"${included}\" is not found")
    endif()
    if(included IN_LIST ARGN OR included STREQUAL name)
      list(JOIN ARGN ", " way)
      message(FATAL_ERROR "src/${name}:${line}: \"${included}\" includes itself (through ${way}, ${name})")
    endif()
    check_includes("${included}" ${ARGN} "${name}")
  endforeach()
  set_property(GLOBAL APPEND PROPERTY penstock_checked "${name}")
endfunction()

set(rows "")
foreach(name IN LISTS names)
  check_includes("${name}")
endforeach()
get_property(names GLOBAL PROPERTY penstock_checked)
foreach(name IN LISTS names)
  path_of("${name}" path)
  file(READ "${path}" text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\r" "\\r" text "${text}")
  string(REPLACE "\n" "\\n\"\n   \"" text "${text}")
  string(APPEND rows "  {\"${name}\",\n   \"${text}\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"kernel/kernel_source.hpp\"

namespace penstock::kernel {

static const EmbeddedSource ${LAYER}_sources[] = {
${rows}};

std::string_view ${LAYER}_source(std::string_view name) { return find_source(${LAYER}_sources, name); }

}  // namespace penstock::kernel
")
