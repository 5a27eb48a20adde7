// The user's functions in statements, and the names that they may have.
#pragma once
#include <string>
#include <string_view>

#include "penstock/sql.hpp"

namespace penstock::sql {

bool is_identifier(std::string_view name);  // of C
// Checks the name of a user's function: a C identifier, which SQL can call, and which names none of
// the functions that there are.
Status check_user_name(const std::string& name);
// Returns the first of the user's functions that a statement calls; "" if it calls none. `users`
// may be null.
std::string user_function_called(std::string_view statement, const UserFunctions* users);
// Tells whether an error suggests one of them in place of a name that is not known.
bool suggests_user_function(const Status& error, const UserFunctions* users);
// Returns the error of a statement that calls one and is for DuckDB's planner.
Status unknown_to_duckdb(const std::string& name);
// Returns our own error of a statement that calls one. It says why DuckDB's planner is not asked
// for what is not supported.
Status error_with_user(const Status& own, const std::string& name);

}  // namespace penstock::sql
