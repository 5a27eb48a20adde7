// Opens all files that a reference names as one table.
#pragma once
#include <memory>
#include <string>

#include "penstock/column.hpp"
#include "penstock/table_reference.hpp"

namespace penstock::io {

Result<std::shared_ptr<TableSource>> open_files(const TableReference& table);

// Returns the identity that open_files() would give the table now, without opening a file: folders
// and patterns are looked at again. "" where nothing tells.
std::string table_identity(const TableReference& table);

}  // namespace penstock::io
