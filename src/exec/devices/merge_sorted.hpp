// Merges tables that are sorted already.
#pragma once
#include <span>

#include "penstock/plan.hpp"

namespace penstock::plan {

// `rows` are sorted ranges one after another, which end at `ends`. Returns the first `limit` rows
// in the order of the keys. Equal rows keep their order.
Table merge_sorted(const Table& rows, std::span<const std::uint64_t> ends,
                   const std::vector<SortKey>& keys, std::uint64_t limit);

}  // namespace penstock::plan
