// Reads times, instants and intervals as DuckDB does.
#pragma once
#include <optional>
#include <string_view>

#include "penstock/expression.hpp"

namespace penstock::expr {

// TIME, TIMESTAMP WITH TIME ZONE or INTERVAL
inline bool is_temporal(Type type) {
  return type.logical == LogicalType::time || type.logical == LogicalType::timestamp_tz ||
         type.logical == LogicalType::interval;
}

// Reads a value of such a type. An instant without a zone is of the session's zone. A time is also
// that of a timestamp. nullopt where the text is no value.
std::optional<Scalar> parse_temporal(Type type, std::string_view text);

}  // namespace penstock::expr
