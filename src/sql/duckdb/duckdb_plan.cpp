// Binds plans that DuckDB made, and has it make them.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/clock.hpp"
#include "base/exception_boundary.hpp"
#include "base/human_readable.hpp"
#include "penstock/sql.hpp"
#include "sql/duckdb/plan_reader.hpp"
#include "sql/duckdb/plan_statement.hpp"
#include "sql/duckdb/plan_text.hpp"
#include "sql/duckdb/planner.hpp"
#include "sql/duckdb/stand_ins.hpp"
#include "sql/parse/definition.hpp"
#include "sql/parse/statement_form.hpp"

namespace penstock::sql {
namespace {

// The file may be what json_serialize_plan() returns, or one plan of it.
Result<Tree> root_of(const Tree& all) {
  if (all["error"].boolean())
    return Status(Code::invalid, "DuckDB: " + std::string(all["error_message"].text()));
  const Tree plans = all["plans"];
  if (plans.size() > 1)
    return Status(Code::unsupported, "several statements in one plan are not supported");
  const Tree root = plans.size() == 1 ? plans.at(0) : all;
  if (root["type"].text().empty())
    return Status(Code::invalid, "the text is not a plan of DuckDB's json_serialize_plan()");
  return root;
}

using Tables = std::vector<std::shared_ptr<TableSource>>;

Result<Tables> open_all(const Tree& tables, const TableOpener& open) {
  Tables sources;
  for (std::size_t i = 0; i < tables.size(); i++) {
    PENSTOCK_ASSIGN(sources.emplace_back(), open(std::string(tables.at(i).text())));
    if (!sources.back())
      return Status(Code::invalid, "there is no table " + std::string(tables.at(i).text()));
  }
  return sources;
}

// `planned`: an object with the plan, and the names of the result's columns.
Result<StepId> add_steps(const Tree& planned, const Lexed& statement, const Tables& tables,
                         Plan& plan, const TableOpener& open) {
  PENSTOCK_ASSIGN(const Tree root, root_of(planned["plan"] ? planned["plan"] : planned));
  Problems problems(statement.statement);
  RelationGraph relations;
  PlanReader reader(statement, relations, tables, open, problems);
  const Result<PlanRows> rows = reader.read(root);
  problems.pass(rows.status());
  PENSTOCK_TRY(problems.status());
  PENSTOCK_TRY(rows);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < planned["names"].size(); i++)
    names.emplace_back(planned["names"].at(i).text());
  PENSTOCK_ASSIGN(const RelationId result, reader.with_names(*rows, names));
  return lower(relations, result, plan);
}

// Optimizers that write what only DuckDB can run, or what its serialiser gets wrong. Each release
// has some of them. Plans that were made with this list are bound by test/sql/plans_test.cpp, and
// answered by test/differential/nested_test.py.
constexpr std::string_view disabled_optimizers =
    "'column_lifetime', 'compressed_materialization', 'statistics_propagation', "
    "'common_subplan', 'common_subexpressions', 'late_materialization', "
    "'aggregate_function_rewriter', "
    "'partial_aggregate_pushdown', 'aggregate_reuse', 'grouping_sets', "
    "'distinct_aggregate_rewrite', 'window_rewriter', 'window_self_join', 'self_join_aggregate', "
    "'top_n_window_elimination', 'join_filter_pushdown', 'partitioned_execution', "
    "'row_group_pruner', 'sampling_pushdown', 'build_side_probe_side', 'in_clause', 'extension', "
    "'type_pushdown', 'scalar_fn_pushdown', 'remote_pushdown', 'projection_placement', "
    "'sum_rewriter'";
// DuckDB 1.x cannot plan without its statistics.
constexpr std::string_view kept_before_2 = "'statistics_propagation'";

Lexed lexed_for_duckdb(std::string_view statement) {
  Lexed lexed;
  const std::size_t end = statement.find_last_not_of(" \t\r\n;");
  lexed.statement = statement.substr(0, end == statement.npos ? 0 : end + 1);
  bool is_open = false;
  lexed.tokens = tokens_until_open(lexed.statement, is_open);
  return lexed;
}

// Returns the names that a text may use, in lower case.
std::set<std::string> names_in(const Lexed& lexed) {
  std::set<std::string> names;
  for (const Token& token : lexed.tokens)
    if (token.kind == TokenKind::word || token.kind == TokenKind::quoted)
      names.insert(lower(value_of(lexed, token)));
  return names;
}

// The definitions that a statement may use, each behind those that it uses itself.
class UsedDefinitions {
 public:
  UsedDefinitions(const std::vector<std::string>& definitions, StandIns& stand_ins)
      : stand_ins_(stand_ins) {
    for (const std::string& text : definitions)
      if (const auto definition = read_definition(text); definition.ok() && *definition)
        by_name_[lower((*definition)->name)] = text;
  }
  std::vector<std::string> of(const Lexed& statement) {
    add_names(statement);
    return std::move(used_);
  }

 private:
  void add_names(const Lexed& text) {
    for (const std::string& name : names_in(text)) {
      const auto found = by_name_.find(name);
      if (found == by_name_.end() || !seen_.insert(name).second) continue;
      const Lexed definition = lexed_for_duckdb(found->second);
      add_names(definition);
      used_.push_back(stand_ins_.rewrite(definition).text);
    }
  }

