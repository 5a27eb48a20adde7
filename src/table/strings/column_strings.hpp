// The strings of one column, each with a number.
//
// Numbers belong to the column, not to a run: what a session keeps of a column has them, in any
// statement. Thread-safe.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/device_cache.hpp"
#include "table/strings/string_order.hpp"
#include "table/strings/string_pool.hpp"

namespace penstock::plan {

class ColumnStrings {
 public:
  ColumnStrings();
  // Differs from the id of any other object of the process.
  std::uint64_t id() const { return id_; }
  // Writes the number of each row's string, 0 for NULL, and adds new strings.
  Status number(const Column& strings, std::vector<std::uint32_t>& numbers);
  std::uint32_t number(std::string_view text);
  // Returns the number of a string; StringPool::no_code if it has none.
  std::uint32_t find(std::string_view text) const;
  // `number` is one that number() has returned.
  std::string_view text(std::uint32_t number) const { return pool_.text(number); }
  std::uint64_t count() const;
  // Returns the strings from a number on, in the order of their numbers; none if there are none.
  Column from(std::size_t first) const;
  // Returns all strings. It copies them if some are new since the last call.
  std::shared_ptr<const Column> all() const;
  // Returns the order of all strings. It is made if some are new since the last call.
  std::shared_ptr<const StringOrder> order() const;
  // Whether all strings of a source were numbered: of the file, or of some of its rows.
  bool is_complete(const std::string& identity) const;
  void set_complete(const std::string& identity);
  // The host memory of the strings, by estimate.
  std::uint64_t bytes() const;

 private:
  void count_bytes();
  Column copied(std::size_t first) const;

  const std::uint64_t id_;
  mutable std::mutex mutex_;
  StringPool pool_;
  std::size_t counted_ = 0;  // strings that bytes_ counts
  std::uint64_t bytes_ = 0;
  std::set<std::string> complete_;  // identities
  mutable std::shared_ptr<const StringOrder> order_ = std::make_shared<const StringOrder>();
  mutable std::shared_ptr<const Column> all_ = std::make_shared<const Column>();
};

// Returns the key of the strings of a source's column, or of a function of it.
DeviceCache::Key key_of_strings(const std::string& identity, std::uint32_t column,
                                const std::string& function = {});
// Returns the strings that a session keeps under a key; `strings` if it has none, which it keeps
// then. Two runs that begin at once number the strings of a column together.
std::shared_ptr<ColumnStrings> keep_strings(DeviceCache& cache, const DeviceCache::Key& key,
                                            std::shared_ptr<ColumnStrings> strings);

}  // namespace penstock::plan
