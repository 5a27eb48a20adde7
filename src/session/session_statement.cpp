#include "session/session_statement.hpp"

#include "base/exception_boundary.hpp"
#include "sql/parse/parameters.hpp"

namespace penstock::session {
namespace {

// A text that cannot be split into words is left for the parser to refuse.
Result<std::string> text_without_parameters(std::string_view text) {
  if (is_plan_text(text)) return std::string(text);
  const auto parameters = catch_exceptions([&] { return sql::parameters_of(text); });
  if (parameters.ok() && !parameters->empty())
    return Status(Code::invalid, "the statement has parameters, and no values for them are given");
  return std::string(text);
}

}  // namespace

Result<std::string> text_of(const SessionStatement& statement) {
  if (statement.parameters == nullptr) return text_without_parameters(statement.text);
  return catch_exceptions(
      [&] { return sql::with_parameters(statement.text, *statement.parameters); });
}

bool is_text_alone(const SessionStatement& statement) {
  return statement.tables.empty() && !statement.planner;
}

}  // namespace penstock::session
