// Columns of types that are not read.
#pragma once
#include <span>
#include <string>

#include "penstock/column.hpp"

namespace penstock::column {

// Code::unsupported, naming every one of these columns that is not read; `of`: " of 'a.parquet'",
// or nothing.
Status check_supported(const Schema& schema, std::span<const std::uint32_t> columns,
                       const std::string& of = "");
Status check_supported(const Schema& schema);
Status check_supported(const Field& field);

}  // namespace penstock::column
