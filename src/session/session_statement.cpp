#include "session/session_statement.hpp"

#include "base/exception_boundary.hpp"
#include "sql/parse/parameters.hpp"

namespace penstock::session {

Result<std::string> text_of(const SessionStatement& statement) {
  if (statement.parameters == nullptr) return std::string(statement.text);
  return catch_exceptions(
      [&] { return sql::with_parameters(statement.text, *statement.parameters); });
}

bool is_text_alone(const SessionStatement& statement) {
  return statement.tables.empty() && !statement.planner;
}

}  // namespace penstock::session
