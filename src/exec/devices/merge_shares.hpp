// Merges what the shares of a cut left, in the order of the shares, to the rows that one device
// would have yielded.
#pragma once
#include <span>

#include "exec/devices/cuts.hpp"
#include "exec/physical/run_results.hpp"

namespace penstock::plan {

using SharePart = std::vector<PartialTable>;  // of one share; see ShareResult

// Aggregates are merged by their accumulators: exact, and floats share by share. Sorted rows are
// merged so that equal ones keep the order of shares. Other rows follow one another. Without shares
// there are no rows. `kept`: of the plan's runs; may be null.
Result<Table> merge_shares(const Plan& plan, const Cut& cut, std::span<const SharePart> shares,
                           KeptPrograms* kept = nullptr);
// Returns an error if rows, which may come from another process, have other columns than these.
Status check_columns(const Schema& schema, const Table& rows);

std::uint64_t bytes_of(const SharePart& share);

}  // namespace penstock::plan
