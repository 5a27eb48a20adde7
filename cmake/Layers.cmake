# penstock_layer(name [layers left of it]): the library penstock_<name> from src/<name>/.
# A layer without sources yet is skipped.
function(penstock_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)   # penstock_program() has it
  penstock_embed(${name} embedded)
  if(NOT sources AND NOT embedded)
    return()
  endif()
  add_library(penstock_${name} STATIC ${sources} ${embedded})
  target_include_directories(penstock_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include> PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(penstock_${name} PUBLIC cxx_std_20)
  penstock_link(penstock_${name} ${ARGN})
  penstock_precompile(penstock_${name} penstock_base)
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
  # CLI11, which this file alone includes, takes as long to compile as five others, and runs once.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/src/terminal/arguments.cpp PROPERTIES
    COMPILE_DEFINITIONS PENSTOCK_VERSION="${PROJECT_VERSION}"
    COMPILE_OPTIONS "$<$<CONFIG:Release,RelWithDebInfo>:-O1>")
endfunction()
