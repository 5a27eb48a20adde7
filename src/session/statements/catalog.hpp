// Tables of the names that a session has: information_schema's, and those of SHOW.
#pragma once
#include <memory>

#include "penstock/session.hpp"

namespace penstock::session {

// Returns a table of information_schema, by the name that FROM has; null for any other name.
// Columns, types and names are DuckDB's.
Result<std::shared_ptr<TableSource>> information_table(Session& session,
                                                       const TableReference& table);
// Returns what SHOW TABLES, SHOW ALL TABLES and PRAGMA table_info() yield.
Table tables_shown(Session& session);
Result<Table> all_tables_shown(Session& session);
Result<Table> table_info(Session& session, const std::string& name);
// Returns a table of one row of one string.
Table one_text(const std::string& column, const std::string& value);

}  // namespace penstock::session
