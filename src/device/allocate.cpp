#include "device/allocate.hpp"

#include <algorithm>

namespace penstock::device {

Result<std::shared_ptr<Buffer>> allocate(Device& device, std::uint64_t bytes) {
  constexpr std::uint64_t word_bytes = 4, min_bytes = 64;
  return device.allocate(std::max((bytes + word_bytes - 1) / word_bytes * word_bytes, min_bytes));
}

bool is_short_of_memory(const Status& status) {
  return status.code() == Code::no_memory || status.code() == Code::capacity;
}

Result<std::shared_ptr<Buffer>> try_allocate(Device& device, std::uint64_t bytes) {
  auto buffer = allocate(device, bytes);
  if (is_short_of_memory(buffer.status())) return std::shared_ptr<Buffer>();
  return buffer;
}

}  // namespace penstock::device
