// Concatenates columns of one type.
#pragma once
#include <span>

#include "penstock/column.hpp"

namespace penstock::column {

// Returns a single column as it is. Keeps a dictionary that all columns share. Joins several small
// dictionaries into one with each string once. Otherwise copies strings.
Column concatenate(Type type, std::span<const Column> columns);
// Does the same for columns that may be encoded: the result is encoded where all are.
Result<Column> concatenate_encoded(Type type, std::span<const Column> columns);

}  // namespace penstock::column
