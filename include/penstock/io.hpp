// Files and Arrow data as tables.
//
//     PENSTOCK_ASSIGN(auto lineitem, open_table("lineitem.parquet"));   // Parquet, Arrow IPC (file or stream) or CSV, by content
//     plan.source(lineitem);
#pragma once
#include <memory>
#include <string>

#include "penstock/arrow_c.hpp"
#include "penstock/column.hpp"

namespace penstock {

// Opens a file; reads its schema and statistics, no rows. A directory or glob is refused by name. Unsupported column types
// are errors only when such a column is asked for.
Result<std::shared_ptr<TableSource>> open_table(const std::string& path);

enum class FileFormat : unsigned char { parquet, arrow_ipc, csv };
// Writes to a temporary name beside `path` and renames, so that no partial file is ever left.
Status write_table(const Table& table, const std::string& path, FileFormat format);

}  // namespace penstock
