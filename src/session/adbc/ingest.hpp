// Rows of Arrow into tables of a database, which hold them in memory.
#pragma once
#include "session/adbc/database.hpp"

namespace penstock::adbc {

enum class IngestMode : unsigned char { create, append, replace, create_append };

struct IngestTarget {
  std::string table;  // "": a statement runs its text
  IngestMode mode = IngestMode::create;
};

Result<IngestMode> read_ingest_mode(const std::string& value);
std::string name_of(IngestMode mode);

// Reads the rows to their end and returns in `count` how many there were. A table whose columns
// differ stays as it is.
Outcome ingest(Database& database, const IngestTarget& target, const TableSource& rows,
               std::int64_t& count);

}  // namespace penstock::adbc
