// Pinned memory for many small blocks. Pinning is a call of the driver that takes longer than to
// fill the memory, and only large blocks are huge pages, so blocks are carved out of slabs.
#pragma once
#include <memory>
#include <mutex>

#include "penstock/device.hpp"

namespace penstock::plan {

// Thread-safe. A slab goes back to the device's pool with the last block of it.
class PinnedSlabs {
 public:
  explicit PinnedSlabs(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  std::shared_ptr<std::byte> take(std::uint64_t bytes);  // null where there is none

 private:
  std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::shared_ptr<HostBuffer> slab_;
  std::uint64_t used_bytes_ = 0;  // of the slab
};

}  // namespace penstock::plan
