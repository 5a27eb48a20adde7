#include "device/cuda/cuda_traits.hpp"

#include <cctype>
#include <fstream>

namespace penstock::cuda {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Returns "580.65.06" from the kernel module, which the driver API lacks; "" without that file.
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string word;
  while (file >> word)
    if (std::isdigit(static_cast<unsigned char>(word[0])) && word.find('.') != std::string::npos)
      return word;
  return "";
}

}  // namespace

void set_common_traits(Traits& traits) {
  traits.target = Target::cuda;
  traits.vendor = "NVIDIA";
  traits.has_subgroups = true;
  traits.has_f64 = traits.has_atomic_u64 = true;
  traits.has_launch_bounds = true;
  traits.forward_progress = true;  // blocks that run stay resident until they end
}

std::string driver_text(int driver_version) {
  const std::string module_version = kernel_module_version();
  return "CUDA " + version_text(driver_version) +
         (module_version.empty() ? "" : ", driver " + module_version);
}

std::string compiler_text(const Nvrtc& nvrtc) {
  return "NVRTC " + std::to_string(nvrtc.major) + "." + std::to_string(nvrtc.minor);
}

int driver_version_of(CUresult (*get)(int*)) {
  int version = 0;
  return get(&version) == CUDA_SUCCESS ? version : 0;
}

int version_before_start() {
  const auto library = device::Library::open({"libcuda.so.1"});
  CUresult (*get)(int*) = nullptr;
  return library.ok() && library->bind(get, "cuDriverGetVersion").ok() ? driver_version_of(get) : 0;
}

}  // namespace penstock::cuda
