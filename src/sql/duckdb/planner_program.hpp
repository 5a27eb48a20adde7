// DuckDB as a planner: its program, or Python with its module.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::sql {

struct PlannerProgram {
  std::string path;
  bool is_python = false;
};
// Returns what PENSTOCK_DUCKDB names: a duckdb, or a Python that has the module. Else searches
// Python's environments and the path. Nothing where there is none. Looks once a process.
const std::optional<PlannerProgram>& planner_program();

// Runs statements in a new database in memory, and returns the only value of the last result.
Result<std::string> run_in_duckdb(const PlannerProgram& program,
                                  const std::vector<std::string>& statements);

}  // namespace penstock::sql
