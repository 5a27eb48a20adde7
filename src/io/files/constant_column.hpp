// Columns of which all rows have one value.
#pragma once
#include "penstock/expression.hpp"

namespace penstock::io {

// A string is held once, and its rows are codes.
Column constant_column(const Scalar& value, std::uint64_t row_count);

}  // namespace penstock::io
