// Mark joins: whether a left row has a partner, as IN and EXISTS ask. A filter that asks for the
// mark alone is a semi or anti join. Elsewhere the mark is a column.
#include <algorithm>
#include <array>

#include "relation/lowering.hpp"

namespace penstock::relation {
namespace {

// Returns the keys that are compared by =, where a NULL leaves the mark unknown.
std::vector<RelationKey> keys_that_may_be_unknown(const RelationJoin& join, const Schema& left,
                                                  const Schema& right) {
  std::vector<RelationKey> keys;
  for (const RelationKey& key : join.keys)
    if (!key.null_is_equal && (left[key.left].nullable || right[key.right].nullable))
      keys.push_back(key);
  return keys;
}

std::vector<RelationKey> null_safe_keys(const RelationJoin& join, const RelationKey& besides) {
  std::vector<RelationKey> keys;
  for (const RelationKey& key : join.keys)
    if (key.left != besides.left || key.right != besides.right ||
        key.null_is_equal != besides.null_is_equal)
      keys.push_back(key);
  return keys;
}

enum class Asked : unsigned char { nothing, is_true, is_false };

// Returns what a condition asks of the mark, if that is all it asks.
Asked asked_of(const Graph& graph, NodeId condition, std::uint32_t mark) {
  const auto is_mark = [&](NodeId id) {
    return graph.at(id).op == Op::column && graph.at(id).payload == mark;
  };
  if (is_mark(condition)) return Asked::is_true;
  const Node& node = graph.at(condition);
  return node.op == Op::not_ && is_mark(node.inputs[0]) ? Asked::is_false : Asked::nothing;
}

}  // namespace

// Every left row with TRUE, FALSE or NULL. Partners are found by the number of their left row.
Result<StepId> Lowering::mark(const RelationJoin& join, StepId left, StepId right) {
  const std::uint32_t left_columns = width(left);
  const auto unknown = keys_that_may_be_unknown(join, schema(left), schema(right));
  if (unknown.size() > 1 || (!unknown.empty() && join.residual))
    return Status(Code::unsupported,
                  "IN of several columns that may be NULL is supported in WHERE alone");
  PENSTOCK_ASSIGN(const StepId numbered, add_row_numbers(plan_, left));
  PENSTOCK_ASSIGN(const StepId taken,
                  half(with_row_number(join, left, right), JoinKind::semi, numbered, right));
  PENSTOCK_ASSIGN(const StepId found, keep_columns(plan_, taken, {left_columns}));
  PENSTOCK_ASSIGN(StepId rows, plan_.join(numbered, found, JoinKind::left, {{left_columns, 0}}));
  if (!unknown.empty()) { PENSTOCK_ASSIGN(rows, with_counts(join, rows, right)); }
  Builder builder(schema(rows));
  PENSTOCK_ASSIGN(const NodeId is_lonely,
                  builder.unary(Op::is_null, builder.column(left_columns + 1)));
  PENSTOCK_ASSIGN(NodeId mark, builder.unary(Op::not_, is_lonely));
  if (!unknown.empty()) {
    const NodeId rows_there = builder.column(left_columns + 2),
                 values_there = builder.column(left_columns + 3);
    const NodeId none = builder.literal(Scalar::of(std::int64_t{0}));
    const NodeId no = builder.literal(Scalar::of(false));
    PENSTOCK_ASSIGN(const NodeId has_rows, builder.binary(Op::greater, rows_there, none));
    PENSTOCK_ASSIGN(const NodeId has_nulls,
                    builder.binary(Op::not_equal, rows_there, values_there));
    PENSTOCK_ASSIGN(const NodeId is_null,
                    builder.unary(Op::is_null, builder.column(unknown[0].left)));
    PENSTOCK_ASSIGN(const NodeId either, builder.binary(Op::or_, has_nulls, is_null));
    PENSTOCK_ASSIGN(const NodeId both, builder.binary(Op::and_, has_rows, either));
    PENSTOCK_ASSIGN(const NodeId is_unknown, builder.variadic(Op::coalesce, {both, no}));
    PENSTOCK_ASSIGN(
        const NodeId otherwise,
        builder.select(is_unknown, builder.literal(Scalar::null_of({Kind::boolean})), no));
    PENSTOCK_ASSIGN(mark, builder.select(mark, builder.literal(Scalar::of(true)), otherwise));
  }
  std::vector<Projection> columns;
  for (std::uint32_t i = 0; i < left_columns; i++)
    columns.push_back({builder.schema()[i].name, builder.column(i)});
  columns.push_back({"mark", mark});
  return plan_.map(rows, builder.graph(), std::move(columns));
}

Result<StepId> Lowering::not_in(const RelationJoin& join, StepId left, StepId right) {
  if (has_128_bits(schema(left)[join.keys[0].left].type)) return not_in_wide(join, left, right);
  return plan_.join(left, right, JoinKind::not_in, {{join.keys[0].left, join.keys[0].right}});
}

// Tables of keys of 128 bits have their halves, which are equal or not, but not unknown. So counts
// tell of NULLs.
Result<StepId> Lowering::not_in_wide(const RelationJoin& join, StepId left, StepId right) {
  const std::uint32_t columns = width(left);
  PENSTOCK_ASSIGN(StepId rows, half(join, JoinKind::anti, left, right));
  if (keys_that_may_be_unknown(join, schema(left), schema(right)).empty()) return rows;
  PENSTOCK_ASSIGN(rows, with_counts(join, rows, right));
  Builder builder(schema(rows));
  const NodeId rows_there = builder.column(columns), values_there = builder.column(columns + 1);
  const NodeId none = builder.literal(Scalar::of(std::int64_t{0}));
  PENSTOCK_ASSIGN(const NodeId is_empty, builder.binary(Op::equal, rows_there, none));
  PENSTOCK_ASSIGN(const NodeId has_no_null, builder.binary(Op::equal, rows_there, values_there));
  PENSTOCK_ASSIGN(const NodeId is_null,
                  builder.unary(Op::is_null, builder.column(join.keys[0].left)));
  PENSTOCK_ASSIGN(const NodeId is_value, builder.unary(Op::not_, is_null));
  PENSTOCK_ASSIGN(const NodeId is_other, builder.binary(Op::and_, has_no_null, is_value));
  PENSTOCK_ASSIGN(const NodeId kept, builder.binary(Op::or_, is_empty, is_other));
  PENSTOCK_ASSIGN(rows, plan_.filter(rows, builder.graph(), kept));
  return keep_columns(plan_, rows, columns_from(0, columns));
}

// The rows and the values of the unknown key, counted by the other keys.
Result<StepId> Lowering::with_counts(const RelationJoin& join, StepId rows, StepId right) {
  const RelationKey unknown = keys_that_may_be_unknown(join, schema(rows), schema(right))[0];
  std::vector<RelationKey> others = null_safe_keys(join, unknown);
  Builder builder(schema(right));
  RelationAggregate groups;
  groups.graph = builder.graph();
  for (RelationKey& key : others) {
    groups.keys.push_back({schema(right)[key.right].name, builder.column(key.right)});
    key.right = static_cast<std::uint32_t>(groups.keys.size() - 1);
  }
  groups.aggregates = {{Aggregate::count_rows, 0, "rows", {}},
                       {Aggregate::count, builder.column(unknown.right), "values", {}}};
  const auto first_count = static_cast<std::uint32_t>(groups.keys.size());
  PENSTOCK_ASSIGN(const StepId counts, grouped(groups, columns_from(0, first_count), {}, right));
  const std::uint32_t columns = width(rows);
  RelationJoin by_others;
  by_others.keys = std::move(others);
  PENSTOCK_ASSIGN(const StepId all, outer(by_others, rows, counts));
  return keep_columns(plan_, all,
                      both(columns_from(0, columns), columns_from(columns + first_count, 2)));
}

// A filter over a mark that nothing else reads, where it asks for TRUE or for FALSE alone.
Result<std::optional<StepId>> Lowering::filter_by_mark(const Relation& filter) {
  const Relation& input = at(filter.inputs[0]);
  if (input.kind != RelationKind::join || input.join.type != JoinType::mark ||
      consumers_[filter.inputs[0]] > 1)
    return std::optional<StepId>();
  const auto mark = static_cast<std::uint32_t>(input.schema.size() - 1);
  const std::vector<NodeId> conditions = conjuncts_of(*filter.graph, filter.predicate);
  const auto asks = [&](NodeId condition) {
    return asked_of(*filter.graph, condition, mark) != Asked::nothing;
  };
  const auto found = std::ranges::find_if(conditions, asks);
  if (found == conditions.end()) return std::optional<StepId>();
  const bool is_true = asked_of(*filter.graph, *found, mark) == Asked::is_true;
  PENSTOCK_ASSIGN(const StepId left, of(input.inputs[0]));
  PENSTOCK_ASSIGN(StepId right, of(input.inputs[1]));
  RelationJoin join = input.join;
  if (join.residual) { PENSTOCK_ASSIGN(join, without_right_conditions(join, left, right)); }
  const auto unknown = keys_that_may_be_unknown(join, schema(left), schema(right));
  const bool is_not_in = !is_true && !unknown.empty();
  if (is_not_in && (join.keys.size() > 1 || join.residual)) return std::optional<StepId>();
  StepId rows = 0;
  if (is_not_in) {
    PENSTOCK_ASSIGN(rows, not_in(join, left, right));
  } else {
    PENSTOCK_ASSIGN(rows, half(join, is_true ? JoinKind::semi : JoinKind::anti, left, right));
  }
  Extension marked(plan_, rows);
  marked.add(marked.rows().literal(Scalar::of(is_true)), "mark");
  PENSTOCK_ASSIGN(rows, marked.finish());
  const ColumnList columns = columns_from(0, mark + 1);
  for (const NodeId condition : conditions) {
    if (condition == *found) continue;
    PENSTOCK_ASSIGN(rows, add_filter(plan_, rows, *filter.graph, condition, columns));
  }
  return std::optional(rows);
}

}  // namespace penstock::relation
