#include "penstock/session_device.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/exception_boundary.hpp"
#include "base/thread_pool.hpp"
#include "codec/pages/device/page_decoder.hpp"
#include "device/device_list.hpp"
#include "device/memory_budget.hpp"

namespace penstock {
namespace {

class OpeningSession final : public SessionDevice {
 public:
  // `shares`: how often a list names the device.
  OpeningSession(std::string device, std::optional<std::uint64_t> cache_limit_bytes,
                 std::uint64_t shares = 1)
      : selector_(std::move(device)), limit_(cache_limit_bytes), shares_(shares) {
    cache_.set_limit(limit_.value_or(~std::uint64_t{0}) /
                     shares_);  // nothing is kept before device() is known
    opening_ = ThreadPool::shared().start([this] { return open_device(selector_); });
  }

  Result<std::shared_ptr<Device>> device() override {
    const std::lock_guard lock(mutex_);
    if (opening_.valid()) {
      opened_ = opening_.get();
      // The limit is set before a run can see the device.
      if (opened_.ok())
        cache_.set_limit(limit_.value_or(device::MemoryBudget((*opened_)->traits())
                                             .share_of(device::MemoryUse::session_cache)) /
                         shares_);
      is_open_ = opened_.ok();
    }
    return opened_;
  }
  bool is_open() const override { return is_open_; }
  std::string id() const override { return selector_; }

 private:
  const std::string selector_;
  const std::optional<std::uint64_t> limit_;
  const std::uint64_t shares_;
  std::mutex mutex_;
  Result<std::shared_ptr<Device>> opened_{std::shared_ptr<Device>()};
  std::atomic<bool> is_open_ = false;
  Task<Result<std::shared_ptr<Device>>>
      opening_;  // last: it waits for a task that reads the others
};

// The devices of a list, each with a session of its own.
class SessionOfSeveral final : public SessionDevice {
 public:
  using Sessions = std::vector<std::shared_ptr<SessionDevice>>;

  SessionOfSeveral(std::string list, std::optional<std::uint64_t> cache_limit_bytes)
      : list_(std::move(list)), limit_(cache_limit_bytes) {
    listing_ = ThreadPool::shared().start([this] { return open_each(); });
  }

  Result<Sessions> shares() override {
    const std::lock_guard lock(mutex_);
    if (listing_.valid()) sessions_ = listing_.get();
    return sessions_;
  }
  Result<std::shared_ptr<Device>> device() override {
    PENSTOCK_ASSIGN(const Sessions sessions, shares());
    return sessions[0]->device();
  }
  // A run asks the sessions of its shares.
  bool is_open() const override { return false; }
  std::string id() const override { return list_; }

 private:
  // "cuda:*" starts a driver.
  Result<Sessions> open_each() const {
    return catch_exceptions([&]() -> Result<Sessions> {
      PENSTOCK_ASSIGN(const std::vector<std::string> ids, device::devices_of_list(list_));
      Sessions sessions;
      for (const std::string& id : ids)
        sessions.push_back(std::make_shared<OpeningSession>(
            id, limit_, static_cast<std::uint64_t>(std::ranges::count(ids, id))));
      return sessions;
    });
  }

  const std::string list_;
  const std::optional<std::uint64_t> limit_;
  std::mutex mutex_;
  Result<Sessions> sessions_{Sessions()};
  Task<Result<Sessions>> listing_;  // last: it waits for a task that reads the others
};

}  // namespace

std::shared_ptr<SessionDevice> SessionDevice::open(std::string device,
                                                   std::optional<std::uint64_t> cache_limit_bytes) {
  if (device::names_several(device))
    return std::make_shared<SessionOfSeveral>(std::move(device), cache_limit_bytes);
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

Result<std::vector<DeviceCache*>> caches_of(SessionDevice& session) {
  PENSTOCK_ASSIGN(const auto shares, session.shares());
  std::vector<DeviceCache*> caches;
  for (const auto& share : shares) caches.push_back(&share->cache());
  if (caches.empty()) caches.push_back(&session.cache());
  return caches;
}

}  // namespace penstock
