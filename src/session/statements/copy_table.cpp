#include "session/statements/copy_table.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "io/files/file_paths.hpp"
#include "io/output/rows_as_text.hpp"
#include "table/rows/gather.hpp"

namespace penstock::session {
namespace {

// Writes bytes that are neither letters nor digits as %2F, as DuckDB does in names of folders.
std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF", plain = "-_.~";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || plain.find(c) != std::string_view::npos;
    out += is_plain ? std::string(1, c) : std::string{'%', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

std::string_view ending_of(FileFormat format) {
  switch (format) {
    case FileFormat::parquet: return ".parquet";
    case FileFormat::arrow_ipc: return ".arrow";
    case FileFormat::csv: return ".csv";
    case FileFormat::json: return ".json";
  }
  return "";
}

// Returns "year=2024/month=1", the folder of a row.
std::string folder_of(const Table& table, const std::vector<std::uint32_t>& keys,
                      std::uint64_t row) {
  std::string folder;
  for (const std::uint32_t key : keys) {
    std::string value;
    io::append_cell(value, table.columns[key], row);
    const bool is_null = !table.columns[key].is_valid(row);
    folder += (folder.empty() ? "" : "/") + escaped(table.names[key]) + "=" +
              (is_null ? "__HIVE_DEFAULT_PARTITION__" : escaped(value));
  }
  return folder;
}

Table without(const Table& table, const std::vector<std::uint32_t>& keys) {
  Table rest;
  rest.row_count = table.row_count;
  for (std::uint32_t i = 0; i < table.columns.size(); i++) {
    if (std::ranges::find(keys, i) != keys.end()) continue;
    rest.names.push_back(table.names[i]);
    rest.columns.push_back(table.columns[i]);
  }
  return rest;
}

Status check_folder(const std::string& path, const CopyOptions& options) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  if (!is_folder && std::filesystem::exists(path, error))
    return {Code::io, "'" + path + "' is a file; partitions are written to a folder"};
  if (!is_folder || options.overwrites_or_ignores || std::filesystem::is_empty(path, error))
    return {};
  return {Code::io, "the folder '" + path +
                        "' is not empty; OVERWRITE_OR_IGNORE writes its files beside those there"};
}

Status write_partitions(const Table& table, const std::string& path, const CopyOptions& options) {
  PENSTOCK_TRY(check_folder(path, options));
  std::vector<std::uint32_t> keys;
  for (const std::string& name : options.partition_by)
    keys.push_back(*find_field(table.schema(), name));
  std::map<std::string, std::vector<std::uint64_t>> rows_of;
  for (std::uint64_t row = 0; row < table.row_count; row++)
    rows_of[folder_of(table, keys, row)].push_back(row);
  const Table values = without(table, keys);
  for (const auto& [name, rows] : rows_of) {
    const std::filesystem::path folder = std::filesystem::path(path) / name;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
      return {Code::io, "cannot make the folder '" + folder.string() + "': " + error.message()};
    const std::string file = (folder / "data_0").string() + std::string(ending_of(options.format));
    PENSTOCK_TRY(write_table(plan::gather(values, rows), file, options.format, options.write));
  }
  return {};
}

}  // namespace

Status check_target(const std::string& target, std::span<const TableReference> tables) {
  for (const TableReference& table : tables) {
    const auto files = io::files_of(table.paths);
    if (!files.ok()) continue;  // standard input, or gone
    for (const std::string& file : *files) {
      std::error_code error;
      if (std::filesystem::is_regular_file(file, error) &&
          std::filesystem::equivalent(target, file, error) && !error)
        return {Code::invalid, "the output " + target + " is the same file as the input " + file};
    }
  }
  return {};
}

Status check_partitions(const Schema& schema, const CopyOptions& options) {
  for (const std::string& name : options.partition_by)
    if (!find_field(schema, name))
      return {Code::invalid, "PARTITION_BY names '" + name + "', which the rows do not have"};
  if (!options.partition_by.empty() && options.partition_by.size() >= schema.size())
    return {Code::invalid, "PARTITION_BY names every column, and none is left for the files"};
  return {};
}

Status copy_table(const Table& table, const std::string& path, const CopyOptions& options) {
  if (!options.partition_by.empty()) return write_partitions(table, path, options);
  return write_table(table, path, options.format, options.write);
}

}  // namespace penstock::session
