// The columns that a chain of steps needs of what it reads. All others are left out.
#pragma once
#include "plan/fusion/tile_program.hpp"

namespace penstock::plan {

using Columns = std::vector<std::uint32_t>;  // of a step, by number

// Returns whether a step yields its input's rows, so that columns which no later step reads may be
// left out.
bool keeps_columns(StepKind kind);
Columns every_column(const Schema& schema);
void add_once(Columns& columns, std::uint32_t column);
// Returns the columns that programs read of the rows of their base; at least one.
Columns columns_scanned(const std::vector<TileProgram>& programs);
// Returns the columns that programs need of the right side of a join, which is their lookup `i`;
// and its keys.
Columns columns_looked_up(const Step& join, const std::vector<TileProgram>& programs,
                          std::size_t i);
// Returns the columns of the left side that some columns of a join's result need (empty: all of
// it), and its keys.
Columns columns_of_left(const Step& join, const Columns& wanted);
Columns right_keys(const Step& join);  // of its right side
// Returns where some columns stand among others.
Columns places_in(const Columns& columns, const Columns& wanted);

Result<Table> read_columns(const TableSource& source, const Columns& columns);
Table pick_columns(const Table& table, const Columns& columns);
// Returns a table of `schema` that has values in some columns only: column i of `from` is column
// columns[i].
Table spread_columns(const Schema& schema, const Columns& columns, const Table& from);

}  // namespace penstock::plan
