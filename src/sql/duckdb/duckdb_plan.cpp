// Binds plans that DuckDB made.
#include "base/exception_boundary.hpp"
#include "penstock/sql.hpp"
#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {
namespace {

// The file may be what json_serialize_plan() returns, or one plan of it.
Result<Tree> root_of(const Tree& all) {
  if (all["error"].boolean())
    return Status(Code::invalid, "DuckDB: " + std::string(all["error_message"].text()));
  const Tree plans = all["plans"];
  if (plans.size() > 1) return Status(Code::unsupported, "several statements in one plan are not supported");
  const Tree root = plans.size() == 1 ? plans.at(0) : all;
  if (root["type"].text().empty())
    return Status(Code::invalid, "the text is not a plan of DuckDB's json_serialize_plan()");
  return root;
}

Result<std::vector<std::shared_ptr<TableSource>>> open_all(const Tree& tables,
                                                           const TableOpener& open) {
  std::vector<std::shared_ptr<TableSource>> sources;
  for (std::size_t i = 0; i < tables.size(); i++) {
    PENSTOCK_ASSIGN(sources.emplace_back(), open(std::string(tables.at(i).text())));
    if (!sources.back())
      return Status(Code::invalid, "there is no table " + std::string(tables.at(i).text()));
  }
  return sources;
}

Result<StepId> bind(std::string_view text, Plan& plan, const TableOpener& open) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) return Status(Code::invalid, "the plan is not JSON");
  const Tree all(&json);
  PENSTOCK_ASSIGN(const Tree root, root_of(all["plan"] ? all["plan"] : all));
  PENSTOCK_ASSIGN(const auto tables, open_all(all["tables"], open));
  Lexed statement;
  statement.statement = all["statement"].text();
  Problems problems(statement.statement);
  RelationGraph relations;
  PlanReader reader(statement, relations, tables, open, problems);
  const Result<PlanRows> rows = reader.read(root);
  problems.pass(rows.status());
  PENSTOCK_TRY(problems.status());
  PENSTOCK_TRY(rows);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all["names"].size(); i++)
    names.emplace_back(all["names"].at(i).text());
  PENSTOCK_ASSIGN(const RelationId result, reader.with_names(*rows, names));
  return lower(relations, result, plan);
}

}  // namespace

}  // namespace penstock::sql

namespace penstock {

bool is_plan_text(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{';
}

Result<StepId> bind_plan(std::string_view plan_text, Plan& plan, const TableOpener& open) {
  return catch_exceptions([&] { return sql::bind(plan_text, plan, open); });
}

}  // namespace penstock
