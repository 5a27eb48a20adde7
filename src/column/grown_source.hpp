// A table that grows: rows of one source, then those of others with the same columns.
#pragma once
#include "penstock/column.hpp"

namespace penstock::column {

// Returns the rows of a table and added ones, both with columns of the same types. Neither is
// copied, but small parts are put together: a table that grows row by row has few parts.
Result<std::shared_ptr<TableSource>> grow(const std::shared_ptr<TableSource>& table,
                                          std::shared_ptr<TableSource> added);

}  // namespace penstock::column
