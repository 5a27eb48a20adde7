// Refuses columns of types that are not read.
#pragma once
#include <span>
#include <string>

#include "penstock/column.hpp"

namespace penstock::column {

// Returns Code::unsupported and names every one of these columns that is not read; `of` is
// " of 'a.parquet'" or "".
Status check_supported(const Schema& schema, std::span<const std::uint32_t> columns,
                       const std::string& of = "");
Status check_supported(const Schema& schema);
Status check_supported(const Field& field);

}  // namespace penstock::column
