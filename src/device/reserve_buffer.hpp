// Buffers that are kept from one call to the next, and grow.
#pragma once
#include <algorithm>

#include "penstock/device.hpp"

namespace penstock {

constexpr std::uint64_t min_grown_bytes = 256;  // the smallest block of a pool

// Makes a buffer at least `bytes` long. Growing loses the content.
inline Status reserve(Device& device, std::uint64_t bytes, std::shared_ptr<Buffer>& buffer) {
  if (buffer != nullptr && buffer->bytes() >= bytes) return {};
  buffer.reset();
  PENSTOCK_ASSIGN(buffer, device.allocate(std::max(bytes, min_grown_bytes)));
  return {};
}
inline Status reserve(Device& device, std::uint64_t bytes, std::shared_ptr<HostBuffer>& buffer) {
  if (buffer != nullptr && buffer->bytes() >= bytes) return {};
  buffer.reset();
  PENSTOCK_ASSIGN(buffer, device.allocate_host(std::max(bytes, min_grown_bytes)));
  return {};
}

}  // namespace penstock
