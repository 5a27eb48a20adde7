// Turns tables of any size into batches of the size that ScanOptions asks for.
#pragma once
#include <deque>
#include <functional>

#include "penstock/column.hpp"

namespace penstock::column {

// Yields one table after another, nullopt at the end.
using NextTable = std::function<Result<std::optional<Table>>()>;

// Yields batches of `batch_rows`, rounded down to a multiple of 64: slices of large tables, copies
// of small ones. Encoded strings make smaller batches rather than copies.
std::unique_ptr<BatchStream> rebatch(NextTable next, std::uint64_t batch_rows);

}  // namespace penstock::column
