#include "base/python_environments.hpp"

#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace penstock {
namespace {

namespace fs = std::filesystem;

// Returns whether only this user, root or the executable's owner (this process runs that user's
// code anyway) can have created this folder; for a link, also the link.
bool is_trusted(const std::string& folder, uid_t owner) {
  struct stat link{}, info{};
  if (lstat(folder.c_str(), &link) != 0 || stat(folder.c_str(), &info) != 0 ||
      !S_ISDIR(info.st_mode))
    return false;
  const auto is_ours = [owner](uid_t user) {
    return user == owner || user == 0 || user == geteuid();
  };
  return is_ours(link.st_uid) && is_ours(info.st_uid) && (info.st_mode & S_IWOTH) == 0;
}

}  // namespace

std::vector<std::string> environments_above(const std::string& executable) {
  struct stat info{};
  if (stat(executable.c_str(), &info) != 0) return {};
  std::vector<std::string> roots;
  fs::path folder = fs::path(executable).parent_path();
  for (int level = 0; level < 4 && folder.has_relative_path();
       level++, folder = folder.parent_path())
    if (const std::string root = (folder / ".venv").string(); is_trusted(root, info.st_uid))
      roots.push_back(root);
  return roots;
}

std::vector<std::string> python_environments(const std::string& executable) {
  std::vector<std::string> roots;
  if (const char* active = std::getenv("VIRTUAL_ENV"); active && *active)
    roots.emplace_back(active);
  for (std::string& root : environments_above(executable)) roots.push_back(std::move(root));
  if (const char* home = std::getenv("HOME"); home && *home)
    roots.push_back(std::string(home) + "/.local");
  roots.insert(roots.end(), {"/usr/local", "/usr"});
  return roots;
}

std::string path_of_executable() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

PackageFile find_in_packages(const std::string& pattern) {
  for (const std::string& root : python_environments(path_of_executable())) {
    std::vector<std::string> found;
    for (const char* const folder : {"site-packages", "dist-packages"})
      add_glob_matches(found, root + "/lib/python3*/" + folder + "/" + pattern);
    if (!found.empty()) return {found.front(), root};
  }
  return {};
}

void add_glob_matches(std::vector<std::string>& paths, const std::string& pattern) {
  glob_t found{};
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)  // sorted: the newest of equals comes last
    for (std::size_t i = found.gl_pathc; i-- > 0;) paths.emplace_back(found.gl_pathv[i]);
  globfree(&found);
}

}  // namespace penstock
