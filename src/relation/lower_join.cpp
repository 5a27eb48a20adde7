// Joins by equal keys, with a further condition, and outer joins. Row numbers tell which left rows
// a condition on pairs has left without a partner.
#include <algorithm>

#include "relation/lowering.hpp"

namespace penstock::relation {
namespace {

// Keys that may be NULL and are equal then: the value with NULL as `neutral`, and whether it is
// NULL.
struct NullSafeKey {
  NodeId value = 0, is_null = 0;
};

Scalar neutral_of(Type type) {
  if (type.kind == Kind::string) return Scalar::of(type, std::string());
  return is_float(type) ? Scalar::of(type, 0.0) : Scalar::of(type, Int128{0});
}

Result<NullSafeKey> null_safe(Builder& rows, NodeId value) {
  const NodeId neutral = rows.literal(neutral_of(rows.type(value)));
  NullSafeKey key;
  PENSTOCK_ASSIGN(key.value, rows.variadic(Op::coalesce, {value, neutral}));
  PENSTOCK_ASSIGN(key.is_null, rows.unary(Op::is_null, value));
  PENSTOCK_ASSIGN(key.is_null, rows.cast(key.is_null, type_of<std::int8_t>()));
  return key;
}

}  // namespace

Result<JoinSides> Lowering::sides(const std::vector<RelationKey>& keys, StepId left, StepId right) {
  JoinSides sides{left, right, width(left), width(right), {}};
  Extension of_left(plan_, left), of_right(plan_, right);
  for (const RelationKey& key : keys) {
    const bool may_be_null = schema(left)[key.left].nullable || schema(right)[key.right].nullable;
    PENSTOCK_ASSIGN(const auto left_values,
                    key_values(of_left.rows(), of_left.rows().column(key.left)));
    PENSTOCK_ASSIGN(const auto right_values,
                    key_values(of_right.rows(), of_right.rows().column(key.right)));
    for (std::size_t i = 0; i < left_values.size(); i++) {
      if (!key.null_is_equal || !may_be_null) {
        sides.keys.push_back(
            {of_left.add(left_values[i], "key"), of_right.add(right_values[i], "key")});
        continue;
      }
      PENSTOCK_ASSIGN(const NullSafeKey a, null_safe(of_left.rows(), left_values[i]));
      PENSTOCK_ASSIGN(const NullSafeKey b, null_safe(of_right.rows(), right_values[i]));
      sides.keys.push_back({of_left.add(a.value, "key"), of_right.add(b.value, "key")});
      sides.keys.push_back({of_left.add(a.is_null, "is null"), of_right.add(b.is_null, "is null")});
    }
  }
  if (sides.keys.empty()) {  // every pair
    const auto constant = [](Extension& side) {
      return side.add(side.rows().literal(Scalar::of(std::int32_t{0})), "key");
    };
    sides.keys.push_back({constant(of_left), constant(of_right)});
  }
  PENSTOCK_ASSIGN(sides.left, of_left.finish());
  PENSTOCK_ASSIGN(sides.right, of_right.finish());
  return sides;
}

// The right side of a join without keys is one value for all rows: its rows are counted once. Else
// the rows that each left row finds are counted, unless groups by these keys are found.
Result<JoinType> Lowering::single_type(const Relation& relation, StepId& right) {
  const RelationJoin& join = relation.join;
  const bool is_for_all = join.keys.empty() && !join.residual;
  ColumnList keys;
  for (const RelationKey& key : join.keys) keys.push_back(key.right);
  if (!is_for_all && has_unique_rows(relations_, relation.inputs[1], keys)) return JoinType::left;
  if (yields_one_row(relations_, relation.inputs[1]))
    return is_for_all ? JoinType::inner : JoinType::left;
  if (!is_for_all) return JoinType::single;
  Window window;
  window.calls.push_back({WindowFunction::count_rows, 0, WindowFrame::partition, 1, "rows"});
  PENSTOCK_ASSIGN(right, with_one_row_at_most(right, std::move(window)));
  return JoinType::left;
}

// Keeps the columns of the rows, of which a count tells that they are too many.
Result<StepId> Lowering::with_one_row_at_most(StepId rows, Window window) {
  const std::uint32_t columns = width(rows);
  PENSTOCK_ASSIGN(const StepId counted, plan_.window(rows, std::move(window)));
  Builder builder(schema(counted));
  PENSTOCK_ASSIGN(const NodeId is_one,
                  builder.binary(Op::less_equal, builder.column(columns),
                                 builder.literal(Scalar::of(std::int64_t{1}))));
  PENSTOCK_ASSIGN(
      const NodeId checked,
      builder.require(is_one, "more than one row returned by a subquery used as an expression"));
  PENSTOCK_ASSIGN(const StepId kept, plan_.filter(counted, builder.graph(), checked));
  return keep_columns(plan_, kept, columns_from(0, columns));
}

// A value of a subquery is held beside the rows that read it.
bool Lowering::is_turned(const Relation& join) {
  return join.join.type == JoinType::inner && !join.join.holds_right &&
         estimates_.rows_of(join.inputs[0]) < estimates_.rows_of(join.inputs[1]);
}

Result<StepId> Lowering::join(const Relation& relation) {
  PENSTOCK_ASSIGN(const StepId left, of(relation.inputs[0]));
  PENSTOCK_ASSIGN(StepId right, of(relation.inputs[1]));
  RelationJoin join = relation.join;
  if (join.type == JoinType::single) { PENSTOCK_ASSIGN(join.type, single_type(relation, right)); }
  const bool keeps_right = join.type == JoinType::full;
  if (join.residual && !keeps_right) {
    PENSTOCK_ASSIGN(join, without_right_conditions(join, left, right));
  }
  if (is_worth_reducing(relation)) { PENSTOCK_ASSIGN(right, reduced(join, left, right)); }
  switch (join.type) {
    case JoinType::inner:
      return is_turned(relation) ? turned_pairs(join, left, right) : pairs(join, left, right);
    case JoinType::left: return outer(join, left, right);
    case JoinType::full: return full(join, left, right);
    case JoinType::semi: return half(join, JoinKind::semi, left, right);
    case JoinType::anti: return half(join, JoinKind::anti, left, right);
    case JoinType::mark: return mark(join, left, right);
    case JoinType::single: return single(join, left, right);
    case JoinType::not_in: return not_in(join, left, right);
  }
  return Status(Code::internal, "a join of no known type");
}

// The condition, over a left side that has a row number behind its columns.
RelationJoin Lowering::with_row_number(const RelationJoin& join, StepId left, StepId right) const {
  RelationJoin result = join;
  if (!join.residual) return result;
  Schema pair = schema(left);
  pair.push_back({"row_number", {Kind::int64}});
  const Schema behind = schema(right);
  pair.insert(pair.end(), behind.begin(), behind.end());
  const Moved condition =
      moved(pair, *join.graph, {*join.residual},
            both(columns_from(0, width(left)), columns_from(width(left) + 1, width(right))));
  result.graph = condition.graph;
  result.residual = condition.roots[0];
  return result;
}

// Conditions on right columns alone choose the rows of the right side.
Result<RelationJoin> Lowering::without_right_conditions(const RelationJoin& join, StepId left,
                                                        StepId& right) {
  const std::uint32_t first = width(left), end = first + width(right);
  RelationJoin rest = join;
  rest.residual.reset();
  const auto graph = std::make_shared<Graph>(*join.graph);
  for (const NodeId condition : conjuncts_of(*join.graph, *join.residual)) {
    if (reads_only(*join.graph, condition, first, end) && first < end) {
      ColumnList columns(end, 0);  // no left column is read
      for (std::uint32_t i = first; i < end; i++) columns[i] = i - first;
      PENSTOCK_ASSIGN(right, add_filter(plan_, right, *join.graph, condition, columns));
    } else if (rest.residual) {
      rest.residual =
          graph->add({Op::and_, {Kind::boolean}, false, 0, {*rest.residual, condition}});
    } else {
      rest.residual = condition;
    }
  }
  rest.graph = graph;
  return rest;
}

Result<StepId> Lowering::pairs(const RelationJoin& join, StepId left, StepId right) {
  PENSTOCK_ASSIGN(const JoinSides sides, this->sides(join.keys, left, right));
  PENSTOCK_ASSIGN(StepId rows, plan_.join(sides.left, sides.right, JoinKind::inner, sides.keys));
  if (join.expected_keys) plan_.expect_unique_keys(rows, join.expected_keys);
  const ColumnList columns = both(columns_from(0, sides.left_columns),
                                  columns_from(width(sides.left), sides.right_columns));
  if (join.residual) {
    PENSTOCK_ASSIGN(rows, add_filter(plan_, rows, *join.graph, *join.residual, columns));
  }
  return keep_columns(plan_, rows, columns);
}

// The right side is held in memory: it should be the smaller one, whose keys are unique more often.
Result<StepId> Lowering::turned_pairs(const RelationJoin& join, StepId left, StepId right) {
  PENSTOCK_ASSIGN(const StepId rows,
                  pairs(with_sides_swapped(join, schema(left), schema(right)), right, left));
  const ColumnList columns =
      both(columns_from(width(right), width(left)), columns_from(0, width(right)));
  return keep_columns(plan_, rows, columns);
}

Result<StepId> Lowering::outer(const RelationJoin& join, StepId left, StepId right) {
  if (join.residual) return outer_with_residual(join, left, right);
  PENSTOCK_ASSIGN(const JoinSides sides, this->sides(join.keys, left, right));
  PENSTOCK_ASSIGN(const StepId rows,
                  plan_.join(sides.left, sides.right, JoinKind::left, sides.keys));
  const ColumnList columns = both(columns_from(0, sides.left_columns),
                                  columns_from(width(sides.left), sides.right_columns));
  return keep_columns(plan_, rows, columns);
}

// The pairs that the condition takes are joined to the left rows by their numbers.
Result<StepId> Lowering::outer_with_residual(const RelationJoin& join, StepId left, StepId right) {
  const std::uint32_t left_columns = width(left), right_columns = width(right);
  PENSTOCK_ASSIGN(const StepId numbered, add_row_numbers(plan_, left));
  PENSTOCK_ASSIGN(const StepId taken, pairs(with_row_number(join, left, right), numbered, right));
  PENSTOCK_ASSIGN(const StepId partners,
                  keep_columns(plan_, taken, columns_from(left_columns, right_columns + 1)));
  PENSTOCK_ASSIGN(const StepId rows,
                  plan_.join(numbered, partners, JoinKind::left, {{left_columns, 0}}));
  const ColumnList columns =
      both(columns_from(0, left_columns), columns_from(left_columns + 2, right_columns));
  return keep_columns(plan_, rows, columns);
}

Result<StepId> Lowering::half(const RelationJoin& join, JoinKind kind, StepId left, StepId right) {
  if (const auto differing = differing_columns(join, left, right))
    return half_by_extremes(join, *differing, kind, left, right);
  if (join.residual) return half_with_residual(join, kind, left, right);
  PENSTOCK_ASSIGN(const JoinSides sides, this->sides(join.keys, left, right));
  PENSTOCK_ASSIGN(const StepId rows, plan_.join(sides.left, sides.right, kind, sides.keys));
  return keep_columns(plan_, rows, columns_from(0, sides.left_columns));
}

Result<StepId> Lowering::half_with_residual(const RelationJoin& join, JoinKind kind, StepId left,
                                            StepId right) {
  const std::uint32_t left_columns = width(left);
  PENSTOCK_ASSIGN(const StepId numbered, add_row_numbers(plan_, left));
  PENSTOCK_ASSIGN(const StepId taken, pairs(with_row_number(join, left, right), numbered, right));
  PENSTOCK_ASSIGN(const StepId partners, keep_columns(plan_, taken, {left_columns}));
  PENSTOCK_ASSIGN(const StepId rows, plan_.join(numbered, partners, kind, {{left_columns, 0}}));
  return keep_columns(plan_, rows, columns_from(0, left_columns));
}

// The rows of a left join, then the right rows without a partner.
Result<StepId> Lowering::full(const RelationJoin& join, StepId left, StepId right) {
  PENSTOCK_ASSIGN(const StepId first, outer(join, left, right));
  PENSTOCK_ASSIGN(const StepId alone, half(with_sides_swapped(join, schema(left), schema(right)),
                                           JoinKind::anti, right, left));
  Builder rows(schema(alone));
  std::vector<Projection> columns;
  for (const Field& field : schema(left))
    columns.push_back({field.name, rows.literal(Scalar::null_of(field.type))});
  for (std::uint32_t i = 0; i < rows.schema().size(); i++)
    columns.push_back({rows.schema()[i].name, rows.column(i)});
  PENSTOCK_ASSIGN(const StepId second, plan_.map(alone, rows.graph(), std::move(columns)));
  return plan_.append({first, second});
}

// A row that the condition leaves several partners is a fault.
Result<StepId> Lowering::single(const RelationJoin& join, StepId left, StepId right) {
  const std::uint32_t left_columns = width(left), columns = left_columns + width(right);
  PENSTOCK_ASSIGN(const StepId numbered, add_row_numbers(plan_, left));
  PENSTOCK_ASSIGN(const StepId rows, outer(with_row_number(join, left, right), numbered, right));
  Window window;
  window.partition = {left_columns};
  window.calls.push_back({WindowFunction::count_rows, 0, WindowFrame::partition, 1, "partners"});
  PENSTOCK_ASSIGN(const StepId kept, with_one_row_at_most(rows, std::move(window)));
  return keep_columns(
      plan_, kept,
      both(columns_from(0, left_columns), columns_from(left_columns + 1, columns - left_columns)));
}

}  // namespace penstock::relation
