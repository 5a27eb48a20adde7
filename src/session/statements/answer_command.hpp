// Answers the statements that are about a session, or change its tables.
#pragma once
#include "session/session_names.hpp"
#include "session/statements/settings.hpp"
#include "sql/parse/session_command.hpp"

namespace penstock::session {

// Returns the SELECT whose plan EXPLAIN of a statement shows: that of a definition or an INSERT,
// too.
Result<std::string> explained_query(const std::string& statement);

// `asked`: what belongs to the statement beside its text.
Result<QueryResult> answer_command(Session& session, SessionNames& names, Settings& settings,
                                   const sql::Command& command, const SessionStatement& asked,
                                   const RunOptions& options);

}  // namespace penstock::session
