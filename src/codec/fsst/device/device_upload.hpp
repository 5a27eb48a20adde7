// Host values upload_vector to a device's memory.
#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/device.hpp"

namespace penstock::fsst {

// Of what outlives the queue's work.
template <class T>
Result<std::shared_ptr<Buffer>> upload_vector(Device& device, Queue& queue,
                                              const std::vector<T>& values) {
  PENSTOCK_ASSIGN(auto buffer,
                  device.allocate(std::max<std::uint64_t>(values.size() * sizeof(T), 16)));
  if (!values.empty())
    PENSTOCK_TRY(queue.upload(*buffer, values.data(), values.size() * sizeof(T)));
  return buffer;
}
// Waits: of what ends with its caller.
template <class T>
Result<std::shared_ptr<Buffer>> upload_vector_now(Device& device, Queue& queue,
                                                  const std::vector<T>& values) {
  auto buffer = upload_vector(device, queue, values);
  PENSTOCK_TRY(queue.finish());
  return buffer;
}

// Whole 16s and 16 bytes more, the last of `from` and zeros, in which kernels may read wide. `from`
// and `last` outlive the queue's work.
inline Status upload_padded(Queue& queue, const Buffer& to, const Bytes& from,
                            std::array<std::byte, 16>& last) {
  const std::uint64_t whole = from.size / 16 * 16;
  last = {};
  if (from.size > whole) std::memcpy(last.data(), from.data + whole, from.size - whole);
  if (whole > 0) PENSTOCK_TRY(queue.upload(to, from.data, whole));
  return queue.upload(to, last.data(), last.size(), whole);
}

}  // namespace penstock::fsst
