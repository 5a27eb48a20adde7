// Turns a SQL SELECT, over one table or several joined ones, into a Plan. Statements about a SELECT
// or a table, such as DESCRIBE and COPY, are told apart here; who runs plans answers them.
//
//     Plan plan;
//     PENSTOCK_ASSIGN(StepId result,
//         bind_sql("SELECT count(*) FROM 'hits.parquet' WHERE price > 3", plan, open_table));
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/plan.hpp"
#include "penstock/table_reference.hpp"

namespace penstock {

using TableOpener =
    std::function<Result<std::shared_ptr<TableSource>>(const TableReference& table)>;

enum class StatementKind : unsigned char { select, describe, summarize, copy };

// The target of COPY ... TO, and its options: {"format", "csv"}, {"partition_by",
// OptionList{"year"}}.
struct CopyTarget {
  std::string path;
  std::vector<TableOption> options;
};

struct BoundSql {
  StatementKind kind = StatementKind::select;
  StepId rows = 0;              // of its SELECT, or of the table that it names
  CopyTarget target;            // of COPY
  std::string planned_by = {};  // a note for the report; "" for the own planner
};

// The planner of a SELECT. automatic: the own binder where it supports the statement, else DuckDB's
// planner. DuckDB plans over stand-ins of the tables: it reads no file.
enum class Planner : unsigned char { own, duckdb, automatic };

// The user's functions and aggregates, by their names in lower case. The own planner alone knows
// them: DuckDB's does not plan a statement that calls one.
struct UserFunctions {
  std::map<std::string, std::shared_ptr<const CustomFunction>, std::less<>> functions;
  std::map<std::string, std::shared_ptr<const CustomReduction>, std::less<>> reductions;
};

struct BindOptions {
  Planner planner = Planner::own;
  // CREATE VIEW and CREATE MACRO statements, whose names DuckDB's planner takes.
  std::vector<std::string> definitions = {};
  std::shared_ptr<const UserFunctions> functions = {};
};

// Parses one statement, SELECT, DESCRIBE, SUMMARIZE or COPY ... TO, and adds the steps of its
// SELECT to `plan`.
Result<BoundSql> bind_statement(std::string_view statement, Plan& plan, const TableOpener& open,
                                const BindOptions& options = {});
// Parses one SELECT statement and adds its steps to `plan`. DuckDB's types and answers are the
// reference. Errors end with the line of the statement and a caret under the position.
Result<StepId> bind_sql(std::string_view statement, Plan& plan, const TableOpener& open);

// Adds the steps of a plan that another planner made (docs/sql.md): DuckDB's json_serialize_plan(),
// or Substrait, as protobuf's bytes or its JSON. Tables are those that the plan names.
Result<StepId> bind_plan(std::string_view plan_text, Plan& plan, const TableOpener& open);
// Tells a plan from a statement. Statements may be plans wherever one is taken.
bool is_plan_text(std::string_view text);

// A statement of a text that holds several, as split_statements() finds it.
struct StatementText {
  std::string text;            // without the semicolon, and without blanks and comments before it
  std::uint32_t line = 1;      // of the whole text, on which it begins
  bool has_semicolon = false;  // the last may lack it: a shell reads on
};
// Splits a text at its semicolons, but not within strings, quoted names, dollar quotes and
// comments, which may nest. Empty statements are left out. Checks nothing: bind_sql() does.
std::vector<StatementText> split_statements(std::string_view text);

}  // namespace penstock
