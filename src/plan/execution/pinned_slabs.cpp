#include "plan/execution/pinned_slabs.hpp"

#include <algorithm>

namespace penstock::plan {
namespace {

// A few slabs are a chunk of a file.
constexpr std::uint64_t slab_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t alignment = 64;

}  // namespace

std::shared_ptr<std::byte> PinnedSlabs::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!slab_ || slab_->bytes() - used_bytes_ < bytes) {
    auto slab = device_->allocate_host(std::max(slab_bytes, bytes));
    if (!slab.ok()) return nullptr;
    slab_ = std::move(slab).value();
    used_bytes_ = 0;
  }
  std::byte* const block = slab_->data() + used_bytes_;
  used_bytes_ =
      std::min(slab_->bytes(), (used_bytes_ + bytes + alignment - 1) / alignment * alignment);
  return {slab_, block};
}

}  // namespace penstock::plan
