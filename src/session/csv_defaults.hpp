// Options that a program gives for all CSV files of its statements.
#pragma once
#include <span>

#include "penstock/table_reference.hpp"

namespace penstock::session {

// Adds the options to a table that is named by its path alone, unless the name ends like a file of
// another format. A statement's own read_csv() keeps its options.
TableReference with_csv_defaults(TableReference table, std::span<const TableOption> options);

}  // namespace penstock::session
