// Joins of DuckDB's plans. A delim join's right side reads the distinct values of some left
// columns, by a delim get.
#include <algorithm>
#include <optional>
#include <utility>

#include "relation/shape.hpp"
#include "sql/duckdb/plan_expression.hpp"
#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {
namespace {

struct NamedJoin {
  std::string_view name;
  JoinType type;
  bool is_turned = false;  // DuckDB names it by its right side
};
constexpr NamedJoin joins[] = {{"INNER", JoinType::inner},
                               {"LEFT", JoinType::left},
                               {"RIGHT", JoinType::left, true},
                               {"OUTER", JoinType::full},
                               {"FULL", JoinType::full},
                               {"SEMI", JoinType::semi},
                               {"RIGHT_SEMI", JoinType::semi, true},
                               {"ANTI", JoinType::anti},
                               {"RIGHT_ANTI", JoinType::anti, true},
                               {"MARK", JoinType::mark},
                               {"SINGLE", JoinType::single}};

std::vector<PlanColumn> moved(std::vector<PlanColumn> columns, std::uint32_t by) {
  for (PlanColumn& column : columns) column = column.moved(by);
  return columns;
}

bool keeps_left_alone(JoinType type) { return yields_left_alone(type) || type == JoinType::mark; }

}  // namespace

Result<PlanRows> PlanReader::join(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows left, input(plan, 0));
  PENSTOCK_ASSIGN(PlanRows right, input(plan, 1));
  return join_of(plan, std::move(left), std::move(right));
}

Result<PlanRows> PlanReader::cross_product(const Tree& plan) {
  PENSTOCK_ASSIGN(PlanRows left, input(plan, 0));
  PENSTOCK_ASSIGN(const PlanRows right, input(plan, 1));
  const std::uint32_t left_width = width(left.relation);
  PENSTOCK_ASSIGN(left.relation, relations_.join(left.relation, right.relation, {}));
  for (const PlanColumn& column : moved(right.columns, left_width)) left.columns.push_back(column);
  return left;
}

Result<PlanRows> PlanReader::join_of(const Tree& plan, PlanRows left, PlanRows right) {
  const auto kind = std::ranges::find(joins, plan["join_type"].text(), &NamedJoin::name);
  if (kind == std::end(joins))
    return refuse(plan, "the join " + lower(plan["join_type"].text()) + " of DuckDB's plan");
  if (is_quantified_join(plan)) return quantified_join(plan, std::move(left), std::move(right));
  RelationJoin join;
  join.type = kind->type;
  const Tree conditions = plan["conditions"];
  std::vector<std::size_t> others;  // no equal keys
  Computed of_left(*this, left), of_right(*this, right);
  for (std::size_t i = 0; i < conditions.size(); i++) {
    const Tree condition = conditions.at(i);
    const std::string_view comparison = condition["comparison"].text();
    const bool is_null_safe = comparison == "COMPARE_NOT_DISTINCT_FROM";
    if (comparison != "COMPARE_EQUAL" && !is_null_safe) {
      others.push_back(i);
      continue;
    }
    RelationKey key;
    PENSTOCK_ASSIGN(key.left, of_left.column(condition["left"], "ON"));
    PENSTOCK_ASSIGN(key.right, of_right.column(condition["right"], "ON"));
    key.null_is_equal = is_null_safe;
    join.keys.push_back(key);
  }
  PENSTOCK_ASSIGN(left.relation, of_left.finish());
  PENSTOCK_ASSIGN(right.relation, of_right.finish());
  const std::uint32_t left_width = width(left.relation);
  const std::vector<PlanColumn> right_columns = moved(right.columns, left_width);
  Builder builder(pair_of(left.relation, right.relation));
  const auto add = [&](const Result<NodeId>& bound) -> Status {
    if (!bound.ok()) return problems_.pass(bound.status()) ? Status() : bound.status();
    PENSTOCK_ASSIGN(NodeId node, builder.cast(*bound, Type{Kind::boolean}));
    if (join.residual) { PENSTOCK_ASSIGN(node, builder.binary(Op::and_, *join.residual, node)); }
    join.residual = node;
    return {};
  };
  for (const std::size_t i : others) {
    const Tree condition = conditions.at(i);
    const std::string_view name = comparison_operator(condition["comparison"].text());
    if (!condition["left"] || name.empty()) {
      std::vector<PlanColumn> columns = left.columns;
      columns.insert(columns.end(), right_columns.begin(), right_columns.end());
      const Tree whole = condition["left"] ? condition["left"] : condition["expr"];
      PENSTOCK_TRY(add(value(builder, whole, columns, "ON")));
      continue;
    }
    const SyntaxPtr syntax = operation_syntax(
        std::string(name), {read_plan_expression(condition["left"], left.columns, problems_),
                            read_plan_expression(condition["right"], right_columns, problems_)});
    PENSTOCK_TRY(add(bind(builder, *syntax, "ON")));
  }
  for (const char* const field : {"condition", "predicate"}) {
    if (!plan[field]) continue;
    std::vector<PlanColumn> columns = left.columns;
    columns.insert(columns.end(), right_columns.begin(), right_columns.end());
    PENSTOCK_TRY(add(value(builder, plan[field], columns, "ON")));
  }
  join.graph = builder.graph();
  if (kind->is_turned) return turned_join(plan, left, right, std::move(join));
  PlanRows rows;
  PENSTOCK_ASSIGN(rows.relation, relations_.join(left.relation, right.relation, std::move(join)));
  rows.columns = picked(left.columns, plan["left_projection_map"]);
  if (kind->type == JoinType::mark) rows.columns.push_back({PlanColumn::Kind::value, left_width});
  if (keeps_left_alone(kind->type)) return rows;
  for (const PlanColumn& column : picked(right_columns, plan["right_projection_map"]))
    rows.columns.push_back(column);
  return rows;
}

