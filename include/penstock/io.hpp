// Files and Arrow data as tables.
//
//     PENSTOCK_ASSIGN(auto lineitem, open_table("lineitem.parquet"));   // Parquet, Arrow IPC (file or stream) or CSV, by content
//     plan.source(lineitem);
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "penstock/arrow_c.hpp"
#include "penstock/column.hpp"

namespace penstock {

// Opens a file; reads its schema and statistics, no rows. A directory or glob is refused by name. Unsupported column types
// are errors only when such a column is asked for.
Result<std::shared_ptr<TableSource>> open_table(const std::string& path);

enum class FileFormat : unsigned char { parquet, arrow_ipc, csv };
// Writes to a temporary name beside `path`, flushes to the disk and renames, so that no partial file is ever left.
Status write_table(const Table& table, const std::string& path, FileFormat format);

// Takes a file's bytes in order, as they are made. An error ends the making, and is what write_table returns.
using ByteSink = std::function<Status(std::string_view bytes)>;
Status write_table(const Table& table, const ByteSink& sink, FileFormat format);

}  // namespace penstock
