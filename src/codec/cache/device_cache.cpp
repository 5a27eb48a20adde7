#include "penstock/device_cache.hpp"

namespace penstock {

// Dropped entries are destroyed after the lock is released, as freeing device memory takes time.

std::shared_ptr<const void> DeviceCache::look_up(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    counters_.misses++;
    return nullptr;
  }
  counters_.hits++;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->value;
}

void DeviceCache::put(const Key& key, std::shared_ptr<const void> value, std::uint64_t bytes) {
  Entries dropped;
  const std::lock_guard lock(mutex_);
  if (bytes > counters_.limit_bytes || by_key_.contains(key)) return;
  shrink_to(counters_.limit_bytes - bytes, dropped);
  entries_.push_front({key, std::move(value), bytes});
  by_key_[key] = entries_.begin();
  counters_.bytes += bytes;
}

static bool is_of_file(const std::string& key, const std::string& identity) {
  return key.starts_with(identity) && (key.size() == identity.size() ||
                                       key[identity.size()] == DeviceCache::end_of_file_identity);
}

void DeviceCache::drop(const std::string& identity) {
  Entries dropped;
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto here = entry++;
    if (is_of_file(here->key.identity, identity)) remove(here, dropped);
  }
}

void DeviceCache::clear() {
  Entries dropped;
  const std::lock_guard lock(mutex_);
  by_key_.clear();
  counters_.bytes = 0;
  dropped.swap(entries_);
}

void DeviceCache::set_limit(std::uint64_t bytes) {
  Entries dropped;
  const std::lock_guard lock(mutex_);
  counters_.limit_bytes = bytes;
  shrink_to(bytes, dropped);
}

DeviceCache::Counters DeviceCache::counters() const {
  const std::lock_guard lock(mutex_);
  Counters counters = counters_;
  counters.entries = entries_.size();
  return counters;
}

void DeviceCache::shrink_to(std::uint64_t bytes, Entries& dropped) {
  while (counters_.bytes > bytes && !entries_.empty()) {
    counters_.evictions++;
    remove(std::prev(entries_.end()), dropped);
  }
}

void DeviceCache::remove(Entries::iterator entry, Entries& dropped) {
  counters_.bytes -= entry->bytes;
  by_key_.erase(entry->key);
  dropped.splice(dropped.end(), entries_, entry);
}

}  // namespace penstock
