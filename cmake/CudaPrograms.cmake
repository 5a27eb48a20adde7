# Kernels that are written by hand, compiled for the NVIDIA GPUs of this machine. They go beside the
# executable, and a machine with such a GPU compiles none of them. Made when it is asked for, where
# such a GPU is.
set(penstock_cuda_programs ${PROJECT_BINARY_DIR}/penstock_cuda.programs)
add_custom_target(penstock_cuda_programs VERBATIM
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${penstock_cuda_programs}
  COMMAND ${CMAKE_COMMAND} -E env PENSTOCK_CACHE_DIR=${PROJECT_BINARY_DIR}/cuda-cache
    ${PROJECT_BINARY_DIR}/penstock cache --fill --device cuda:0 --into ${penstock_cuda_programs}
  COMMENT "Compiling hand-written kernels for CUDA")
add_dependencies(penstock_cuda_programs penstock)
if(PENSTOCK_INSTALL)
  install(DIRECTORY ${penstock_cuda_programs} OPTIONAL COMPONENT core DESTINATION lib/penstock)
endif()
