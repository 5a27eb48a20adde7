# penstock_cuda.programs: kernels that are written by hand, compiled ahead for NVIDIA's GPUs. The
# build needs NVRTC, and no GPU. The file goes beside the program, into the Python package, and with
# the library into share/penstock. A machine with such a GPU then compiles none of these kernels.
#
# PENSTOCK_SHIPPED_PROGRAMS=OFF makes it only when asked for, by the target penstock_cuda_programs.
# AUTO makes it with every build where NVRTC is found, ON demands that; both take a minute for each
# architecture on a core. A GPU of a later minor version runs them too: sm_89 those of sm_86.
set(PENSTOCK_SHIPPED_PROGRAMS OFF CACHE STRING "Compile kernels ahead for CUDA: AUTO, ON or OFF")
set_property(CACHE PENSTOCK_SHIPPED_PROGRAMS PROPERTY STRINGS AUTO ON OFF)
set(PENSTOCK_SHIPPED_ARCHITECTURES sm_80,sm_86,sm_90,sm_100,sm_120 CACHE STRING
  "The architectures of CUDA that kernels are compiled ahead for")
if(NOT TARGET penstock)
  return()
endif()
file(GLOB penstock_nvrtc_folders /usr/local/cuda*/lib64 /usr/local/cuda*/lib
  ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/*/lib)
find_file(PENSTOCK_NVRTC NAMES libnvrtc.so.13 libnvrtc.so.12 PATHS ${penstock_nvrtc_folders}
  PATH_SUFFIXES lib/x86_64-linux-gnu lib/aarch64-linux-gnu lib64
  DOC "NVIDIA's run-time compiler, which compiles kernels ahead")
mark_as_advanced(PENSTOCK_NVRTC)
set(penstock_cuda_programs ${PROJECT_BINARY_DIR}/penstock_cuda.programs)
if(NOT PENSTOCK_NVRTC)
  if(PENSTOCK_SHIPPED_PROGRAMS STREQUAL "ON")
    message(FATAL_ERROR "PENSTOCK_SHIPPED_PROGRAMS is ON, and NVRTC is not found: set PENSTOCK_NVRTC")
  endif()
  return()
endif()

add_custom_command(OUTPUT ${penstock_cuda_programs} VERBATIM
  COMMAND ${CMAKE_COMMAND} -E env PENSTOCK_NVRTC=${PENSTOCK_NVRTC} $<TARGET_FILE:penstock> cache
    --fill --architecture ${PENSTOCK_SHIPPED_ARCHITECTURES} --into ${penstock_cuda_programs}
  DEPENDS penstock
  COMMENT "Compiling kernels for CUDA (${PENSTOCK_SHIPPED_ARCHITECTURES})")
if(PENSTOCK_SHIPPED_PROGRAMS)
  add_custom_target(penstock_cuda_programs ALL DEPENDS ${penstock_cuda_programs})
  message(STATUS "CUDA: kernels are compiled ahead by ${PENSTOCK_NVRTC}")
else()
  add_custom_target(penstock_cuda_programs DEPENDS ${penstock_cuda_programs})
endif()
if(TARGET penstock_packages AND PENSTOCK_SHIPPED_PROGRAMS)
  add_dependencies(penstock_packages penstock_cuda_programs)
endif()
if(TARGET penstock_python)
  file(CREATE_LINK ${penstock_cuda_programs}
    ${PROJECT_BINARY_DIR}/python/penstock/penstock_cuda.programs SYMBOLIC)
  if(PENSTOCK_SHIPPED_PROGRAMS)
    add_dependencies(penstock_python penstock_cuda_programs)
  endif()
  install(FILES ${penstock_cuda_programs} OPTIONAL COMPONENT python EXCLUDE_FROM_ALL
    DESTINATION penstock)
endif()
if(PENSTOCK_INSTALL)
  install(FILES ${penstock_cuda_programs} OPTIONAL COMPONENT c
    DESTINATION ${CMAKE_INSTALL_DATADIR}/penstock)
endif()
