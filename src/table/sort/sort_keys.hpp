// Normalized sort keys: unsigned words in the order of the rows, for a radix sort.
//
// Each key becomes numbers in the order of its values: integers minus the column's least, floats by
// their bits (NaN above all), strings by their rank among the column's strings, NULLs below or
// above them. A descending key is reversed. Keys are side by side in a word, the first one highest,
// each as narrow as its column's range.
#pragma once
#include <vector>

#include "base/huge_page_allocator.hpp"
#include "penstock/steps.hpp"

namespace penstock::plan {

struct NormalizedKey {
  LargeVector<std::uint64_t> values;  // of every row
  std::uint32_t bits = 0;
};

// Returns the keys' words, the most significant one first; none if all keys are constant.
std::vector<NormalizedKey> normalized_keys(const Table& table, const std::vector<SortKey>& keys);

// Returns the first `limit` rows in order: order[i] is the row at position i. Equal rows keep their
// order.
std::vector<std::uint64_t> order_on_host(const std::vector<NormalizedKey>& words,
                                         std::uint64_t row_count, std::uint64_t limit);
// The same of a table, by keys that are ranked as far as earlier ones leave rows equal.
std::vector<std::uint64_t> order_on_host(const Table& table, const std::vector<SortKey>& keys,
                                         std::uint64_t limit);

}  // namespace penstock::plan
