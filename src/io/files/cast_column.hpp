// Casts columns that have different types in different files, as DuckDB casts values.
#pragma once
#include <optional>

#include "penstock/column.hpp"

namespace penstock::io {

// Returns the common type of two files' columns; nullopt if there is none. Any type meets a text.
std::optional<Type> met_type(Type a, Type b);

bool is_castable(Type from, Type to);
// Code::invalid names the first value that the type does not hold.
Result<Column> cast_column(const Column& column, Type to);

}  // namespace penstock::io
