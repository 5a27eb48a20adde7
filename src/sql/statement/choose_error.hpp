// The error of a statement that neither planner takes.
#pragma once
#include <string_view>

#include "penstock/status.hpp"

namespace penstock::sql {

// Returns the one of both that names what is wrong. Our refusals say where, and what to write
// instead. DuckDB's errors of the statement itself, and its plans' refusals of something else, go
// before them.
Status error_of_both(std::string_view statement, const Status& own, const Status& planned);
// Tells whether our parser reads the statement. Behind the token at which it stops nothing is
// known, and DuckDB's parser has come further.
bool is_parsed(std::string_view statement);
// Adds to our error what to install, where DuckDB may know the statement.
Status with_hint(std::string_view statement, const Status& own);

}  // namespace penstock::sql
