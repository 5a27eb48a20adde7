#include "sql/statement/choose_error.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "sql/duckdb/plan_statement.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/parse/tree.hpp"

namespace penstock::sql {
namespace {

constexpr std::string_view refused = " is not supported";

// Returns a refused part as both planners call it: "positional join".
std::string part_of(std::string sentence) {
  sentence = lower(sentence.substr(0, sentence.find(refused)));
  for (const std::string_view kind :
       {"the aggregate ", "the string function ", "the function ", "the operator "})
    if (sentence.starts_with(kind)) sentence.erase(0, kind.size());
  constexpr std::string_view of_plan = " of duckdb's plan";
  if (sentence.ends_with(of_plan)) sentence.resize(sentence.size() - of_plan.size());
  return sentence;
}

// Returns what the lines of a message refuse.
std::multiset<std::string> refusals_of(const Status& status) {
  std::multiset<std::string> found;
  const std::string text = status.message().substr(0, status.message().rfind("\nLINE "));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    found.insert(part_of(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return found;
}

// Tells whether DuckDB says that the statement itself is wrong. Permission and serialisation fail
// for statements that it would answer elsewhere.
bool is_of_statement(std::string_view statement, const Status& planned) {
  const auto is = [&](std::string_view kind) {
    return planned.message().starts_with("DuckDB: " + std::string(kind) + " Error");
  };
  const bool is_stated = is("Binder") || is("Catalog") || is("Conversion");
  return is_stated || (is("Parser") && !is_parsed(statement));
}

// DuckDB looks at a stand-in of the table for the values of a PIVOT, or answers it in two
// statements.
bool asks_for_pivot_values(const Status& planned) {
  return planned.message().find("Pivot column limit") != std::string::npos ||
         planned.message().find("statement of type MULTI") != std::string::npos;
}

}  // namespace

bool is_parsed(std::string_view statement) {
  const Result<Lexed> lexed = lex(statement);
  if (!lexed.ok()) return false;
  Problems problems(lexed->statement);
  return parse(*lexed, problems).ok();
}

// DuckDB sees a column that is not read as VARCHAR, and speaks of that.
Status error_of_both(std::string_view statement, const Status& own, const Status& planned) {
  if (own.message().find(" cannot be read: it is ") != std::string::npos) return own;
  if (asks_for_pivot_values(planned))
    return {Code::unsupported,
            "PIVOT without IN is not supported; name the values: ON city IN ('Berlin', 'Paris')"};
  const bool is_known = planned.code() == Code::unsupported;
  if (own.code() != Code::unsupported) return is_known ? planned : own;
  if (is_known) return refusals_of(own) == refusals_of(planned) ? own : planned;
  if (planned.code() != Code::invalid) return own.with(planned.message());
  return is_of_statement(statement, planned) ? planned : own;
}

Status with_hint(std::string_view statement, const Status& own) {
  if (own.message().find(refused) != std::string::npos || own.code() == Code::unsupported)
    return own.with(how_to_install_duckdb());
  const bool is_named = own.message().find("; did you mean") != std::string::npos;
  if (own.code() != Code::invalid || is_named || is_parsed(statement)) return own;
  return own.with("if DuckDB reads the statement: " + how_to_install_duckdb());
}

}  // namespace penstock::sql
