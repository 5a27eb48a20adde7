// Answers of statements as Arrow, in the types that ExecuteSchema has told before.
#pragma once
#include <vector>

#include "session/adbc/outcome.hpp"

namespace penstock::adbc {

// Fills a stream with a batch for each table that has rows. All have the types of the first, and
// take its names: a column that is a parameter is named by its value. Fields may be NULL, whether
// values are or not. Strings are plain.
Outcome export_tables(std::vector<Table> tables, ArrowArrayStream* stream);

// Returns a table of these columns without rows.
Table empty_table(const Schema& schema);

// Fills the schema of a table of these columns.
Outcome export_schema_of(const Schema& schema, ArrowSchema* out);

}  // namespace penstock::adbc
