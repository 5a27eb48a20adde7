#include "sql/duckdb/planner.hpp"

#include <atomic>
#include <cstdlib>
#include <variant>

#include "base/clock.hpp"
#include "sql/duckdb/planner_library.hpp"
#include "sql/duckdb/planner_program.hpp"

namespace penstock::sql {
namespace {

// A named file that does not work is an error of the statement, and no other planner is taken.
using Planner = std::variant<std::monostate, PlannerLibrary, PlannerProgram, Status>;

bool is_library(const std::string& path) { return path.find(".so") != path.npos; }

Planner named_planner(const std::string& path) {
  if (!is_library(path)) return program_of(path);
  auto library = PlannerLibrary::open(path);
  if (library.ok()) return *library;
  return Status(Code::io, "PENSTOCK_DUCKDB: " + library.status().message());
}

Planner find_planner() {
  if (const char* const named = std::getenv("PENSTOCK_DUCKDB"); named && *named != '\0')
    return named_planner(named);
  if (const auto library = PlannerLibrary::find()) return *library;
  if (auto program = find_planner_program()) return *std::move(program);
  return {};
}

std::atomic<double> opening_seconds = 0;

const Planner& planner() {
  static const Planner found = [] {
    const double start = now_seconds();
    Planner opened = find_planner();
    opening_seconds = now_seconds() - start;
    return opened;
  }();
  return found;
}

}  // namespace

bool has_planner() { return !std::holds_alternative<std::monostate>(planner()); }

double take_opening_seconds() { return opening_seconds.exchange(0); }

Result<std::string> run_in_duckdb(const std::vector<std::string>& statements) {
  if (const auto* const library = std::get_if<PlannerLibrary>(&planner()))
    return library->run(statements);
  if (const auto* const program = std::get_if<PlannerProgram>(&planner()))
    return program->run(statements);
  if (const auto* const status = std::get_if<Status>(&planner())) return *status;
  return Status(Code::unsupported, "there is no DuckDB");
}

}  // namespace penstock::sql
