// Memory of a device from some byte on, and what a driver copies between two of its devices.
#pragma once
#include "penstock/device.hpp"

namespace penstock::device {

struct DeviceRange {
  Device* device = nullptr;
  const Buffer* buffer = nullptr;
  std::uint64_t offset = 0;
};

// Copies over NVLink or PCIe. Returns false, and copies nothing, where one of the two is no GPU of
// CUDA's. Returns when the copy is done.
Result<bool> copy_over_cuda_link(const DeviceRange& to, const DeviceRange& from,
                                 std::uint64_t bytes);

}  // namespace penstock::device
