#include "penstock/device_cache.hpp"

#include <mutex>
#include <utility>

#include "base/lru_map.hpp"

namespace penstock {
namespace {

using Entries = LruMap<DeviceCache::Key, std::shared_ptr<const void>>;

bool is_of_file(const std::string& key, const std::string& identity) {
  return key.starts_with(identity) && (key.size() == identity.size() ||
                                       key[identity.size()] == DeviceCache::end_of_file_identity);
}

}  // namespace

struct DeviceCache::State {
  explicit State(std::uint64_t limit_bytes) : entries(limit_bytes) {}
  std::mutex mutex;
  Entries entries;
  std::uint64_t hits = 0, misses = 0, evictions = 0;
};

// Dropped entries are destroyed after the lock is released, as freeing device memory takes time.

DeviceCache::DeviceCache(std::uint64_t limit_bytes)
    : state_(std::make_unique<State>(limit_bytes)) {}
DeviceCache::~DeviceCache() = default;

std::shared_ptr<const void> DeviceCache::look_up(const Key& key) {
  const std::lock_guard lock(state_->mutex);
  const auto* const found = state_->entries.find(key);
  (found ? state_->hits : state_->misses)++;
  return found ? *found : nullptr;
}

void DeviceCache::put(const Key& key, std::shared_ptr<const void> value, std::uint64_t bytes) {
  Entries::Values dropped;
  const std::lock_guard lock(state_->mutex);
  Entries& entries = state_->entries;
  if (bytes > entries.max_weight() || entries.contains(key)) return;
  dropped = entries.put(key, std::move(value), bytes);
  state_->evictions += dropped.size();
}

void DeviceCache::drop(const std::string& identity) {
  Entries::Values dropped;
  const std::lock_guard lock(state_->mutex);
  dropped = state_->entries.remove_if(
      [&](const Key& key, const auto&) { return is_of_file(key.identity, identity); });
}

void DeviceCache::clear() {
  Entries::Values dropped;
  const std::lock_guard lock(state_->mutex);
  dropped = state_->entries.remove_if([](const Key&, const auto&) { return true; });
}

void DeviceCache::set_limit(std::uint64_t bytes) {
  Entries::Values dropped;
  const std::lock_guard lock(state_->mutex);
  dropped = state_->entries.set_max_weight(bytes);
  state_->evictions += dropped.size();
}

DeviceCache::Counters DeviceCache::counters() const {
  const std::lock_guard lock(state_->mutex);
  const Entries& entries = state_->entries;
  return {.hits = state_->hits,
          .misses = state_->misses,
          .evictions = state_->evictions,
          .entries = entries.size(),
          .bytes = entries.weight(),
          .limit_bytes = entries.max_weight()};
}

}  // namespace penstock
