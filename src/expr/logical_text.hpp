// Texts of values of logical types, as DuckDB prints them.
#pragma once
#include <cstdint>
#include <string>

#include "column/nested/packed_bytes.hpp"
#include "penstock/expression.hpp"

namespace penstock::expr {

// "1998-09-02 10:00:00+00", "10:00:00", "\x00ab", a UUID, "3 months 2 days", "[1, NULL]",
// "{'a': 1}" or "{key=value}". The value is not NULL.
std::string logical_text(const Scalar& value);

std::string padded(std::int64_t value, std::size_t width);  // with zeros in front
// "10:00:00" or "10:00:00.25" of microseconds, which may be more than a day.
std::string time_text(std::int64_t microseconds);

// Takes a value of a list, a struct or a map from its packed bytes.
Scalar take_value(column::PackedReader& from, Type type, column::PackedMark mark);

}  // namespace penstock::expr
