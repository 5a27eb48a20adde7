// JSON files for the tests of src/io/json.
#pragma once
#include "host/io/io_files.hpp"
#include "io/common/sources.hpp"

namespace penstock::test {

// Prints a JSON text as a table: "a BIGINT, b VARCHAR: 1 "x" | NULL "y"". Columns that are not
// read are named, and have no values. An error is its text.
inline std::string json_table(std::string_view text, const std::vector<TableOption>& options = {},
                              const ScanOptions& scan = {}) {
  const Folder folder;
  write_file(folder / "t", text);
  const auto source = io::open_json(folder / "t", options);
  if (!source.ok()) return source.status().text();
  std::string out;
  std::vector<std::uint32_t> read;
  for (std::uint32_t i = 0; i < (*source)->schema().size(); i++) {
    const Field& field = (*source)->schema()[i];
    out += (i == 0 ? "" : ", ") + field.name + " " +
           (field.unsupported.empty() ? name_of(field.type) : "(" + field.unsupported + ")");
    if (field.unsupported.empty()) read.push_back(i);
  }
  const auto cells = read_cells(**source, read, scan);
  if (!cells.ok()) return cells.status().text();
  out += ":";
  for (std::size_t row = 0; !read.empty() && row < cells.value()[0].size(); row++) {
    out += row == 0 ? "" : " |";
    for (const auto& column : cells.value()) out += " " + column[row];
  }
  return out;
}

}  // namespace penstock::test
