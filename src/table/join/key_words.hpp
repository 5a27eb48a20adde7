// The keys of a join's rows as words, which its tables compare.
#pragma once
#include <cstdint>
#include <span>

#include "base/huge_page_allocator.hpp"
#include "table/strings/string_pool.hpp"

namespace penstock::plan {

// The words of keys, row by row, and whether each row's keys are all present.
struct KeyWords {
  LargeVector<std::uint64_t> made;
  std::span<const std::uint64_t> of_column;  // if the column's values are such words already
  LargeVector<std::uint8_t> present;

  std::span<const std::uint64_t> words() const { return of_column.empty() ? made : of_column; }
};
// The words may be a column's values: that column must outlive them.
Result<KeyWords> key_words(std::span<const Column> keys, StringPool& strings);

}  // namespace penstock::plan
