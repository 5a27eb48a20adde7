// Host memory of a device that runs on the host's cores, which is as good as any other. It begins
// at a page, so that wrap_host() copies in no OpenCL.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/human_readable.hpp"
#include "penstock/device.hpp"

namespace penstock::device {

inline Status no_host_memory(std::uint64_t bytes) {
  return Status(Code::no_memory, "the host has no room for a buffer of " + bytes_text(bytes));
}

class PageBuffer : public HostBuffer {
 public:
  static Result<std::shared_ptr<HostBuffer>> make(std::uint64_t bytes) {
    auto buffer = std::make_shared<PageBuffer>(bytes);
    if (!buffer->data()) return no_host_memory(bytes);
    return std::shared_ptr<HostBuffer>(std::move(buffer));
  }
  explicit PageBuffer(std::uint64_t bytes) {
    constexpr std::uint64_t page_bytes = 4096;
    const std::uint64_t whole =
        bytes > ~page_bytes
            ? bytes
            : (std::max<std::uint64_t>(bytes, 1) + page_bytes - 1) / page_bytes * page_bytes;
    data_ = static_cast<std::byte*>(std::aligned_alloc(page_bytes, whole)), bytes_ = bytes;
  }
  ~PageBuffer() override { std::free(data_); }
};

}  // namespace penstock::device
