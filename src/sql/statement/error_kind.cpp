#include "sql/statement/error_kind.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "sql/duckdb/plan_statement.hpp"
#include "sql/parse/definition.hpp"
#include "sql/parse/session_command.hpp"
#include "sql/statement/choose_error.hpp"

namespace penstock::sql {
namespace {

constexpr std::string_view of_duckdb = "DuckDB: ";

// Tells whether a statement cannot be read, before its names are looked up.
bool is_misspelt(std::string_view statement, const Status& error) {
  if (error.message().starts_with(of_duckdb))
    return error.message().starts_with("DuckDB: Parser Error");
  const auto definition = read_definition(statement);
  const auto command = read_command(statement);
  if (!definition.ok() || !command.ok()) return true;
  if (*definition) return !(*definition)->query.empty() && is_misspelt((*definition)->query, error);
  if (*command) return !(*command)->query.empty() && is_misspelt((*command)->query, error);
  return !is_parsed(statement);
}

bool is_of_missing_table(const Status& error) {
  const std::string& message = error.message();
  if (message.starts_with(no_table) || message.starts_with(no_name)) return true;
  if (error.code() == Code::io) return message.starts_with(std::strerror(ENOENT));
  return message.starts_with("DuckDB: Catalog Error: Table with name ");
}

}  // namespace

ErrorKind kind_of_error(std::string_view statement, const Status& error) {
  if (is_of_missing_table(error)) return ErrorKind::missing_table;
  if (error.code() == Code::invalid && is_misspelt(statement, error)) return ErrorKind::syntax;
  return ErrorKind::other;
}

}  // namespace penstock::sql
