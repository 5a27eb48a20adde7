// Translates a condition on a table's rows into one on the rows of a single file.
#pragma once
#include "io/files/joined_schema.hpp"
#include "penstock/skipping.hpp"

namespace penstock::io {

// Returns a condition on the file's own columns that holds wherever the table's condition does.
// Returns nullopt if the values of the file's path show that none of its rows is needed.
std::optional<RowCondition> condition_of_file(const FilePart& part, const Schema& schema,
                                              const RowCondition& needed);

// Returns whether a condition leaves out no row.
bool holds_always(const RowCondition& condition);

}  // namespace penstock::io
