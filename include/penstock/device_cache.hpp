// A cache of columns and pages of files between queries, in device or host memory, up to a limit of
// bytes.
//
// An entry is anything that a shared pointer owns. The entries that were least recently used go
// first. One that is in use lives on until its last user lets go of it, so that queries in flight
// may hold more than the limit for a while.
//
//     DeviceCache cache(std::uint64_t{8} << 30);
//     const DeviceCache::Key key{"page", source.identity(), column, first_row, row_count};
//     if (auto page = cache.find<Page>(key)) return page;
//     cache.put(key, loaded, loaded->bytes());
#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <string>

namespace penstock {

class DeviceCache {
 public:
  struct Key {
    std::string kind;  // says what the value is: one kind, one C++ type
    // The file's TableSource::identity(). An entry of a part of the rows names it after
    // end_of_file_identity.
    std::string identity;
    std::uint64_t column = 0, first_row = 0, row_count = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Counters {
    std::uint64_t hits = 0, misses = 0, evictions = 0;  // since the cache was made
    std::uint64_t entries = 0, bytes = 0, limit_bytes = 0;
  };

  static constexpr char end_of_file_identity = '\n';

  explicit DeviceCache(std::uint64_t limit_bytes = 0);
  ~DeviceCache();
  DeviceCache(const DeviceCache&) = delete;
  DeviceCache& operator=(const DeviceCache&) = delete;

  // Every call is thread-safe. Null if there is no such entry.
  template <class T> std::shared_ptr<const T> find(const Key& key) {
    return std::static_pointer_cast<const T>(look_up(key));
  }
  // Keeps the value, and drops others for it. A value that is there already stays; one larger than
  // the limit is not kept.
  void put(const Key& key, std::shared_ptr<const void> value, std::uint64_t bytes);
  void drop(const std::string& identity);  // every entry of a file or of its parts
  void clear();
  void set_limit(std::uint64_t bytes);  // 0: keeps nothing
  std::uint64_t limit_bytes() const { return counters().limit_bytes; }
  Counters counters() const;

 private:
  struct State;
  std::shared_ptr<const void> look_up(const Key& key);
  const std::unique_ptr<State> state_;
};

}  // namespace penstock