// The right rows are the ones that are kept: they become the left side.
Result<PlanRows> PlanReader::turned_join(const Tree& plan, const PlanRows& left,
                                         const PlanRows& right, RelationJoin join) {
  const std::uint32_t right_width = width(right.relation);
  join =
      relation::with_sides_swapped(std::move(join), schema(left.relation), schema(right.relation));
  const bool keeps_right_alone = keeps_left_alone(join.type);
  PlanRows rows;
  PENSTOCK_ASSIGN(rows.relation, relations_.join(right.relation, left.relation, std::move(join)));
  if (!keeps_right_alone)
    rows.columns = picked(moved(left.columns, right_width), plan["left_projection_map"]);
  for (const PlanColumn& column : picked(right.columns, plan["right_projection_map"]))
    rows.columns.push_back(column);
  return rows;
}

Result<PlanRows> PlanReader::delim_join(const Tree& plan) {
  const std::size_t side = plan["delim_flipped"].boolean() ? 1 : 0;
  PENSTOCK_ASSIGN(PlanRows outer, input(plan, side));
  const Tree columns = plan["duplicate_eliminated_columns"];
  Computed computed(*this, outer);
  PlanRows values;
  for (std::size_t i = 0; i < columns.size(); i++) {
    PlanColumn column;
    PENSTOCK_ASSIGN(column.column, computed.column(columns.at(i), "ON"));
    values.columns.push_back(column);
  }
  PENSTOCK_ASSIGN(values.relation, computed.finish());
  outer.relation = values.relation;  // with the computed columns behind its own
  PENSTOCK_ASSIGN(values, exact(values));
  PENSTOCK_ASSIGN(values.relation, relations_.distinct(values.relation));
  delim_sides_.push_back(values);
  Result<PlanRows> inner = input(plan, 1 - side);
  delim_sides_.pop_back();
  PENSTOCK_TRY(inner);
  return side == 0 ? join_of(plan, std::move(outer), *inner)
                   : join_of(plan, *inner, std::move(outer));
}

Result<PlanRows> PlanReader::delim_get(const Tree& plan) {
  if (delim_sides_.empty()) return refuse(plan, "a delim get without its join");
  return delim_sides_.back();
}

}  // namespace penstock::sql
