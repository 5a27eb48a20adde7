#include "penstock/session_device.hpp"

#include <atomic>
#include <mutex>

#include "base/thread_pool.hpp"
#include "codec/pages/device/page_decoder.hpp"

namespace penstock {
namespace {

class OpeningSession final : public SessionDevice {
 public:
  OpeningSession(std::string device, std::optional<std::uint64_t> cache_limit_bytes)
      : selector_(std::move(device)), limit_(cache_limit_bytes) {
    cache_.set_limit(
        limit_.value_or(~std::uint64_t{0}));  // nothing is kept before device() is known
    opening_ = ThreadPool::shared().start([this] { return open_device(selector_); });
  }

  Result<std::shared_ptr<Device>> device() override {
    const std::lock_guard lock(mutex_);
    if (opening_.valid()) {
      opened_ = opening_.get();
      // The limit is set before a run can see the device.
      if (opened_.ok()) cache_.set_limit(limit_.value_or((*opened_)->traits().global_bytes / 4));
      is_open_ = opened_.ok();
    }
    return opened_;
  }
  bool is_open() const override { return is_open_; }

 private:
  const std::string selector_;
  const std::optional<std::uint64_t> limit_;
  std::mutex mutex_;
  Result<std::shared_ptr<Device>> opened_{std::shared_ptr<Device>()};
  std::atomic<bool> is_open_ = false;
  Task<Result<std::shared_ptr<Device>>>
      opening_;  // last: it waits for a task that reads the others
};

}  // namespace

std::shared_ptr<SessionDevice> SessionDevice::open(std::string device,
                                                   std::optional<std::uint64_t> cache_limit_bytes) {
  return std::make_shared<OpeningSession>(std::move(device), cache_limit_bytes);
}

Result<std::shared_ptr<pages::PageDecoder>> SessionDevice::page_decoder() {
  const std::lock_guard lock(page_decoder_mutex_);
  if (!page_decoder_) {
    PENSTOCK_ASSIGN(const std::shared_ptr<Device> opened, device());
    PENSTOCK_ASSIGN(page_decoder_, pages::PageDecoder::create(opened));
  }
  return page_decoder_;
}

}  // namespace penstock
