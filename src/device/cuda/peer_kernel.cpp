#include "device/cuda/peer_kernel.hpp"

namespace penstock::cuda {
namespace {

#define PENSTOCK_CUDA_TEXT(...) #__VA_ARGS__
constexpr const char* functions =
#include "device/cuda/peer_kernel.inc"
    ;
#undef PENSTOCK_CUDA_TEXT

constexpr const char* kernel = R"cuda(
extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
copy_from_peers(const __grid_constant__ PeerCopies list) {
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
