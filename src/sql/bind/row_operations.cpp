#include "sql/bind/row_operations.hpp"

namespace penstock::sql {

Rows RowsBinder::of_table(std::size_t table) {
  const ScopeTable& from = names_.scope().tables[table];
  Rows rows;
  rows.step = plan_.source(from.source);
  rows.places.assign(names_.schema().size(), Rows::nowhere);
  for (std::uint32_t i = 0; i < from.count; i++) rows.places[from.first + i] = i;
  return rows;
}

// An expression over the scope as one over the step, whose columns are added to the graph first.
RowsBinder::Moved RowsBinder::move(const Rows& rows, const Graph& graph, NodeId root) const {
  Moved moved;
  moved.graph = std::make_shared<Graph>();
  const Schema& schema = plan_.step(rows.step).schema;
  for (std::uint32_t i = 0; i < schema.size(); i++)
    moved.columns.push_back(
        moved.graph->add({Op::column, schema[i].type, schema[i].nullable, i, {}}));
  std::vector<NodeId> columns;
  for (const std::uint32_t place : rows.places)
    columns.push_back(place == Rows::nowhere ? 0 : moved.columns[place]);
  moved.root = moved.graph->import(graph, root, columns);
  return moved;
}

Status RowsBinder::filter(Rows& rows, const Syntax& condition, const std::string& clause) {
  Builder scope(names_.schema());
  PENSTOCK_ASSIGN(const NodeId predicate,
                  ExpressionBinder(names_, scope, clause).predicate(condition));
  const Moved moved = move(rows, *scope.graph(), predicate);
  const Result<StepId> step = plan_.filter(rows.step, moved.graph, moved.root);
  if (!step.ok()) return names_.at(condition, step.status());
  rows.step = *step;
  return {};
}

Result<std::uint32_t> RowsBinder::key(Rows& rows, const Syntax& expression,
                                      const std::string& clause) {
  Builder scope(names_.schema());
  PENSTOCK_ASSIGN(const NodeId node, ExpressionBinder(names_, scope, clause).value(expression));
  const Moved moved = move(rows, *scope.graph(), node);
  if (const Node& root = moved.graph->at(moved.root); root.op == Op::column) return root.payload;
  const Schema& schema = plan_.step(rows.step).schema;
  std::vector<Projection> columns;
  for (std::size_t i = 0; i < schema.size(); i++)
    columns.push_back({schema[i].name, moved.columns[i]});
  columns.push_back({display(expression), moved.root});
  const auto place = static_cast<std::uint32_t>(schema.size());
  const Result<StepId> step = plan_.map(rows.step, moved.graph, std::move(columns));
  if (!step.ok()) return names_.at(expression, step.status());
  rows.step = *step;
  return place;
}

Status RowsBinder::join(Rows& left, const Rows& right, JoinKind kind, std::vector<JoinKey> keys,
                        std::int64_t place) {
  const auto left_columns = static_cast<std::uint32_t>(plan_.step(left.step).schema.size());
  const Result<StepId> step = plan_.join(left.step, right.step, kind, std::move(keys));
  if (!step.ok()) return names_.error(place, step.status().code(), step.status().message());
  left.step = *step;
  for (std::size_t i = 0; yields_right_columns(kind) && i < right.places.size(); i++)
    if (right.places[i] != Rows::nowhere) left.places[i] = left_columns + right.places[i];
  return {};
}

Result<StepId> RowsBinder::in_order(const Rows& rows) {
  const Schema &scope = names_.schema(), &schema = plan_.step(rows.step).schema;
  bool is_so = scope.size() == schema.size();
  Builder builder(schema);
  std::vector<Projection> columns;
  for (std::uint32_t i = 0; i < scope.size(); i++) {
    is_so = is_so && rows.places[i] == i;
    columns.push_back({scope[i].name, builder.column(rows.places[i])});
  }
  if (is_so) return rows.step;
  return plan_.map(rows.step, builder.graph(), std::move(columns));
}

}  // namespace penstock::sql
