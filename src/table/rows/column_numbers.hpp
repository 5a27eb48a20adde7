// Columns by number, and tables with some of their columns.
#pragma once
#include <cstdint>
#include <vector>

#include "penstock/column.hpp"

namespace penstock::plan {

using Columns = std::vector<std::uint32_t>;  // of a step, by number
Columns every_column(const Schema& schema);
void add_once(Columns& columns, std::uint32_t column);
// Returns the places of the wanted columns in `columns`.
Columns places_in(const Columns& columns, const Columns& wanted);

Result<Table> read_columns(const TableSource& source, const Columns& columns);
Table pick_columns(const Table& table, const Columns& columns);
// Returns a table of `schema` that has values in some columns only: column i of `from` is column
// columns[i].
Table spread_columns(const Schema& schema, const Columns& columns, const Table& from);

}  // namespace penstock::plan
