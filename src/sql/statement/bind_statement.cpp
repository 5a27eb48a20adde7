// Chooses the planner of a statement, and the reader of a plan.
#include <algorithm>
#include <set>

#include "base/exception_boundary.hpp"
#include "expr/intervals.hpp"
#include "penstock/sql.hpp"
#include "sql/bind/bind_own.hpp"
#include "sql/duckdb/plan_statement.hpp"
#include "sql/duckdb/plan_text.hpp"
#include "sql/parse/source_position.hpp"
#include "sql/statement/choose_error.hpp"
#include "sql/statement/user_functions.hpp"
#include "sql/substrait/plan_bytes.hpp"
#include "sql/substrait/substrait_plan.hpp"

namespace penstock {
namespace {

// The own binder joins tables as FROM names them. From so many on DuckDB's order is worth its time:
// TPC-DS 72, with 11 tables, took 20 s on an H200 by the own binder at scale 1. DuckDB also moves
// conditions into the SELECTs that FROM nests.
constexpr std::size_t max_own_tables = 6;

// A preferred step may read a table twice that the statement names once.
std::size_t table_count(const Plan& preferring, StepId result) {
  const Plan plan = preferring.without_preferences();
  std::set<StepId> read{result};
  std::size_t count = 0;
  for (StepId id = result + 1; id-- > 0;) {  // inputs have smaller numbers
    if (!read.contains(id)) continue;
    count += plan.step(id).kind == StepKind::source;
    read.insert(plan.step(id).inputs.begin(), plan.step(id).inputs.end());
  }
  return count;
}

// A statement that is wrong for both planners has our words, which point at a place. One that
// DuckDB alone understands is refused by the name of its part.
Result<BoundSql> bind_automatically(std::string_view statement, Plan& plan, const TableOpener& open,
                                    const BindOptions& options) {
  Plan own_plan = plan;
  const Result<sql::OwnSql> own = sql::bind_own(statement, own_plan, open, options.functions.get());
  const Code code = own.status().code();
  const bool is_final = code != Code::ok && code != Code::unsupported && code != Code::invalid;
  const bool is_good =
      own.ok() && !own->prefers_duckdb && table_count(own_plan, own->bound.rows) <= max_own_tables;
  const std::string of_user = sql::user_function_called(statement, options.functions.get());
  if (!own.ok() && !of_user.empty()) return sql::error_with_user(own.status(), of_user);
  const bool asks_duckdb = !is_final && !is_good && of_user.empty() && sql::is_query(statement);
  if (asks_duckdb && sql::has_duckdb()) {
    Result<BoundSql> planned = sql::bind_by_duckdb(statement, plan, open, options.definitions);
    if (planned.ok()) return planned;
    if (sql::suggests_user_function(own.status(), options.functions.get())) return own.status();
    if (!own.ok()) return sql::error_of_both(statement, own.status(), planned.status());
  }
  if (own.ok()) {
    plan = std::move(own_plan);
    return own->bound;
  }
  return asks_duckdb ? sql::with_hint(statement, own.status()) : own.status();
}

Result<BoundSql> bind_by_own(std::string_view statement, Plan& plan, const TableOpener& open,
                             const BindOptions& options) {
  PENSTOCK_ASSIGN(sql::OwnSql own, sql::bind_own(statement, plan, open, options.functions.get()));
  return std::move(own.bound);
}

Result<BoundSql> bind_by_duckdb(std::string_view statement, Plan& plan, const TableOpener& open,
                                const BindOptions& options) {
  const std::string of_user = sql::user_function_called(statement, options.functions.get());
  if (!of_user.empty()) return sql::unknown_to_duckdb(of_user);
  return sql::bind_by_duckdb(statement, plan, open, options.definitions);
}

bool has_instants(Type type) {
  return type == expr::instant_type ||
         (is_nested(type) && std::ranges::any_of(type.nested->types, has_instants));
}

// Instants are shown in the zone of the session, which has to be known.
Result<BoundSql> with_known_zone(Result<BoundSql> bound, const Plan& plan) {
  if (!bound.ok()) return bound;
  const Schema& schema = plan.step(bound->rows).schema;
  if (std::ranges::any_of(schema, has_instants, &Field::type))
    PENSTOCK_TRY(expr::session_time_zone().status());
  return bound;
}

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

Result<StepId> bind_any_plan(std::string_view text, Plan& plan, const TableOpener& open) {
  if (!is_json(text)) return sql::bind_substrait_bytes(text, plan, open);
  PENSTOCK_ASSIGN(const nlohmann::json json, sql::parse_plan(text));
  const sql::Tree planned(&json);
  return sql::is_substrait(planned) ? sql::bind_substrait(planned, plan, open)
                                    : sql::bind_duckdb_plan(planned, plan, open);
}

}  // namespace

bool is_plan_text(std::string_view text) { return is_json(text) || sql::is_plan_bytes(text); }

Result<StepId> bind_plan(std::string_view plan_text, Plan& plan, const TableOpener& open) {
  return catch_exceptions([&] { return bind_any_plan(plan_text, plan, open); });
}

Result<BoundSql> bind_statement(std::string_view statement, Plan& plan, const TableOpener& open,
                                const BindOptions& options) {
  if (is_plan_text(statement)) {
    PENSTOCK_ASSIGN(const StepId rows, bind_plan(statement, plan, open));
    return BoundSql{StatementKind::select, rows, {}};
  }
  switch (options.planner) {
    case Planner::own: return with_known_zone(bind_by_own(statement, plan, open, options), plan);
    case Planner::duckdb:
      return with_known_zone(bind_by_duckdb(statement, plan, open, options), plan);
    case Planner::automatic:
      return with_known_zone(bind_automatically(statement, plan, open, options), plan);
  }
  return Status(Code::internal, "a planner of no known name");
}

Result<StepId> bind_sql(std::string_view statement, Plan& plan, const TableOpener& open) {
  PENSTOCK_ASSIGN(const BoundSql bound, bind_statement(statement, plan, open));
  if (bound.kind == StatementKind::select) return bound.rows;
  return sql::error_at(statement, 0, Code::unsupported,
                       "a statement other than SELECT has no rows to compute here");
}

}  // namespace penstock
