#include "io/files/file_paths.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace penstock::io {
namespace {

namespace fs = std::filesystem;

bool is_pattern(std::string_view path) { return path.find_first_of("*?[") != path.npos; }

// Takes "[a-z]" from the front of the pattern and says whether `c` is one of its characters;
// nullopt where the bracket is not closed, and is a character like others.
std::optional<bool> take_class(std::string_view& pattern, char c) {
  std::size_t at = 1;
  const bool is_negated = at < pattern.size() && pattern[at] == '!';
  at += is_negated;
  bool found = false;
  for (std::size_t first = at; at < pattern.size() && (pattern[at] != ']' || at == first); at++) {
    const char low = pattern[at];
    char high = low;
    if (at + 2 < pattern.size() && pattern[at + 1] == '-' && pattern[at + 2] != ']')
      high = pattern[at += 2];
    const auto code = static_cast<unsigned char>(c);
    found |= static_cast<unsigned char>(low) <= code && code <= static_cast<unsigned char>(high);
  }
  if (at >= pattern.size()) return std::nullopt;
  pattern.remove_prefix(at + 1);
  return found != is_negated;
}

// Takes one character, or what stands for one, from the front of the pattern.
bool take_one(std::string_view& pattern, char c) {
  if (pattern.front() == '[')
    if (const std::optional<bool> is_in_class = take_class(pattern, c)) return *is_in_class;
  const bool is_any = pattern.front() == '?';
  if (pattern.front() == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
  const bool is_equal = pattern.front() == c;
  pattern.remove_prefix(1);
  return is_any || is_equal;
}

std::string joined(const std::string& folder, const std::string& name) {
  if (folder.empty() || folder.ends_with('/')) return folder + name;
  return folder + '/' + name;
}

struct Names {
  std::vector<std::string> files, folders;
};

// Returns the names in a folder, sorted by their bytes. A link to a folder is one, unless
// `follows_links` is false: links may lead in circles.
Result<Names> names_in(const std::string& folder, bool follows_links) {
  Names names;
  std::error_code error, unknown;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error)) {
    const bool is_folder = at->is_directory(unknown) && (follows_links || !at->is_symlink(unknown));
    (is_folder ? names.folders : names.files).push_back(at->path().filename().string());
  }
  if (error) return Status(Code::io, "cannot list '" + folder + "': " + error.message());
  std::ranges::sort(names.files);
  std::ranges::sort(names.folders);
  return names;
}

bool is_hidden(const std::string& name) { return name.starts_with('.'); }

// Appends all files below a folder.
Status add_all(const std::string& folder, std::vector<std::string>& files) {
  const auto is_left_out = [](const std::string& name) {
    return is_hidden(name) || (name.starts_with('_') && name.find('=') == name.npos);
  };
  PENSTOCK_ASSIGN(const Names names, names_in(folder, false));
  for (const std::string& name : names.files)
    if (!is_left_out(name)) files.push_back(joined(folder, name));
  for (const std::string& name : names.folders)
    if (!is_left_out(name)) PENSTOCK_TRY(add_all(joined(folder, name), files));
  return {};
}

// Splits at slashes; the first part has those that begin the path.
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t at = path.find_first_not_of('/'); at <= path.size() && at != path.npos;) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.emplace_back(path.substr(begin, end - begin));
    begin = at = std::min(path.find_first_not_of('/', end), path.size());
    if (at == path.size()) break;
  }
  return parts;
}

// Finds the files that a pattern matches, part by part.
class PatternSearch {
 public:
  explicit PatternSearch(std::string_view pattern) : parts_(parts_of(pattern)) {}
  Status find(const std::string& folder, std::size_t part) {
    if (parts_[part] == "**") return find_below(folder, part);
    const bool is_last = part + 1 == parts_.size();
    if (!is_pattern(parts_[part])) {
      const std::string path = joined(folder, parts_[part]);
      std::error_code unknown;
      if (!is_last) return fs::is_directory(path, unknown) ? find(path, part + 1) : Status();
      if (fs::exists(path, unknown) && !fs::is_directory(path, unknown)) files_.push_back(path);
      return {};
    }
    PENSTOCK_ASSIGN(const Names names, names_in(folder, true));
    for (const std::string& name : is_last ? names.files : names.folders) {
      if (!may_match(name, parts_[part])) continue;
      if (is_last)
        files_.push_back(joined(folder, name));
      else
        PENSTOCK_TRY(find(joined(folder, name), part + 1));
    }
    return {};
  }
  std::vector<std::string> take() { return std::move(files_); }

 private:
  static bool may_match(const std::string& name, const std::string& part) {
    return (!is_hidden(name) || part.starts_with('.')) && matches(name, part);
  }

  // `part` is **: no folder, or any number of them.
  Status find_below(const std::string& folder, std::size_t part) {
    PENSTOCK_ASSIGN(const Names names, names_in(folder, false));
    if (part + 1 < parts_.size()) {
      PENSTOCK_TRY(find(folder, part + 1));
    } else {
      for (const std::string& name : names.files)
        if (!is_hidden(name)) files_.push_back(joined(folder, name));
    }
    for (const std::string& name : names.folders)
      if (!is_hidden(name)) PENSTOCK_TRY(find_below(joined(folder, name), part));
    return {};
  }

  const std::vector<std::string> parts_;
  std::vector<std::string> files_;
};

Status add_files(const std::string& path, std::vector<std::string>& files) {
  std::error_code unknown;
  const std::size_t before = files.size();
  if (fs::is_directory(path, unknown)) {
    PENSTOCK_TRY(add_all(path, files));
    if (files.size() == before) return {Code::io, "the folder '" + path + "' has no files"};
  } else if (is_standard_input(path) || !is_pattern(path) || fs::exists(path, unknown)) {
    files.push_back(path);
  } else {
    PatternSearch search(path);
    PENSTOCK_TRY(search.find("", 0));
    std::vector<std::string> found = search.take();
    if (found.empty()) return {Code::io, "no file matches '" + path + "'"};
    files.insert(files.end(), found.begin(), found.end());
  }
  return {};
}

}  // namespace

bool is_standard_input(std::string_view path) { return path == "-" || path == "/dev/stdin"; }

// Greedy, and backtracks to the last * alone: a later * makes an earlier choice final, so that time
// is at most the product of the lengths.
bool matches(std::string_view name, std::string_view pattern) {
  std::string_view after_star, name_at_star;
  bool has_star = false;
  while (!name.empty()) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      after_star = pattern;
      name_at_star = name;
      has_star = true;
    } else if (std::string_view rest = pattern; !rest.empty() && take_one(rest, name.front())) {
      pattern = rest;
      name.remove_prefix(1);
    } else {
      if (!has_star) return false;
      name_at_star.remove_prefix(1);
      name = name_at_star;
      pattern = after_star;
    }
  }
  return pattern.find_first_not_of('*') == pattern.npos;
}

Result<std::vector<std::string>> files_of(std::span<const std::string> paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) PENSTOCK_TRY(add_files(path, files));
  if (files.empty()) return Status(Code::invalid, "a table is at least one file");
  return files;
}

}  // namespace penstock::io
