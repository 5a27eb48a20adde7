// Options of a table of several files, apart from the options of their format.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "penstock/column.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::io {

struct FilesOptions {
  std::string filename_column = {};            // "": there is none
  std::optional<bool> hive_partitioning = {};  // nullopt: where all paths have the same keys
  bool hive_types_autocast = true;             // false: keys are VARCHAR
  std::vector<std::pair<std::string, Type>> hive_types = {};  // of keys, in place of found ones
  bool union_by_name = false;
  std::vector<TableOption> of_format = {};  // all others
};

// Takes filename, hive_partitioning, hive_types, hive_types_autocast and union_by_name out of a
// table's options.
Result<FilesOptions> files_options(std::span<const TableOption> options);

}  // namespace penstock::io
