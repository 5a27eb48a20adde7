// The traits that all GPUs of CUDA have, and how versions are written.
#pragma once
#include <string>

#include "device/cuda/cuda_api.hpp"
#include "device/cuda/nvrtc.hpp"
#include "penstock/device.hpp"

namespace penstock::cuda {

void set_common_traits(Traits& traits);
// Returns "CUDA 13.0, driver 580.65.06".
std::string driver_text(int driver_version);
// Returns "NVRTC 13.0".
std::string compiler_text(const Nvrtc& nvrtc);

int driver_version_of(CUresult (*get)(int*));
// Returns the driver's version, or 0. Drivers answer before they are initialised; where one does
// not, it is asked again afterwards.
int version_before_start();

}  // namespace penstock::cuda
