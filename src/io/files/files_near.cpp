#include "io/files/files_near.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "base/suggest_name.hpp"

namespace penstock::io {
namespace {

// Returns the regular files of a folder, a thousand at most, by their names without extension.
std::multimap<std::string, std::string> files_by_stem(const std::filesystem::path& folder) {
  std::multimap<std::string, std::string> files;
  std::error_code error, unknown;
  for (std::filesystem::directory_iterator at(folder, error), end;
       !error && at != end && files.size() < 1000; at.increment(error))
    if (at->is_regular_file(unknown))
      files.emplace(at->path().stem().string(), at->path().filename().string());
  return files;
}

}  // namespace

std::string files_near(const std::filesystem::path& path) {
  const auto files = files_by_stem(path.has_parent_path() ? path.parent_path() : ".");
  std::vector<std::string> stems, near;
  for (auto at = files.begin(); at != files.end(); at = files.upper_bound(at->first))
    stems.push_back(at->first);
  for (const std::string& stem : nearest_names(path.stem().string(), stems))
    for (auto [at, end] = files.equal_range(stem); at != end; ++at)
      near.push_back((path.parent_path() / at->second).string());
  std::sort(near.begin(), near.end());
  std::string text;
  for (const std::string& name : near) text += (text.empty() ? "'" : ", '") + name + "'";
  return near.empty() ? "" : "; did you mean " + text + "?";
}

}  // namespace penstock::io