  StandIns& stand_ins_;
  std::map<std::string, std::string> by_name_;
  std::set<std::string> seen_;
  std::vector<std::string> used_;
};

std::vector<std::string> planning_statements(const StandIns& stand_ins,
                                             const std::vector<std::string>& definitions,
                                             const std::string& statement) {
  std::vector<std::string> statements = stand_ins.view_statements();
  statements.insert(statements.begin(), "SET enable_external_access = false");
  statements.insert(statements.end(), definitions.begin(), definitions.end());
  statements.push_back(
      "SET VARIABLE disabled = (SELECT string_agg(name, ',') FROM duckdb_optimizers() WHERE name "
      "IN (" +
      std::string(disabled_optimizers) + ") AND (version() >= 'v2' OR name NOT IN (" +
      std::string(kept_before_2) + ")))");
  statements.emplace_back("SET disabled_optimizers = getvariable('disabled')");
  statements.push_back(
      "SELECT json_object('version', version(), 'names', (SELECT list(column_name) FROM "
      "(DESCRIBE " +
      statement + "\n)), 'plan', json_serialize_plan(" + in_quotes(statement, '\'') +
      ", optimize := true))");
  return statements;
}

// Makes each place one of the statement as it was written.
void relocate(nlohmann::json& node, const Lexed& lexed) {
  if (node.is_object())
    if (const auto place = node.find("query_location");
        place != node.end() && place->is_number_unsigned() &&
        place->get<std::uint64_t>() < std::uint64_t{1} << 32)
      *place = lexed.place_of(place->get<std::int64_t>());
  if (node.is_structured())
    for (nlohmann::json& child : node) relocate(child, lexed);
}

// The SELECT of a statement, at its own place with blanks around it, and what is done with its
// rows.
struct PlannedQuery {
  std::string text;
  StatementForm form;
};

// Returns nothing for a SELECT. A table's name, which may be a view's, has a FROM in the place of
// the blanks before it.
std::optional<PlannedQuery> query_within(std::string_view statement) {
  Lexed lexed = lexed_for_duckdb(statement);
  lexed.rewritten = lexed.statement;
  const bool is_found = find_form(lexed).ok();
  if (!is_found || lexed.form.kind == StatementKind::select) return std::nullopt;
  constexpr std::string_view from = "FROM ";
  const std::size_t begin = lexed.tokens[lexed.form.first].offset;
  if (lexed.form.is_table && begin < from.size()) return std::nullopt;
  if (lexed.form.is_table) lexed.rewritten.replace(begin - from.size(), from.size(), from);
  return PlannedQuery{std::move(lexed.rewritten), std::move(lexed.form)};
}

Result<BoundSql> bind_planned(std::string_view statement, Plan& plan, const TableOpener& open,
                              const std::vector<std::string>& definitions) {
  if (!has_planner()) return Status(Code::unsupported, how_to_install_duckdb());
  const std::optional<PlannedQuery> within = query_within(statement);
  Lexed lexed = lexed_for_duckdb(within ? within->text : statement);
  StandIns stand_ins(open);
  Rewritten rewritten = stand_ins.rewrite(lexed);
  const std::vector<std::string> used = UsedDefinitions(definitions, stand_ins).of(lexed);
  PENSTOCK_TRY(stand_ins.unread_file());
  const double start = now_seconds();
  PENSTOCK_ASSIGN(const std::string answer,
                  run_in_duckdb(planning_statements(stand_ins, used, rewritten.text)));
  const double seconds = take_opening_seconds() + now_seconds() - start;
  PENSTOCK_ASSIGN(nlohmann::json json, parse_plan(answer));
  lexed.statement = std::string(statement);
  lexed.rewritten = std::move(rewritten.text);
  lexed.pieces = std::move(rewritten.pieces);
  if (!lexed.pieces.empty()) relocate(json, lexed);
  for (nlohmann::json& name : json["names"])
    if (name.is_string()) name = stand_ins.as_written(name.get<std::string>());
  const Tree planned(&json);
  BoundSql bound;
  if (within) {
    bound.kind = within->form.kind;
    bound.target = within->form.target;
  }
  PENSTOCK_ASSIGN(bound.rows, add_steps(planned, lexed, stand_ins.tables(), plan, open));
  std::string version(planned["version"].text());
  if (version.starts_with('v')) version.erase(0, 1);
  bound.planned_by = "planned by DuckDB " + version + " in " + number_text(seconds * 1e3, " ms");
  return bound;
}

}  // namespace

bool is_query(std::string_view statement) {
  if (query_within(statement)) return true;
  const Lexed lexed = lexed_for_duckdb(statement);
  std::size_t at = 0;
  while (at < lexed.tokens.size() && is_symbol(lexed, lexed.tokens[at], "(")) at++;
  constexpr std::string_view words[] = {"select", "with",  "from",   "values",
                                        "table",  "pivot", "unpivot"};
  return at < lexed.tokens.size() && std::ranges::any_of(
                                         words,
                                         [&](std::string_view word) {
                                           return is_keyword_token(lexed, lexed.tokens[at], word);
                                         });
}

bool has_duckdb() { return has_planner(); }

std::string how_to_install_duckdb() {
  return "DuckDB's planner is not found: pip install duckdb-cli, or set PENSTOCK_DUCKDB to a "
         "duckdb program or library";
}

Result<StepId> bind_duckdb_plan(const Tree& planned, Plan& plan, const TableOpener& open) {
  PENSTOCK_ASSIGN(const Tables tables, open_all(planned["tables"], open));
  Lexed statement;
  statement.statement = planned["statement"].text();
  return add_steps(planned, statement, tables, plan, open);
}

Result<BoundSql> bind_by_duckdb(std::string_view statement, Plan& plan, const TableOpener& open,
                                const std::vector<std::string>& definitions) {
  return catch_exceptions([&] { return bind_planned(statement, plan, open, definitions); });
}

}  // namespace penstock::sql
