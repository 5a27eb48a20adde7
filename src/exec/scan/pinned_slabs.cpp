#include "exec/scan/pinned_slabs.hpp"

#include <algorithm>

#include "base/huge_pages.hpp"
#include "device/pool.hpp"

namespace penstock::plan {
namespace {

// A few slabs are a chunk of a file.
constexpr std::uint64_t slab_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t alignment = 64;

}  // namespace

// Memory that is pinned after it was filled. A driver pins huge pages that were touched at 40 GB/s.
// It is not unpinned when it was used: that waits for all work of a device.
class PinnedSlabs::EarlySlab final : public HostBuffer {
 public:
  explicit EarlySlab(std::uint64_t bytes)
      : memory_(static_cast<std::byte*>(allocate_huge_pages(bytes)), free_huge_pages) {
    data_ = memory_.get(), bytes_ = bytes;
  }
  void pin_on(Device& device) {
    if (auto pinned = device.pin_host(memory_, bytes_); pinned.ok())
      pinned_ = std::move(pinned).value();
  }

 private:
  std::shared_ptr<std::byte> memory_;
  std::shared_ptr<HostBuffer> pinned_;
};

Result<std::shared_ptr<HostBuffer>> PinnedSlabs::make_slab(std::uint64_t bytes) {
  if (device_) return device_->allocate_host(bytes);
  auto slab = std::make_shared<EarlySlab>(device::size_class(bytes));
  early_.push_back(slab);
  return std::shared_ptr<HostBuffer>(std::move(slab));
}

std::shared_ptr<std::byte> PinnedSlabs::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!slab_ || slab_->bytes() - used_bytes_ < bytes) {
    auto slab = make_slab(std::max(slab_bytes, bytes));
    if (!slab.ok()) return nullptr;
    slab_ = std::move(slab).value();
    used_bytes_ = 0;
  }
  std::byte* const block = slab_->data() + used_bytes_;
  used_bytes_ =
      std::min(slab_->bytes(), (used_bytes_ + bytes + alignment - 1) / alignment * alignment);
  return {slab_, block};
}

void PinnedSlabs::pin_on(std::shared_ptr<Device> device) {
  const std::lock_guard lock(mutex_);
  device_ = std::move(device);
  for (const std::weak_ptr<EarlySlab>& early : early_)
    if (const auto slab = early.lock()) slab->pin_on(*device_);
  early_.clear();
}

}  // namespace penstock::plan
