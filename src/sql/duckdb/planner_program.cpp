#include "sql/duckdb/planner_program.hpp"

#include <unistd.h>

#include <cstdlib>

#include "base/process.hpp"
#include "base/python_environments.hpp"

namespace penstock::sql {
namespace {

constexpr const char* python_script =
    "import sys, duckdb\n"
    "connection = duckdb.connect()\n"
    "for statement in sys.stdin.read().split('\\0'):\n"
    "    row = connection.execute(statement).fetchone()\n"
    "print(row[0])\n";

// Returns a file of a package in one of Python's environments, and the environment; "" if there is
// none.
struct PackageFile {
  std::string path, environment;
};
PackageFile find_in_packages(const std::string& file) {
  for (const std::string& root : python_environments(path_of_executable())) {
    std::vector<std::string> found;
    for (const char* const folder : {"site-packages", "dist-packages"})
      add_glob_matches(found, root + "/lib/python3*/" + folder + "/" + file);
    if (!found.empty()) return {found.front(), root};
  }
  return {};
}

// A Python that imports the module: the environment's own, where a package is.
std::string python_with_module() {
  const PackageFile module = find_in_packages("duckdb/__init__.py");
  if (module.path.empty()) return "";
  const std::string own = module.environment + "/bin/python3";
  return ::access(own.c_str(), X_OK) == 0 ? own : program_on_path("python3");
}

// PyPI's duckdb-cli has the program as a file of its package. Its command is a Python script, which
// takes longer.
std::optional<PlannerProgram> find_program() {
  if (const char* const named = std::getenv("PENSTOCK_DUCKDB"); named && *named != '\0') {
    const std::string path = named;
    const std::size_t slash = path.find_last_of('/');
    const std::string name = slash == path.npos ? path : path.substr(slash + 1);
    return PlannerProgram{path, name.starts_with("python")};
  }
  for (const std::string& path :
       {find_in_packages("duckdb_cli/duckdb").path, program_on_path("duckdb")})
    if (!path.empty()) return PlannerProgram{path};
  const std::string python = python_with_module();
  return python.empty() ? std::nullopt : std::optional(PlannerProgram{python, true});
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
  return errors.substr(0, errors.find("\n\nLINE "));  // of the rewritten statement
}

}  // namespace

const std::optional<PlannerProgram>& planner_program() {
  static const std::optional<PlannerProgram> program = find_program();
  return program;
}

Result<std::string> run_in_duckdb(const PlannerProgram& program,
                                  const std::vector<std::string>& statements) {
  const std::vector<std::string> words =
      program.is_python ? std::vector<std::string>{program.path, "-c", python_script}
                        : std::vector<std::string>{program.path, "-init",     "/dev/null",
                                                   "-bail",      "-noheader", "-list"};
  const std::string input = program.is_python ? joined(statements, std::string_view("\0", 1))
                                              : joined(statements, ";\n") + ";\n";
  PENSTOCK_ASSIGN(ProcessOutput ran, run_process(words, input));
  if (ran.exit_code != 0 || ran.output.empty())
    return Status(Code::invalid, "DuckDB: " + message_of(std::move(ran.errors)));
  return std::move(ran.output);
}

}  // namespace penstock::sql
