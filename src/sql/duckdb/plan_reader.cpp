#include "sql/duckdb/plan_reader.hpp"

#include <algorithm>

#include "sql/duckdb/plan_expression.hpp"
#include "sql/parse/suggestions.hpp"

namespace penstock::sql {
namespace {

constexpr int operator_depth_limit = 1000;

}  // namespace

Result<std::uint32_t> PlanReader::Computed::column(const Tree& expression, const char* clause) {
  if (const auto meant = column_meant(expression, rows_.columns))
    if (const auto place = meant->place()) return *place;
  PENSTOCK_ASSIGN(const NodeId node, reader_.value(builder(), expression, rows_.columns, clause));
  return add(node);
}

Status PlanReader::refuse(const Tree& plan, const std::string& what) {
  return problems_.refuse(place_of(plan), not_supported(what));
}

Result<PlanRows> PlanReader::read(const Tree& plan) {
  if (depth_ == operator_depth_limit)
    return Status(Code::capacity, "the plan nests deeper than 1000 operators");
  depth_++;
  Result<PlanRows> rows = dispatch(plan);
  depth_--;
  if (rows.ok()) name_columns(plan, rows->columns);
  return rows;
}

Result<PlanRows> PlanReader::dispatch(const Tree& plan) {
  struct Row {
    std::string_view type;
    Result<PlanRows> (PlanReader::*read)(const Tree&);
  };
  static constexpr Row rows[] = {{"LOGICAL_GET", &PlanReader::scan},
                                 {"LOGICAL_FILTER", &PlanReader::filter},
                                 {"LOGICAL_PROJECTION", &PlanReader::project},
                                 {"LOGICAL_AGGREGATE_AND_GROUP_BY", &PlanReader::aggregate},
                                 {"LOGICAL_COMPARISON_JOIN", &PlanReader::join},
                                 {"LOGICAL_ANY_JOIN", &PlanReader::join},
                                 {"LOGICAL_ASOF_JOIN", &PlanReader::as_of_join},
                                 {"LOGICAL_CROSS_PRODUCT", &PlanReader::cross_product},
                                 {"LOGICAL_DELIM_JOIN", &PlanReader::delim_join},
                                 {"LOGICAL_DELIM_GET", &PlanReader::delim_get},
                                 {"LOGICAL_ORDER_BY", &PlanReader::sorted},
                                 {"LOGICAL_TOP_N", &PlanReader::first_rows},
                                 {"LOGICAL_LIMIT", &PlanReader::limited},
                                 {"LOGICAL_SAMPLE", &PlanReader::sampled},
                                 {"LOGICAL_DISTINCT", &PlanReader::distinct},
                                 {"LOGICAL_WINDOW", &PlanReader::window},
                                 {"LOGICAL_UNION", &PlanReader::set_operation},
                                 {"LOGICAL_INTERSECT", &PlanReader::set_operation},
                                 {"LOGICAL_EXCEPT", &PlanReader::set_operation},
                                 {"LOGICAL_MATERIALIZED_CTE", &PlanReader::materialized},
                                 {"LOGICAL_RECURSIVE_CTE", &PlanReader::recursion},
                                 {"LOGICAL_CTE_REF", &PlanReader::materialized_reference},
                                 {"LOGICAL_UNNEST", &PlanReader::unnest},
                                 {"LOGICAL_EXPRESSION_GET", &PlanReader::values},
                                 {"LOGICAL_EMPTY_RESULT", &PlanReader::no_rows}};
  const std::string_view type = plan["type"].text();
  if (type == "LOGICAL_DUMMY_SCAN") return one_row();
  const auto row = std::ranges::find(rows, type, &Row::type);
  if (row != std::end(rows)) return (this->*row->read)(plan);
  for (std::size_t i = 0; i < plan["children"].size(); i++)
    problems_.pass(read(plan["children"].at(i)).status());
  std::string name = lower(type.starts_with("LOGICAL_") ? type.substr(8) : type);
  std::ranges::replace(name, '_', ' ');
  return refuse(plan, "the operator " + name + " of DuckDB's plan");
}

Result<PlanRows> PlanReader::input(const Tree& plan, std::size_t child) {
  if (child >= plan["children"].size())
    return Status(Code::invalid, "the plan lacks an input of an operator");
  return read(plan["children"].at(child));
}

Result<NodeId> PlanReader::value(Builder& builder, const Tree& expression,
                                 const std::vector<PlanColumn>& columns, const char* clause) {
  const SyntaxPtr syntax = read_plan_expression(expression, columns, problems_);
  return bind_or_null(builder, *syntax, stated_type(expression).value_or(Type{Kind::boolean}),
                      clause);
}

std::vector<PlanColumn> PlanReader::picked(const std::vector<PlanColumn>& columns,
                                           const Tree& map) {
  if (map.size() == 0) return columns;
  std::vector<PlanColumn> kept;
  for (std::size_t i = 0; i < map.size(); i++)
    if (const auto index = static_cast<std::uint64_t>(map.at(i).integer()); index < columns.size())
      kept.push_back(columns[index]);
  return kept;
}

Result<PlanRows> PlanReader::exact(const PlanRows& rows) {
  Builder builder(schema(rows.relation));
  std::vector<Projection> projections;
  PlanRows result;
  bool is_same = rows.columns.size() == builder.schema().size();
  for (const PlanColumn& column : rows.columns) {
    const auto place = column.place();
    if (!place) return column.unread();
    const auto number = static_cast<std::uint32_t>(projections.size());
    is_same = is_same && *place == number;
    projections.push_back({builder.schema()[*place].name, builder.column(*place)});
    result.columns.push_back({PlanColumn::Kind::value, number});
  }
  result.relation = rows.relation;
  if (is_same) return result;
  PENSTOCK_ASSIGN(result.relation,
                  relations_.project(rows.relation, builder.graph(), std::move(projections)));
  return result;
}

Result<RelationId> PlanReader::with_names(const PlanRows& rows,
                                          const std::vector<std::string>& names) {
  RelationColumns result{rows.relation, {}};
  for (const PlanColumn& column : rows.columns) {
    const auto place = column.place();
    if (!place) return column.unread();
    result.columns.push_back(*place);
  }
  return with_columns(result, names);
}

Result<PlanRows> PlanReader::filtered(PlanRows rows, const std::vector<Tree>& conditions) {
  Builder builder(schema(rows.relation));
  std::vector<NodeId> nodes;
  for (const Tree& condition : conditions) {
    PENSTOCK_ASSIGN(nodes.emplace_back(), value(builder, condition, rows.columns, "WHERE"));
  }
  PENSTOCK_ASSIGN(rows.relation, RelationWriter::filtered(rows.relation, builder, nodes));
  return rows;
}

Result<PlanRows> PlanReader::filter(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows rows, input(plan));
  std::vector<Tree> conditions;
  for (std::size_t i = 0; i < plan["expressions"].size(); i++)
    conditions.push_back(plan["expressions"].at(i));
  PENSTOCK_ASSIGN(rows, filtered(std::move(rows), conditions));
  rows.columns = picked(rows.columns, plan["projection_map"]);
  return rows;
}

// Columns that are passed on need no step. Columns of a stand-in stay behind the computed ones, as
// expressions above may mean any of them.
Result<PlanRows> PlanReader::project(const Tree& plan) {
  PENSTOCK_ASSIGN(const PlanRows rows, input(plan));
  const Tree expressions = plan["expressions"];
  PlanRows result{rows.relation, {}};
  for (std::size_t i = 0; i < expressions.size(); i++)
    if (const auto meant = column_meant(expressions.at(i), rows.columns))
      result.columns.push_back(*meant);
  if (result.columns.size() == expressions.size()) return result;
  result.columns.clear();
  Computed computed(*this, rows);
  for (std::size_t i = 0; i < expressions.size(); i++) {
    PlanColumn column;
    if (const auto meant = column_meant(expressions.at(i), rows.columns)) {
      column = *meant;
    } else {
      PENSTOCK_ASSIGN(column.column, computed.column(expressions.at(i), "SELECT"));
    }
    result.columns.push_back(column);
  }
  PENSTOCK_ASSIGN(result.relation, computed.finish());
  return result;
}

}  // namespace penstock::sql
