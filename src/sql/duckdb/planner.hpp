// DuckDB as a planner: its library in this process, its program, or Python with its module.
#pragma once
#include <string>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::sql {

// Looks once a process, at what PENSTOCK_DUCKDB names or in the order of docs/sql.md.
bool has_planner();
// Returns how long that took for the first caller, 0 for others.
double take_opening_seconds();
// Runs statements in a database in memory that holds nothing else, and returns the only value of
// the last result. Code::unsupported where there is no planner, Code::invalid with DuckDB's
// message.
Result<std::string> run_in_duckdb(const std::vector<std::string>& statements);

}  // namespace penstock::sql
