// Host values brought to a device's memory.
#pragma once
#include <algorithm>
#include <vector>

#include "penstock/device.hpp"

namespace penstock::fsst {

// Of what outlives the queue's work.
template <class T> Result<std::shared_ptr<Buffer>> brought(Device& device, Queue& queue, const std::vector<T>& values) {
  PENSTOCK_ASSIGN(auto buffer, device.allocate(std::max<std::uint64_t>(values.size() * sizeof(T), 16)));
  if (!values.empty()) PENSTOCK_TRY(queue.upload(*buffer, values.data(), values.size() * sizeof(T)));
  return buffer;
}
// Waits: of what ends with its caller.
template <class T> Result<std::shared_ptr<Buffer>> brought_at_once(Device& device, Queue& queue, const std::vector<T>& values) {
  auto buffer = brought(device, queue, values);
  PENSTOCK_TRY(queue.finish());
  return buffer;
}

}  // namespace penstock::fsst
