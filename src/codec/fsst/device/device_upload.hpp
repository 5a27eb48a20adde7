// Uploads of host values to new device buffers.
#pragma once
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/device.hpp"

namespace penstock::fsst {

// Enqueues the upload of `values`, which must outlive it.
template <class T>
Result<std::shared_ptr<Buffer>> upload_vector(Device& device, Queue& queue,
                                              const std::vector<T>& values) {
  PENSTOCK_ASSIGN(auto buffer,
                  device.allocate(std::max<std::uint64_t>(values.size() * sizeof(T), 16)));
  if (!values.empty())
    PENSTOCK_TRY(queue.upload(*buffer, values.data(), values.size() * sizeof(T)));
  return buffer;
}
// Uploads `values` and waits.
template <class T>
Result<std::shared_ptr<Buffer>> upload_vector_now(Device& device, Queue& queue,
                                                  const std::vector<T>& values) {
  auto buffer = upload_vector(device, queue, values);
  PENSTOCK_TRY(queue.finish());
  return buffer;
}

// Uploads `from` with zeros up to a multiple of 16, so that kernels may load 16 bytes at once. The
// rest after the last whole 16 bytes goes through `last`. `from` and `last` must outlive the
// upload.
inline Status upload_padded(Queue& queue, const Buffer& to, const Bytes& from,
                            std::array<std::byte, 16>& last) {
  const std::uint64_t whole = from.size / 16 * 16;
  last = {};
  if (from.size > whole) std::memcpy(last.data(), from.data + whole, from.size - whole);
  if (whole > 0) PENSTOCK_TRY(queue.upload(to, from.data, whole));
  return queue.upload(to, last.data(), last.size(), whole);
}

}  // namespace penstock::fsst
