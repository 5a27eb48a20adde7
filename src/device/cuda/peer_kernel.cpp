#include "device/cuda/peer_kernel.hpp"

namespace penstock::cuda {
namespace {

#define PENSTOCK_CUDA_TEXT(...) #__VA_ARGS__
constexpr const char* functions =
#include "device/cuda/peer_kernel.inc"
    ;
#undef PENSTOCK_CUDA_TEXT

// A parameter that is a constant of the grid is not copied to each thread's memory. P100, which has
// NVLink too, and NVRTC before 11.7 have none.
constexpr const char* kernel = R"cuda(
#if __CUDA_ARCH__ >= 700 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1107
#define GRID_CONSTANT __grid_constant__
#else
#define GRID_CONSTANT
#endif
extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
copy_from_peers(const GRID_CONSTANT PeerCopies list) {
  copy_from_peers_group(list, blockIdx.x, gridDim.x, threadIdx.x, GROUP_SIZE);
}
)cuda";

}  // namespace

const ProgramSource& peer_kernel_source() {
  static const ProgramSource source = {.text = std::string(functions) + kernel,
                                       .group_size = 256,
                                       .defines = {},
                                       .label = "copies between GPUs"};
  return source;
}

}  // namespace penstock::cuda
