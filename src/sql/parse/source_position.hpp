// Errors with their position in the statement.
//
//     referenced column "prize" not found in FROM clause; candidate bindings: "price"
//     LINE 1: SELECT prize FROM 'hits.parquet'
//                    ^
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::sql {

// `offset` counts bytes; beyond the end it points after the last character. Long lines are cut
// around it.
Status error_at(std::string_view statement, std::int64_t offset, Code code, std::string message);
// Returns a message without what is beyond its limit: it may quote a name of any length.
std::string shortened(std::string message);
// Returns the line and caret alone.
std::string excerpt(std::string_view statement, std::int64_t offset);

}  // namespace penstock::sql
