// Opens each kind of file; open_table() chooses.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "penstock/column.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::io {

// `stays_open`: whether the file's descriptor is held until the source is let go of. Otherwise the
// file is opened for each read, and one that changed is an error.
Result<std::shared_ptr<TableSource>> open_parquet(const std::string& path, bool stays_open);
Result<std::shared_ptr<TableSource>> open_ipc_file(const std::string& path);
Result<std::shared_ptr<TableSource>> open_ipc_stream(const std::string& path);
// Options as read_csv() takes them.
Result<std::shared_ptr<TableSource>> open_csv(const std::string& path,
                                              std::span<const TableOption> options);
// Takes the options of read_json().
Result<std::shared_ptr<TableSource>> open_json(const std::string& path,
                                               std::span<const TableOption> options);

// Checks that every column asked for exists and has a type that is read.
// `text_option` is the option of the file's reader that reads columns of any type as text, or "".
Status check_columns(const Schema& schema, std::span<const std::uint32_t> columns,
                     const std::string& path, std::string_view text_option = "");

}  // namespace penstock::io
