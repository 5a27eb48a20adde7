#include "relation/shape.hpp"

#include <algorithm>
#include <numeric>

#include "expr/operation.hpp"

namespace penstock::relation {

ColumnList columns_from(std::uint32_t first, std::uint32_t count) {
  ColumnList columns(count);
  std::iota(columns.begin(), columns.end(), first);
  return columns;
}

ColumnList both(ColumnList first, const ColumnList& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool has_128_bits(Type type) { return type.kind != Kind::string && width_bytes(type) > 8; }

Result<std::vector<NodeId>> key_values(Builder& rows, NodeId key) {
  if (!has_128_bits(rows.type(key))) return std::vector{key};
  PENSTOCK_ASSIGN(const NodeId high, rows.unary(Op::high_half, key));
  PENSTOCK_ASSIGN(const NodeId low, rows.unary(Op::low_half, key));
  return std::vector{high, low};
}

Result<NodeId> mean_of(Builder& rows, NodeId sum, NodeId count) {
  PENSTOCK_ASSIGN(const NodeId real, rows.cast(sum, Type{Kind::float64}));
  PENSTOCK_ASSIGN(const NodeId divisor, rows.cast(count, Type{Kind::float64}));
  return rows.binary(Op::divide, real, divisor);
}

Result<StepId> keep_columns(Plan& plan, StepId input, const ColumnList& columns) {
  const Schema schema = plan.step(input).schema;
  if (columns == columns_from(0, static_cast<std::uint32_t>(schema.size()))) return input;
  Builder rows(schema);
  std::vector<Projection> projections;
  for (const std::uint32_t column : columns)
    projections.push_back({schema[column].name, rows.column(column)});
  return plan.map(input, rows.graph(), std::move(projections));
}

Extension::Extension(Plan& plan, StepId input)
    : Extension(plan, input, std::make_shared<Graph>()) {}

Extension::Extension(Plan& plan, StepId input, std::shared_ptr<Graph> graph)
    : plan_(plan), input_(input), rows_(plan.step(input).schema, std::move(graph)) {
  for (std::uint32_t i = 0; i < rows_.schema().size(); i++)
    columns_.push_back({rows_.schema()[i].name, rows_.column(i)});
}

std::uint32_t Extension::add(NodeId value, std::string name) {
  const auto same = std::ranges::find(columns_, value, &Projection::root);
  const auto column = static_cast<std::uint32_t>(same - columns_.begin());
  if (same == columns_.end()) columns_.push_back({std::move(name), value});
  return column;
}

Result<StepId> Extension::finish() {
  if (columns_.size() == rows_.schema().size()) return input_;
  return plan_.map(input_, rows_.graph(), columns_);
}

Moved moved(const Schema& step, const Graph& from, const std::vector<NodeId>& roots,
            const ColumnList& columns) {
  Moved result{std::make_shared<Graph>(), {}};
  std::vector<NodeId> nodes;
  for (const std::uint32_t column : columns)
    nodes.push_back(
        result.graph->add({Op::column, step[column].type, step[column].nullable, column, {}}));
  for (const NodeId root : roots) result.roots.push_back(result.graph->import(from, root, nodes));
  return result;
}

Result<StepId> add_filter(Plan& plan, StepId input, const Graph& graph, NodeId predicate,
                          const ColumnList& columns) {
  const Moved condition = moved(plan.step(input).schema, graph, {predicate}, columns);
  return plan.filter(input, condition.graph, condition.roots[0]);
}

RelationJoin with_sides_swapped(RelationJoin join, const Schema& left, const Schema& right) {
  for (RelationKey& key : join.keys) std::swap(key.left, key.right);
  if (!join.residual) return join;
  const auto left_width = static_cast<std::uint32_t>(left.size()),
             right_width = static_cast<std::uint32_t>(right.size());
  Schema pair = right;
  pair.insert(pair.end(), left.begin(), left.end());
  const Moved condition =
      moved(pair, *join.graph, {*join.residual},
            both(columns_from(right_width, left_width), columns_from(0, right_width)));
  join.graph = condition.graph;
  join.residual = condition.roots[0];
  return join;
}

Result<StepId> add_row_numbers(Plan& plan, StepId input, ColumnList partition) {
  Window window;
  window.partition = std::move(partition);
  window.calls.push_back({WindowFunction::row_number, 0, WindowFrame::rows, 1, "row_number"});
  return plan.window(input, std::move(window));
}

std::vector<FrameEnd*> ends_of(WindowCall& call) {
  if (!call.ends) return {};
  return {&call.ends->first, &call.ends->last};
}

bool yields_one_row(const RelationGraph& relations, RelationId id) {
  const Relation& relation = relations.at(id);
  if (relation.kind == RelationKind::project) return yields_one_row(relations, relation.inputs[0]);
  if (relation.kind == RelationKind::scan) return relation.source->row_count() == 1;
  return relation.kind == RelationKind::aggregate && relation.aggregate.keys.empty() &&
         relation.aggregate.sets.size() < 2;
}

namespace {

// Returns the columns of a projection's input that some of its columns are.
ColumnList columns_projected(const Relation& projection, const ColumnList& columns) {
  ColumnList inputs;
  for (const std::uint32_t column : columns) {
    const Node& value = projection.graph->at(projection.projections[column].root);
    if (value.op == Op::column) inputs.push_back(static_cast<std::uint32_t>(value.payload));
  }
  return inputs;
}

bool have_all(const ColumnList& columns, std::size_t count) {
  for (std::uint32_t column = 0; column < count; column++)
    if (std::ranges::find(columns, column) == columns.end()) return false;
  return true;
}

}  // namespace

bool has_unique_rows(const RelationGraph& relations, RelationId id, const ColumnList& columns) {
  const Relation& relation = relations.at(id);
  if (yields_one_row(relations, id)) return true;
  switch (relation.kind) {
    case RelationKind::filter:
    case RelationKind::sort:
    case RelationKind::limit: return has_unique_rows(relations, relation.inputs[0], columns);
    case RelationKind::project:
      return has_unique_rows(relations, relation.inputs[0], columns_projected(relation, columns));
    case RelationKind::aggregate:
      return relation.aggregate.sets.size() < 2 &&
             have_all(columns, relation.aggregate.keys.size());
    case RelationKind::distinct: return have_all(columns, relation.schema.size());
    default: return false;
  }
}

namespace {

std::optional<SingleValue> single_value(const RelationGraph& relations, RelationId id,
                                        std::uint32_t column) {
  if (yields_one_row(relations, id)) return SingleValue{id, column};
  const Relation& relation = relations.at(id);
  if (relation.kind == RelationKind::filter)
    return single_value(relations, relation.inputs[0], column);
  if (relation.kind == RelationKind::project) {
    const Node& value = relation.graph->at(relation.projections[column].root);
    if (value.op != Op::column) return std::nullopt;
    return single_value(relations, relation.inputs[0], static_cast<std::uint32_t>(value.payload));
  }
  if (relation.kind != RelationKind::join || relation.join.type != JoinType::inner)
    return std::nullopt;
  const auto left = static_cast<std::uint32_t>(relations.at(relation.inputs[0]).schema.size());
  return column < left ? single_value(relations, relation.inputs[0], column)
                       : single_value(relations, relation.inputs[1], column - left);
}

}  // namespace

std::optional<SingleValue> single_value_of_call(const RelationGraph& relations,
                                                const Relation& aggregate, std::size_t call) {
  const AggregateCall& of = aggregate.aggregate.aggregates[call];
  const bool is_extreme = of.function == Aggregate::minimum || of.function == Aggregate::maximum;
  if (!is_extreme || aggregate.aggregate.keys.empty() || aggregate.aggregate.sets.size() > 1)
    return std::nullopt;
  const Node& argument = aggregate.aggregate.graph->at(of.argument);
  if (argument.op != Op::column || yields_one_row(relations, aggregate.inputs[0]))
    return std::nullopt;
  return single_value(relations, aggregate.inputs[0], static_cast<std::uint32_t>(argument.payload));
}

std::vector<NodeId> conjuncts_of(const Graph& graph, NodeId predicate) {
  if (graph.at(predicate).op != Op::and_) return {predicate};
  std::vector<NodeId> all;
  for (const NodeId input : graph.at(predicate).inputs)
    for (const NodeId part : conjuncts_of(graph, input)) all.push_back(part);
  return all;
}

bool reads_only(const Graph& graph, NodeId root, std::uint32_t first, std::uint32_t end) {
  const std::vector<NodeId> roots{root};
  return std::ranges::all_of(expr::columns_read(graph, roots),
                             [&](std::uint32_t column) { return column >= first && column < end; });
}

}  // namespace penstock::relation
