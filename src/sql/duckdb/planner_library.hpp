// DuckDB's C library, opened at run time. A plan takes some milliseconds in it: no process starts.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "penstock/status.hpp"

namespace penstock::sql {

struct DuckDbFunctions;

class PlannerLibrary {
 public:
  // A libduckdb.so, or the module of PyPI's package, which exports the same functions.
  static Result<PlannerLibrary> open(const std::string& path);
  // Opens the system's library, else the module of a Python environment. Nothing where neither
  // opens.
  static std::optional<PlannerLibrary> find();

  // As run_in_duckdb(). Threads take turns.
  Result<std::string> run(const std::vector<std::string>& statements) const;

 private:
  explicit PlannerLibrary(const DuckDbFunctions* functions, void* database)
      : functions_(functions), database_(database) {}
  const DuckDbFunctions* functions_;
  void* database_;  // lives as long as the process
};

}  // namespace penstock::sql
