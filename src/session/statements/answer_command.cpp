#include "session/statements/answer_command.hpp"

#include "session/statements/answer_statement.hpp"
#include "session/statements/catalog.hpp"
#include "session/statements/change_rows.hpp"
#include "sql/parse/lexer.hpp"

namespace penstock::session {
namespace {

Result<QueryResult> explained(Session& session, const sql::Command& command,
                              const SessionStatement& asked, const RunOptions& options) {
  PENSTOCK_ASSIGN(const std::string query, explained_query(command.query));
  SessionStatement statement = asked;
  statement.text = query;
  statement.parameters = nullptr;
  PENSTOCK_ASSIGN(const std::string plan, session.explain(statement, options));
  return result_of(
      Table::of({{"explain_key", Column::from_strings(std::vector<std::string>{"physical_plan"})},
                 {"explain_value", Column::from_strings(std::vector<std::string>{plan})}}));
}

// SHOW of a setting, or else of a table's columns.
Result<QueryResult> shown(Session& session, const Settings& settings, const std::string& name) {
  if (const auto value = settings.value_of(name)) return result_of(one_text(name, *value));
  return session.sql("DESCRIBE " + sql::in_quotes(name, '"'));
}

Table schemas_shown() {
  return Table::of({{"database_name", Column::from_strings(std::vector<std::string>{"memory"})},
                    {"schema_name", Column::from_strings(std::vector<std::string>{"main"})},
                    {"current", Column::from_booleans({true})}});
}

// Each statement is kept when it ends, so that there is nothing to undo it by.
Status rolled_back(const SessionNames& names) {
  if (!names.has_changed()) return {};
  return {Code::unsupported,
          "ROLLBACK is not supported behind a change: each statement is a transaction of its own"};
}

}  // namespace

Result<std::string> explained_query(const std::string& statement) {
  PENSTOCK_ASSIGN(const auto definition, sql::read_definition(statement));
  PENSTOCK_ASSIGN(const auto command, sql::read_command(statement));
  if (command && command->kind == sql::CommandKind::explain) return explained_query(command->query);
  std::string query = definition ? definition->query : statement;
  if (command) query = command->kind == sql::CommandKind::insert ? command->query : "";
  if (!query.empty()) return query;
  return Status(Code::unsupported, "EXPLAIN of a statement without a SELECT is not supported");
}

Result<QueryResult> answer_command(Session& session, SessionNames& names, Settings& settings,
                                   const sql::Command& command, const SessionStatement& asked,
                                   const RunOptions& options) {
  using enum sql::CommandKind;
  switch (command.kind) {
    case explain: return explained(session, command, asked, options);
    case show_tables: return result_of(tables_shown(session));
    case show_all_tables: {
      PENSTOCK_ASSIGN(Table table, all_tables_shown(session));
      return result_of(std::move(table));
    }
    case show_schemas: return result_of(schemas_shown());
    case show_databases: return result_of(one_text("database_name", "memory"));
    case show_name: return shown(session, settings, command.name);
    case table_info: {
      PENSTOCK_ASSIGN(Table table, session::table_info(session, command.name));
      return result_of(std::move(table));
    }
    case set: PENSTOCK_TRY(settings.set(command.name, command.value)); return QueryResult();
    case reset: PENSTOCK_TRY(settings.reset(command.name)); return QueryResult();
    case begin: names.begin(); return QueryResult();
    case commit: names.begin(); return QueryResult();
    case rollback: PENSTOCK_TRY(rolled_back(names)); return QueryResult();
    case insert:
    case remove:
    case update: return change_rows(session, names, command, asked, options);
  }
  return Status(Code::internal, "a command of no known kind");
}

}  // namespace penstock::session
