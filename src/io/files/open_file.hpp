// Opens one file as a table, by its content.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/files/joined_schema.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::io {

struct OpenedFile {
  std::shared_ptr<TableSource> source;
  std::string_view format;  // "Parquet", "Arrow IPC file", "CSV"
  FileTypes types = FileTypes::declared;
};

struct FileToOpen {
  std::string path;
  std::string format = {};                    // as in TableReference
  std::span<const TableOption> options = {};  // of the format
  bool stays_open = true;                     // false: no descriptor is held between reads
  // A CSV file of no bytes has one column and no row. Otherwise it is Code::truncated.
  bool may_be_empty = false;
};

Result<OpenedFile> open_file(const FileToOpen& file);

}  // namespace penstock::io
