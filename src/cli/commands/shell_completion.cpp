#include "cli/commands/shell_completion.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>
#include <string_view>

#include "plan/aggregates.hpp"

namespace penstock::cli {
namespace {

constexpr std::string_view completed_keywords[] = {
    "SELECT",   "FROM",     "WHERE", "GROUP", "BY",        "ORDER", "LIMIT", "OFFSET",
    "HAVING",   "DISTINCT", "JOIN",  "LEFT",  "SEMI",      "ANTI",  "ON",    "USING",
    "AND",      "OR",       "NOT",   "IN",    "LIKE",      "IS",    "NULL",  "BETWEEN",
    "CASE",     "WHEN",     "THEN",  "ELSE",  "END",       "CAST",  "AS",    "DATE",
    "INTERVAL", "EXISTS",   "WITH",  "OVER",  "PARTITION", "ASC",   "DESC",
};
constexpr std::string_view completed_commands[] = {"timing", "explain", "cache", "device",
                                                   "reset",  "help",    "q"};
constexpr std::string_view table_extensions[] = {".parquet", ".arrow", ".arrows",
                                                 ".feather", ".csv",   ".tsv"};

bool begins_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         });
}

// Returns the names between single quotes: files, as a statement names them.
std::vector<std::string> quoted_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t open = text.find('\''); open != std::string::npos;) {
    const std::size_t close = text.find('\'', open + 1);
    if (close == std::string::npos) break;
    names.push_back(text.substr(open + 1, close - open - 1));
    open = text.find('\'', close + 1);
  }
  return names;
}

// Returns folders, and files with a table's extension, that begin so.
std::vector<std::string> table_files(const std::string& prefix) {
  namespace fs = std::filesystem;
  const std::size_t slash = prefix.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : prefix.substr(0, slash + 1);
  std::vector<std::string> found;
  std::error_code error, unknown;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = folder + at->path().filename().string();
    const bool is_folder = at->is_directory(unknown);
    const bool is_table = std::ranges::find(table_extensions, at->path().extension().string()) !=
                          std::end(table_extensions);
    if (name.starts_with(prefix) && (is_folder || is_table))
      found.push_back(name + (is_folder ? "/" : "'"));
  }
  return found;
}

bool is_in_quotes(const std::string& before) { return std::ranges::count(before, '\'') % 2 == 1; }

void add_words(std::vector<std::string>& found, std::span<const std::string_view> words,
               const std::string& word) {
  for (const std::string_view candidate : words)
    if (begins_ignoring_case(candidate, word)) found.emplace_back(candidate);
}

}  // namespace

std::vector<std::string> completions(Session& session, const std::string& before,
                                     const std::string& word) {
  std::vector<std::string> found;
  if (is_in_quotes(before)) {
    found = table_files(word);
  } else if (before == "\\") {  // the library's words do not hold it
    add_words(found, completed_commands, word);
  } else {
    for (const std::string& name : quoted_names(before))
      if (const auto table = session.open_table(name); table.ok())
        for (const Field& field : (*table)->schema())
          if (begins_ignoring_case(field.name, word)) found.push_back(field.name);
    add_words(found, completed_keywords, word);
    add_words(found, plan::aggregate_names(), word);
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace penstock::cli
