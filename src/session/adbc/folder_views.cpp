#include "session/adbc/folder_views.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/ascii.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock::adbc {
namespace {

constexpr std::array<std::string_view, 11> table_endings = {
    ".parquet", ".csv",    ".tsv",     ".json", ".jsonl", ".ndjson",
    ".arrow",   ".arrows", ".feather", ".ipc",  ".txt"};
constexpr std::array<std::string_view, 5> compressed_table_endings = {".gz", ".zst", ".lz4", ".zz",
                                                                      ".sz"};

template <class Endings> bool drop_ending(std::string& name, const Endings& endings) {
  const std::string folded = lower(name);
  for (const std::string_view ending : endings) {
    if (!folded.ends_with(ending) || folded.size() == ending.size()) continue;
    name.resize(name.size() - ending.size());
    return true;
  }
  return false;
}

// Returns "" for a file that is no table.
std::string table_name_of(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  if (name.empty() || name[0] == '.' || name[0] == '_') return "";
  if (std::filesystem::is_directory(path)) return name;
  drop_ending(name, compressed_table_endings);
  return drop_ending(name, table_endings) ? name : "";
}

Result<std::string> path_of_uri(std::string_view uri) {
  if (uri == ":memory:") return std::string();
  for (const std::string_view scheme : {"file://", "penstock://"})
    if (uri.starts_with(scheme)) return std::string(uri.substr(scheme.size()));
  if (uri.find("://") != uri.npos)
    return Status(Code::invalid,
                  "'" + std::string(uri) + "' is not a path, nor a URI of file:// or penstock://");
  return std::string(uri);
}

Result<std::vector<std::filesystem::path>> entries_of(const std::string& path) {
  std::error_code error;
  std::vector<std::filesystem::path> entries;
  if (!std::filesystem::is_directory(path, error)) {
    if (!std::filesystem::exists(path, error))
      return Status(Code::io, "there is no file or folder '" + path + "'");
    entries.emplace_back(path);
    return entries;
  }
  for (auto entry = std::filesystem::directory_iterator(path, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    entries.push_back(entry->path());
  if (error) return Status(Code::io, "'" + path + "' cannot be read: " + error.message());
  std::ranges::sort(entries);
  return entries;
}

}  // namespace

Status define_folder_views(Session& session, std::string_view uri) {
  PENSTOCK_ASSIGN(const std::string path, path_of_uri(uri));
  if (path.empty()) return {};
  PENSTOCK_ASSIGN(const auto entries, entries_of(path));
  for (const std::filesystem::path& entry : entries) {
    const std::string name = table_name_of(entry);
    if (name.empty()) continue;
    const std::string file = std::filesystem::absolute(entry).string();
    PENSTOCK_TRY(session
                     .sql("CREATE VIEW IF NOT EXISTS " + sql::in_quotes(name, '"') +
                          " AS SELECT * FROM " + sql::in_quotes(file, '\''))
                     .status());
  }
  return {};
}

}  // namespace penstock::adbc
