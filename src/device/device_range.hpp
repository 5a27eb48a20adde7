// Memory of a device from some byte on, and a driver's copies between two of its devices.
#pragma once
#include <span>

#include "penstock/device.hpp"

namespace penstock::device {

struct DeviceRange {
  Device* device = nullptr;
  const Buffer* buffer = nullptr;
  std::uint64_t offset = 0;
};

struct DeviceCopy {
  DeviceRange to, from;
  std::uint64_t bytes = 0;  // above 0
};

// Copies over NVLink or PCIe, to one device. Returns false, and copies nothing, where one device is
// no GPU of CUDA's. Returns when all copies are done.
Result<bool> copy_over_cuda_link(std::span<const DeviceCopy> copies);

}  // namespace penstock::device
