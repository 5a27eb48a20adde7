// The order of rows as unsigned words, which is what a radix sort takes.
//
// Each key becomes numbers that order as its values do: integers less the column's least, floats by
// their bits (NaN above all), strings by their rank among the column's texts, NULLs below or above
// them, a descending key turned round. Keys stand side by side in a word, the first one highest,
// each as narrow as its column's range.
#pragma once
#include <vector>

#include "penstock/plan.hpp"

namespace penstock::plan {

struct SortWord {
  std::vector<std::uint64_t> values;  // of every row
  std::uint32_t bits = 0;
};

// The most significant word first; none where all keys are constant.
std::vector<SortWord> sort_words(const Table& table, const std::vector<SortKey>& keys);

// order[i] is the row that stands at place i; equal rows as they stood. The first `limit` of them.
std::vector<std::uint64_t> order_on_host(const std::vector<SortWord>& words,
                                         std::uint64_t row_count, std::uint64_t limit);

}  // namespace penstock::plan
