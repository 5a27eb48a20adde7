// Changes of a session's tables: INSERT, DELETE and UPDATE. Each is a SELECT, whose rows take the
// place of the table's, or are added to them. Statements that read the table meanwhile have the
// rows of before.
#pragma once
#include "penstock/session.hpp"
#include "session/session_names.hpp"
#include "sql/parse/session_command.hpp"

namespace penstock::session {

// Adds rows to a table. Columns have the same names and types.
Status append_rows(SessionNames& names, const std::string& name, const TableSource& rows);

// Answers one of them by statements of the session, and yields the number of rows that it changed.
// `asked`: what belongs to the statement.
Result<QueryResult> change_rows(Session& session, SessionNames& names, const sql::Command& command,
                                const SessionStatement& asked, const RunOptions& options);

}  // namespace penstock::session
