// Events of CUDA that other libraries recorded.
#pragma once
#include "penstock/device.hpp"

namespace penstock::cuda {

// Waits for a CUevent of the device. Code::invalid if the device is none of CUDA's.
Status wait_for_event(Device& device, std::uint64_t event);

}  // namespace penstock::cuda
