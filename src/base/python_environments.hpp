// The places in which Python's packages bring libraries and programs.
#pragma once
#include <string>
#include <vector>

namespace penstock {

// Returns $VIRTUAL_ENV, a `.venv` of the executable's own tree, the user's folder and the system's.
// It never searches the working directory, which another user may have written.
std::vector<std::string> python_environments(const std::string& executable);
// Returns each `.venv` in the executable's folder or one of the three above it, where a build in a
// project's folder has it. Takes only folders that belong to the executable's owner, root or this
// process's user and that no other user may write to.
std::vector<std::string> environments_above(const std::string& executable);
std::string path_of_executable();
// Returns the first file of an installed package that matches a pattern, such as
// "duckdb/__init__.py", and its environment; "" if there is none.
struct PackageFile {
  std::string path, environment;
};
PackageFile find_in_packages(const std::string& pattern);
// Adds the paths that match a pattern, the last one first: of equals that is the newest.
void add_glob_matches(std::vector<std::string>& paths, const std::string& pattern);

}  // namespace penstock
