// Errors that point at their place in the statement.
//
//     no column 'prize'; the nearest is 'price'
//     LINE 1: SELECT prize FROM 'hits.parquet'
//                    ^
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::sql {

// `offset` counts bytes; beyond the end it points behind the last character. Long lines are cut to
// what stands around it.
Status error_at(std::string_view statement, std::int64_t offset, Code code, std::string message);
// The line and caret alone.
std::string excerpt(std::string_view statement, std::int64_t offset);

}  // namespace penstock::sql
