// COPY ... TO: rows to a file, or to a folder of files by the values of some columns.
//
//     COPY (FROM 'sales.csv') TO 'sales' (FORMAT parquet, PARTITION_BY (year))
//     sales/year=2024/data_0.parquet
//
// A file appears whole or not at all.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "penstock/io.hpp"
#include "penstock/sql.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::session {

struct CopyOptions {
  FileFormat format = FileFormat::parquet;
  WriteOptions write;
  std::vector<std::string> partition_by;
  bool overwrites_or_ignores = false;  // writes into a folder that has files
};
// Reads the options as they are written; the format is the file's ending where none is named.
Result<CopyOptions> copy_options_of(const CopyTarget& target);
// Refuses columns of PARTITION_BY that the rows lack, and partitions that leave no column.
Status check_partitions(const Schema& schema, const CopyOptions& options);
Status copy_table(const Table& table, const std::string& path, const CopyOptions& options);

// Refuses a target that is one of the files that the tables read, also by another name.
Status check_target(const std::string& target, std::span<const TableReference> tables);

}  // namespace penstock::session
