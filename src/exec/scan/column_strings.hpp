// The strings in the dictionaries of one column, each with a number.
//
// Numbers belong to the column, not to a run: pages with numbered dictionaries can stay on a
// device, and every run maps numbers to the codes of its own pool. Thread-safe.
#pragma once
#include <cstdint>
#include <mutex>
#include <vector>

#include "table/strings/string_pool.hpp"

namespace penstock::plan {

class ColumnStrings {
 public:
  ColumnStrings();
  // Differs from the id of any other object of the process.
  std::uint64_t id() const { return id_; }
  // Writes the number of each string, and adds new strings.
  Status number(const Column& strings, std::vector<std::uint32_t>& numbers);
  // Returns the strings from a number on, in the order of their numbers; none if there are none.
  Column from(std::size_t first) const;
  // The host memory of the strings, by estimate.
  std::uint64_t bytes() const;

 private:
  const std::uint64_t id_;
  mutable std::mutex mutex_;
  StringPool pool_;
  std::uint64_t bytes_ = 0;
};

}  // namespace penstock::plan
