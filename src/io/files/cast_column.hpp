// Casts columns of files whose types differ, as DuckDB casts values.
#pragma once
#include <optional>

#include "penstock/column.hpp"

namespace penstock::io {

// Returns the type that columns of two files meet in; nullopt where they do not. A text meets all.
std::optional<Type> met_type(Type a, Type b);

bool is_castable(Type from, Type to);
// Code::invalid names the first value that the type does not hold.
Result<Column> cast_column(const Column& column, Type to);

}  // namespace penstock::io
