// Columns of one type, one after another.
#pragma once
#include <span>

#include "penstock/column.hpp"

namespace penstock::column {

// One column is itself. A dictionary stays where all have the same, and several small ones become
// one with each text once; otherwise texts are copied.
Column concatenate(Type type, std::span<const Column> columns);
// The same of columns that may be encoded: so is the result where all are.
Result<Column> concatenate_encoded(Type type, std::span<const Column> columns);

}  // namespace penstock::column
