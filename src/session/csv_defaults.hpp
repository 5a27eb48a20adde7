// Options that a program gives for all CSV files of its statements.
#pragma once
#include <span>

#include "penstock/table_reference.hpp"

namespace penstock::session {

// Adds the options to a table that is named by its path alone, unless the name's ending is that of
// another format. What a statement says of a table by read_csv() stays.
TableReference with_csv_defaults(TableReference table, std::span<const TableOption> options);

}  // namespace penstock::session
