// Tables of any size as batches of the size that ScanOptions asks for.
#pragma once
#include <deque>
#include <functional>

#include "penstock/column.hpp"

namespace penstock::column {

// One table after another, nullopt at the end.
using NextTable = std::function<Result<std::optional<Table>>()>;

// Batches of `batch_rows` (rounded down to a multiple of 64): slices of the tables where they are
// large enough, otherwise copied together. Encoded texts make smaller batches rather than copies.
std::unique_ptr<BatchStream> rebatch(NextTable next, std::uint64_t batch_rows);

}  // namespace penstock::column
