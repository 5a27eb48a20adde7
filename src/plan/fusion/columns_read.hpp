// Which columns are needed of what a chain of steps reads, and reading no others.
#pragma once
#include "plan/fusion/tile_program.hpp"

namespace penstock::plan {

using Columns = std::vector<std::uint32_t>;  // of a step, by number

// Whether a step yields its input's rows, of which columns may be left out that nothing wants.
bool keeps_columns(StepKind kind);
Columns every_column(const Schema& schema);
void add_once(Columns& columns, std::uint32_t column);
// The columns that programs read of the rows of their base; one at least.
Columns columns_scanned(const std::vector<TileProgram>& programs);
// The columns of the right side of a join that programs take, which look it up as their lookup `i`;
// and its keys.
Columns columns_looked_up(const Step& join, const std::vector<TileProgram>& programs,
                          std::size_t i);
// The columns of the left side that some columns of a join's result need (none: all of it), and its
// keys.
Columns columns_of_left(const Step& join, const Columns& wanted);

Result<Table> read_columns(const TableSource& source, const Columns& columns);
Table pick_columns(const Table& table, const Columns& columns);
// A table of `schema` that has values in some columns only: column i of `from` is column
// columns[i].
Table spread_columns(const Schema& schema, const Columns& columns, const Table& from);

}  // namespace penstock::plan
