// Downloads of a chunk in flight.
//
// They go to memory that the device copies to by itself, so that enqueueing one does not wait for
// the kernels before it. Each chunk has a queue of its own for them, so that reading one chunk does
// not wait for the kernels of the next.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::plan {

class ReadBack {
 public:
  // Forgets earlier downloads. Later ones come after `done` on the device.
  Status begin(std::shared_ptr<Device> device, const Event& done);
  // Enqueues the download of `count` elements from element `first`. The span is filled when wait()
  // has returned, and is valid until begin().
  template <class T>
  Result<std::span<const T>> read(const Buffer& from, std::uint64_t count,
                                  std::uint64_t first = 0) {
    if (count == 0) return std::span<const T>();
    PENSTOCK_ASSIGN(const auto memory, read_bytes(from, count * sizeof(T), first * sizeof(T)));
    return std::span<const T>(reinterpret_cast<const T*>(memory->data()), count);
  }
  // Enqueues a download into memory that lives as long as its last owner.
  Result<std::shared_ptr<HostBuffer>> read_bytes(const Buffer& from, std::uint64_t bytes,
                                                 std::uint64_t offset_bytes = 0);
  Status wait() { return queue_->finish(); }
  // Returns what keeps the memory of all downloads beyond begin().
  std::shared_ptr<const void> memory() const {
    return std::make_shared<std::vector<std::shared_ptr<HostBuffer>>>(memory_);
  }

 private:
  std::shared_ptr<Device> device_;
  std::vector<std::shared_ptr<HostBuffer>> memory_;
  std::unique_ptr<Queue> queue_;  // the last: it waits for what fills the memory
};

}  // namespace penstock::plan
