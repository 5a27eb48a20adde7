// DuckDB's program, or Python with its module, run once for each statement.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::sql {

struct PlannerProgram {
  std::string path;
  bool is_python = false;

  // As run_in_duckdb().
  Result<std::string> run(const std::vector<std::string>& statements) const;
};
// A program whose name begins with python is one.
PlannerProgram program_of(const std::string& path);
// Searches Python's environments and the path. Nothing where there is none.
std::optional<PlannerProgram> find_planner_program();

}  // namespace penstock::sql
