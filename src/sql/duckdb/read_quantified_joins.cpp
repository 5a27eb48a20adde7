// Mark joins of DuckDB's plans by a comparison other than =: `x <> ANY (SELECT y ...)`, and
// `x = ALL`, which is its NOT. The least and greatest y of the rows with equal keys decide. DuckDB
// 2.0.1 itself plans < and > as a comparison with a minimum or maximum.
#include <algorithm>
#include <optional>
#include <utility>

#include "sql/duckdb/plan_expression.hpp"
#include "sql/duckdb/plan_reader.hpp"

namespace penstock::sql {
namespace {

constexpr std::string_view null_safe = "COMPARE_NOT_DISTINCT_FROM";

SyntaxPtr column_syntax(std::uint32_t index) {
  auto syntax = std::make_shared<Syntax>();
  syntax->kind = SyntaxKind::column;
  syntax->index = index;
  return syntax;
}

// The columns of the groups, behind their keys.
struct Groups {
  std::uint32_t first = 0;
  std::uint32_t row_count() const { return first; }
  std::uint32_t value_count() const { return first + 1; }
  std::uint32_t minimum() const { return first + 2; }
  std::uint32_t maximum() const { return first + 3; }
};

// `x <> ANY` holds if x differs from the least or from the greatest y.
SyntaxPtr differs_from_any(std::uint32_t x, const Groups& groups) {
  const auto differs = [&](std::uint32_t bound) {
    return operation_syntax("!=", {column_syntax(x), column_syntax(bound)});
  };
  return operation_syntax("or", {differs(groups.minimum()), differs(groups.maximum())});
}

// No row: false. No row for which it holds: NULL if x or a y is NULL, otherwise false.
Result<NodeId> mark_of(Builder& builder, NodeId holds, std::uint32_t x, const Groups& groups) {
  const NodeId rows = builder.column(groups.row_count()),
               values = builder.column(groups.value_count()),
               no = builder.literal(Scalar::of(false)),
               unknown = builder.literal(Scalar::null_of(Type{Kind::boolean})),
               zero = builder.literal(Scalar::of(std::int64_t{0}));
  PENSTOCK_ASSIGN(NodeId some, builder.binary(Op::greater, rows, zero));
  PENSTOCK_ASSIGN(some, builder.variadic(Op::coalesce, {some, no}));
  PENSTOCK_ASSIGN(const NodeId lacks_x, builder.unary(Op::is_null, builder.column(x)));
  PENSTOCK_ASSIGN(const NodeId lacks_y, builder.binary(Op::less, values, rows));
  PENSTOCK_ASSIGN(const NodeId lacks, builder.binary(Op::or_, lacks_x, lacks_y));
  PENSTOCK_ASSIGN(const NodeId otherwise, builder.select(lacks, unknown, no));
  PENSTOCK_ASSIGN(const NodeId any, builder.binary(Op::or_, holds, otherwise));
  return builder.binary(Op::and_, some, any);
}

}  // namespace

bool PlanReader::is_quantified_join(const Tree& plan) {
  if (plan["join_type"].text() != "MARK") return false;
  for (std::size_t i = 0; i < plan["conditions"].size(); i++) {
    const std::string_view comparison = plan["conditions"].at(i)["comparison"].text();
    if (comparison != "COMPARE_EQUAL" && comparison != null_safe) return true;
  }
  return false;
}

// Groups rows by the first columns, and counts and bounds the values of the last one.
Result<RelationId> PlanReader::bounded_groups(RelationId input,
                                              const std::vector<std::uint32_t>& keys,
                                              std::uint32_t compared) {
  Builder columns(schema(input));
  RelationAggregate aggregate;
  for (const std::uint32_t key : keys)
    aggregate.keys.push_back({schema(input)[key].name, columns.column(key)});
  const NodeId y = columns.column(compared);
  aggregate.aggregates = {{Aggregate::count_rows, 0, "rows", {}},
                          {Aggregate::count, y, "values", {}},
                          {Aggregate::minimum, y, "minimum", {}},
                          {Aggregate::maximum, y, "maximum", {}}};
  aggregate.graph = columns.graph();
  return relations_.aggregate(input, std::move(aggregate));
}

Result<PlanRows> PlanReader::quantified_join(const Tree& plan, PlanRows left, PlanRows right) {
  RelationJoin join;
  std::vector<std::uint32_t> keys;
  std::optional<std::uint32_t> x, y;
  Computed of_left(*this, left), of_right(*this, right);
  for (std::size_t i = 0; i < plan["conditions"].size(); i++) {
    const Tree condition = plan["conditions"].at(i);
    const std::string_view name = condition["comparison"].text();
    const bool is_key = name == null_safe;
    if (!is_key && (x || name != "COMPARE_NOTEQUAL"))
      return refuse(plan, "ANY and ALL of this comparison");
    PENSTOCK_ASSIGN(const std::uint32_t a, of_left.column(condition["left"], "ON"));
    PENSTOCK_ASSIGN(const std::uint32_t b, of_right.column(condition["right"], "ON"));
    if (!is_key) {
      x = a, y = b;
      continue;
    }
    join.keys.push_back({a, static_cast<std::uint32_t>(keys.size()), true});
    keys.push_back(b);
  }
  if (plan["condition"] || plan["predicate"])
    return refuse(plan, "ANY and ALL by a further condition");
  PENSTOCK_ASSIGN(left.relation, of_left.finish());
  PENSTOCK_ASSIGN(right.relation, of_right.finish());
  PENSTOCK_ASSIGN(const RelationId bounds, bounded_groups(right.relation, keys, *y));
  join.type = keys.empty() ? JoinType::inner : JoinType::left;
  const auto key_count = static_cast<std::uint32_t>(keys.size());
  const Groups groups{width(left.relation) + key_count};
  PlanRows rows;
  PENSTOCK_ASSIGN(rows.relation, relations_.join(left.relation, bounds, std::move(join)));
  rows.columns = picked(left.columns, plan["left_projection_map"]);
  Computed computed(*this, rows);
  Builder& builder = computed.builder();
  PENSTOCK_ASSIGN(const NodeId holds,
                  bind_or_null(builder, *differs_from_any(*x, groups), Type{Kind::boolean}, "ON"));
  PENSTOCK_ASSIGN(const NodeId mark, mark_of(builder, holds, *x, groups));
  const PlanColumn marked{PlanColumn::Kind::value, computed.add(mark)};
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  rows.columns.push_back(marked);
  return rows;
}

}  // namespace penstock::sql
