// Pinned memory for many small blocks. Pinning is a call of the driver that takes longer than
// filling the memory, and only large blocks are huge pages. So blocks are carved out of slabs.
//
// Slabs may be taken and filled before the device is open; they are pinned when it is.
#pragma once
#include <memory>
#include <mutex>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::plan {

// Thread-safe. A slab goes back to the device's pool with the last block of it.
class PinnedSlabs {
 public:
  // `device`: null while it is being opened.
  explicit PinnedSlabs(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  std::shared_ptr<std::byte> take(std::uint64_t bytes);  // null if there is none
  // Pins the existing slabs; further ones come from the device's pool. If the device does not pin
  // them, copies of them take longer.
  void pin_on(std::shared_ptr<Device> device);

 private:
  class EarlySlab;
  Result<std::shared_ptr<HostBuffer>> make_slab(std::uint64_t bytes);

  std::mutex mutex_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<HostBuffer> slab_;
  std::uint64_t used_bytes_ = 0;  // of the slab
  std::vector<std::weak_ptr<EarlySlab>> early_;
};

}  // namespace penstock::plan
