// Finds the columns that a chain of steps needs of its inputs. All other columns are left out.
#pragma once
#include "fuse/program/tile_program.hpp"
#include "table/rows/column_numbers.hpp"

namespace penstock::plan {

// Returns whether a step yields its input's rows, so that columns may be left out if no later step
// reads them.
bool keeps_columns(StepKind kind);
// Returns the columns that a filter or a map reads of its input's, to yield `wanted`; empty: all.
Columns columns_read(const Step& step, const Columns& wanted);
// Returns the columns that programs read of the rows of their base; at least one.
Columns columns_scanned(const std::vector<TileProgram>& programs);
// Returns the columns that programs need of the right side of a join, which is their lookup `i`,
// including its keys.
Columns columns_looked_up(const Step& join, const std::vector<TileProgram>& programs,
                          std::size_t i);
// Returns the columns of the left side that some columns of a join's result need (empty: all of
// it), and its keys.
Columns columns_of_left(const Step& join, const Columns& wanted);
Columns right_keys(const Step& join);  // of its right side
}  // namespace penstock::plan
