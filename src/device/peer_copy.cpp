#include "device/peer_copy.hpp"

#include <algorithm>

namespace penstock::device {
namespace {

constexpr std::uint64_t part_bytes = 64 << 20;

Status copy_by_host(const DeviceRange& to, const DeviceRange& from, std::uint64_t bytes) {
  PENSTOCK_ASSIGN(const auto staging, from.device->allocate_host(std::min(bytes, part_bytes)));
  PENSTOCK_ASSIGN(const auto downloads, from.device->queue());
  PENSTOCK_ASSIGN(const auto uploads, to.device->queue());
  for (std::uint64_t at = 0; at < bytes; at += part_bytes) {
    const std::uint64_t part = std::min(part_bytes, bytes - at);
    PENSTOCK_TRY(downloads->download(staging->data(), *from.buffer, part, from.offset + at));
    PENSTOCK_TRY(downloads->finish());
    PENSTOCK_TRY(uploads->upload(*to.buffer, staging->data(), part, to.offset + at));
    PENSTOCK_TRY(uploads->finish());
  }
  return {};
}

}  // namespace

Status copy_between(std::span<const DeviceCopy> copies) {
  if (copies.empty()) return {};
  PENSTOCK_ASSIGN(const bool are_copied, copy_over_cuda_link(copies));
  if (are_copied) return {};
  for (const DeviceCopy& copy : copies) PENSTOCK_TRY(copy_by_host(copy.to, copy.from, copy.bytes));
  return {};
}

}  // namespace penstock::device
