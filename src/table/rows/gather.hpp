// Gathers rows of host columns by number.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "penstock/column.hpp"

namespace penstock::plan {

// Row i of the result is row rows[i] of `column`. A dictionary is kept.
Column gather(const Column& column, std::span<const std::uint64_t> rows);
// Gathers from a column that may be encoded: only these rows are decoded.
Result<Column> gather_decoded(const Column& column, std::span<const std::uint64_t> rows);
// Gathers with NULL for rows that are no_row.
constexpr std::uint64_t no_row = ~std::uint64_t{0};
Column gather_or_null(const Column& column, std::vector<std::uint64_t> rows);
// Gathers by the row numbers that a join found, 32 bits each, no_row among them; `column` may have
// no rows.
Column gather_found(const Column& column, std::span<const std::uint32_t> rows);
Table gather(const Table& table, std::span<const std::uint64_t> rows);

}  // namespace penstock::plan
