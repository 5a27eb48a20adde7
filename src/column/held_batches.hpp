// A source over batches in memory.
#pragma once
#include "penstock/column.hpp"

namespace penstock::column {

// Reads a source to its end and holds its batches, so that it has a number of rows and can be
// scanned again. Only small batches are copied, together. Columns of types that are not read are
// left out, and a scan of one is refused.
Result<std::shared_ptr<TableSource>> hold_batches(const TableSource& source);

}  // namespace penstock::column
