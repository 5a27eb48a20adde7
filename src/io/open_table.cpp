#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/suggest_name.hpp"
#include "column/unsupported.hpp"
#include "io/common/arrow_errors.hpp"
#include "io/common/sources.hpp"
#include "penstock/io.hpp"

namespace penstock {
namespace {

using Open = Result<std::shared_ptr<TableSource>> (*)(const std::string& path);
using namespace std::string_view_literals;

// A file format, known by its first bytes, and by its last ones where the format has such. Rows
// without `open` are formats that are recognised and not read.
struct Format {
  std::string_view begins, name;
  Open open = nullptr;
  std::string_view ends = {};
  bool is_compressed = false;  // `penstock decompress` reads it
};
constexpr Format formats[] = {
    {"PAR1"sv, "Parquet", io::open_parquet, "PAR1"sv},
    {"ARROW1"sv, "Arrow IPC file", io::open_ipc_file, "ARROW1"sv},
    {"\xff\xff\xff\xff"sv, "Arrow IPC stream", io::open_ipc_stream},
    {"PARE"sv, "encrypted Parquet"},
    {"FEA1"sv, "Feather version 1"},
    {"ORC"sv, "ORC"},
    {"Obj\x01"sv, "Avro"},
    {.begins = "\x1f\x8b"sv, .name = "gzip", .is_compressed = true},
    {.begins = "\x28\xb5\x2f\xfd"sv, .name = "zstd", .is_compressed = true},
    {.begins = "\x04\x22\x4d\x18"sv, .name = "LZ4", .is_compressed = true},
    {"PK\x03\x04"sv, "zip (Excel's .xlsx is one)"},
    {"SQLite format 3"sv, "SQLite"},
    {"<?xml"sv, "XML"},
    {"<!DOCTYPE"sv, "HTML"},
    {"<html"sv, "HTML"},
};

// Text formats that are not CSV, by the file's extension in lower case.
struct ExtensionFormat {
  std::string_view extension, name;
};
constexpr ExtensionFormat other_formats[] = {
    {".json", "JSON"}, {".jsonl", "JSON lines"}, {".ndjson", "JSON lines"}, {".xml", "XML"},
    {".html", "HTML"}, {".yaml", "YAML"},        {".sql", "SQL"},
};

Status not_read(std::string_view format) {
  return {Code::unsupported,
          "files of the format " + std::string(format) +
              " are not read; Parquet, Arrow IPC (file and stream), CSV and JSON are"};
}

Status not_read(const Format& format, const std::string& path) {
  if (!format.is_compressed) return not_read(format.name);
  return {Code::unsupported, "it is compressed with " + std::string(format.name) +
                                 "; penstock decompress '" + path + "' first"};
}

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension;
}

// Returns the format of a text that is not CSV, or "". A header may begin with "[", as SQL Server
// quotes names, but hardly with "{".
std::string_view other_format(const std::string& path, std::string_view text) {
  const std::string extension = lower_extension(path);
  for (const ExtensionFormat& other : other_formats)
    if (other.extension == extension) return other.name;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const bool is_array = text.starts_with('[');
  if (is_array)
    text.remove_prefix(1),
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with('{') ? "JSON" : "";
}

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

// Returns "; did you mean 'sales.parquet'?": files beside a missing one with nearly its name.
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

struct Ends {
  std::string first, last;
};

// Reads the first and last bytes of a regular file.
Result<Ends> ends_of(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    const int error = errno;
    return Status(Code::io, std::strerror(error) + (error == ENOENT ? files_near(path) : ""));
  }
  if (S_ISDIR(status.st_mode))
    return Status(Code::unsupported, "it is a directory; a table is one file");
  if (!S_ISREG(status.st_mode)) return Status(Code::unsupported, "it is not a regular file");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Status(Code::io, std::strerror(errno));
  Ends ends{std::string(4096, '\0'), std::string(16, '\0')};
  const auto at_last = std::max<off_t>(status.st_size - static_cast<off_t>(ends.last.size()), 0);
  const ssize_t first = ::pread(file, ends.first.data(), ends.first.size(), 0);
  const ssize_t last =
      first < 0 ? first : ::pread(file, ends.last.data(), ends.last.size(), at_last);
  const int error = errno;
  ::close(file);
  if (last < 0) return Status(Code::io, std::strerror(error));
  if (first == 0) return Status(Code::truncated, "the file is empty");
  ends.first.resize(static_cast<std::size_t>(first));
  ends.last.resize(static_cast<std::size_t>(last));
  return ends;
}

Result<std::shared_ptr<TableSource>> open(const std::string& path) {
  const auto ends = ends_of(path);
  if (!ends.ok()) {
    if (ends.status().code() == Code::io && path.find_first_of("*?[") != std::string::npos)
      return Status(
          Code::unsupported,
          "no file has this name, and patterns of names are not read; a table is one file");
    return ends.status();
  }
  for (const Format& format : formats) {
    if (!std::string_view(ends->first).starts_with(format.begins)) continue;
    if (format.open == nullptr) return not_read(format, path);
    if (!ends->last.ends_with(format.ends))
      return Status(Code::truncated, "its format's end is missing (" + std::string(format.name) +
                                         "): it may be cut short");
    return format.open(path);
  }
  if (ends->first.find('\0') != std::string::npos)
    return Status(Code::corrupt,
                  "it begins like no Parquet or Arrow IPC file, and is not text, as CSV is");
  const std::string_view other = other_format(path, ends->first);
  if (other.starts_with("JSON")) return io::open_json(path, {});
  if (!other.empty()) return not_read(other);
  return io::open_csv(path, {});
}

}  // namespace

Result<std::shared_ptr<TableSource>> open_table(const TableReference& table) {
  if (table.paths.size() != 1 || !table.format.empty() || !table.options.empty())
    return Status(Code::unsupported, table.text() + " is not supported");
  const std::string& path = table.paths[0];
  auto source = io::catch_arrow_exceptions([&] { return open(path); });
  if (!source.ok()) return source.with("while opening '" + path + "'");
  return source;
}

Status io::check_columns(const Schema& schema, std::span<const std::uint32_t> columns,
                         const std::string& path) {
  for (const std::uint32_t column : columns)
    if (column >= schema.size())
      return {Code::invalid, "'" + path + "' has no column " + std::to_string(column)};
  return column::check_supported(schema, columns, " of '" + path + "'");
}

}  // namespace penstock
