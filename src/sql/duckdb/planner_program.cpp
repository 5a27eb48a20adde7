#include "sql/duckdb/planner_program.hpp"

#include <unistd.h>

#include "base/process.hpp"
#include "base/python_environments.hpp"
#include "sql/duckdb/planner_message.hpp"

namespace penstock::sql {
namespace {

constexpr const char* python_script =
    "import sys, duckdb\n"
    "connection = duckdb.connect()\n"
    "for statement in sys.stdin.read().split('\\0'):\n"
    "    row = connection.execute(statement).fetchone()\n"
    "print(row[0])\n";

// A Python that imports the module: the environment's own, where a package is.
std::string python_with_module() {
  const PackageFile module = find_in_packages("duckdb/__init__.py");
  if (module.path.empty()) return "";
  const std::string own = module.environment + "/bin/python3";
  return ::access(own.c_str(), X_OK) == 0 ? own : program_on_path("python3");
}

std::string joined(const std::vector<std::string>& statements, std::string_view end) {
  std::string text;
  for (const std::string& statement : statements)
    text += (text.empty() ? "" : std::string(end)) + statement;
  return text;
}

// The message of an error, without Python's traceback.
std::string message_of(std::string errors) {
  while (!errors.empty() && errors.back() == '\n') errors.pop_back();
  const std::size_t at = errors.rfind("Error: ");
  if (at == errors.npos) return errors;
  const std::size_t line = errors.rfind('\n', at);
  errors.erase(0, line == errors.npos ? 0 : line + 1);
  if (errors.starts_with("_duckdb.")) errors.erase(0, errors.find(": ") + 2);
  return errors;
}

}  // namespace

PlannerProgram program_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  const std::string name = slash == path.npos ? path : path.substr(slash + 1);
  return {path, name.starts_with("python")};
}

// PyPI's duckdb-cli has the program as a file of its package. Its command is a Python script, which
// takes longer.
std::optional<PlannerProgram> find_planner_program() {
  for (const std::string& path :
       {find_in_packages("duckdb_cli/duckdb").path, program_on_path("duckdb")})
    if (!path.empty()) return PlannerProgram{path};
  const std::string python = python_with_module();
  return python.empty() ? std::nullopt : std::optional(PlannerProgram{python, true});
}

Result<std::string> PlannerProgram::run(const std::vector<std::string>& statements) const {
  const std::vector<std::string> words =
      is_python
          ? std::vector<std::string>{path, "-c", python_script}
          : std::vector<std::string>{path, "-init", "/dev/null", "-bail", "-noheader", "-list"};
  const std::string input =
      is_python ? joined(statements, std::string_view("\0", 1)) : joined(statements, ";\n") + ";\n";
  PENSTOCK_ASSIGN(ProcessOutput ran, run_process(words, input));
  if (ran.output.empty() && ran.errors.empty())
    return Status(Code::io, "'" + path + "' is no DuckDB: it printed nothing");
  if (ran.exit_code != 0 || ran.output.empty())
    return planner_failure(message_of(std::move(ran.errors)));
  return std::move(ran.output);
}

}  // namespace penstock::sql
