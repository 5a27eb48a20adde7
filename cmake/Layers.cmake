# penstock_layer(name [layers it links]): the library penstock_<name> from src/<name>/.
# A layer without sources yet is skipped.
#
# Layers that users link are shared libraries if BUILD_SHARED_LIBS is on. The program's own
# layers are always static: nothing else links them.
set(penstock_program_layers terminal testdata bench cli)
function(penstock_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)   # penstock_program() has it
  list(FILTER sources EXCLUDE REGEX "/sycl/plugin/")                 # Sycl.cmake has it
  penstock_embed(${name} embedded)
  if(NOT sources AND NOT embedded)
    return()
  endif()
  set(kind STATIC)
  if(BUILD_SHARED_LIBS AND NOT name IN_LIST penstock_program_layers)
    set(kind SHARED)
  endif()
  add_library(penstock_${name} ${kind} ${sources} ${embedded})
  # Without penstock_<name>_EXPORTS files compile alike for both kinds, and one cache serves both.
  set_target_properties(penstock_${name} PROPERTIES DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_include_directories(penstock_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(penstock_${name} PUBLIC cxx_std_20)
  if(name STREQUAL kernel)   # tuned policies belong to one version
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernel/tuned_policies.cpp PROPERTIES
      COMPILE_DEFINITIONS PENSTOCK_VERSION="${PROJECT_VERSION}")
  endif()
  if(name STREQUAL session)   # the ADBC driver tells its version
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/session/adbc/driver_info.cpp PROPERTIES
      COMPILE_DEFINITIONS PENSTOCK_VERSION="${PROJECT_VERSION}")
  endif()
  penstock_link(penstock_${name} ${ARGN})
  penstock_precompile(penstock_${name} penstock_base)
  penstock_unity(penstock_${name} ${sources})
endfunction()

function(penstock_link target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  foreach(layer IN LISTS ARGN)
    if(TARGET penstock_${layer})
      target_link_libraries(${target} PUBLIC penstock_${layer})
    endif()
  endforeach()
endfunction()

# The program. Its parts are the library penstock_cli, so that tests reach them.
function(penstock_program)
  add_executable(penstock ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  penstock_link(penstock cli)
  # CLI11 takes as long to compile as five other files, and runs once.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/terminal/arguments.cpp
    ${PROJECT_SOURCE_DIR}/src/terminal/command_text.cpp PROPERTIES
    COMPILE_DEFINITIONS PENSTOCK_VERSION="${PROJECT_VERSION}"
    COMPILE_OPTIONS "$<$<CONFIG:Release,RelWithDebInfo>:-O1>")
  # Manual pages and completion scripts are written by the program from its command table.
  if(NOT CMAKE_CROSSCOMPILING)
    add_custom_command(TARGET penstock POST_BUILD VERBATIM
      COMMAND penstock completion --into ${PROJECT_BINARY_DIR}/reference)
  endif()
endfunction()
