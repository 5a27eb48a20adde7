// What a condition on a table's rows says of the rows of one of its files.
#pragma once
#include "io/files/joined_schema.hpp"
#include "penstock/skipping.hpp"

namespace penstock::io {

// Returns a condition on the file's own columns that holds wherever the table's does; nullopt where
// no row of the file is needed, as the values tell that all its rows have: those of its path.
std::optional<RowCondition> condition_of_file(const FilePart& part, const Schema& schema,
                                              const RowCondition& needed);

// Returns whether a condition leaves out no row.
bool holds_always(const RowCondition& condition);

}  // namespace penstock::io
