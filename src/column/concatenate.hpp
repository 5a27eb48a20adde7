// Concatenates columns of one type.
#pragma once
#include <span>

#include "penstock/column.hpp"

namespace penstock::column {

// A single column is returned as it is. A dictionary is kept where all columns share it; several
// small ones become one with each string once. Otherwise strings are copied.
Column concatenate(Type type, std::span<const Column> columns);
// Does the same for columns that may be encoded: the result is encoded where all are.
Result<Column> concatenate_encoded(Type type, std::span<const Column> columns);

}  // namespace penstock::column
