// Reuses the buffers that an input reads into: fresh pages cost as much as reading into them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/huge_page_allocator.hpp"

namespace penstock::stream {

class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  using Buffer = LargeArray<std::byte>;

  // Returns a buffer of at least `bytes` bytes. It returns to the pool when its last owner releases
  // it.
  std::shared_ptr<Buffer> take(std::size_t bytes) {
    auto* const buffer = new Buffer(found(bytes));
    return {buffer, [pool = shared_from_this()](Buffer* given) {
              const std::unique_ptr<Buffer> owned(given);
              pool->give(*owned);
            }};
  }

 private:
  // A reader, its jobs and the caller release their buffers in turn, so few are free at once.
  static constexpr std::size_t max_free = 4;

  Buffer found(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto fits = std::find_if(free_.begin(), free_.end(),
                                   [&](const Buffer& buffer) { return buffer.size() >= bytes; });
    if (fits == free_.end()) return Buffer(bytes);
    Buffer buffer = std::move(*fits);
    free_.erase(fits);
    return buffer;
  }
  void give(const Buffer& buffer) {
    const std::lock_guard lock(mutex_);
    if (free_.size() == max_free) free_.erase(free_.begin());
    free_.push_back(buffer);
  }

  std::mutex mutex_;
  std::vector<Buffer> free_;
};

}  // namespace penstock::stream
