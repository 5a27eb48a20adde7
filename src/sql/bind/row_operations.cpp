#include "sql/bind/row_operations.hpp"

namespace penstock::sql {

Rows RowsBinder::of_table(std::size_t table) {
  const ScopeTable& from = names_.scope().tables[table];
  Rows rows;
  rows.step = plan_.source(from.source);
  rows.step_columns.assign(names_.schema().size(), Rows::nowhere);
  for (std::uint32_t i = 0; i < from.count; i++) rows.step_columns[from.first + i] = i;
  return rows;
}

// Rebuilds an expression over the scope as one over the step. The step's columns enter the graph
// first.
RowsBinder::Moved RowsBinder::move(const Rows& rows, const Graph& graph, NodeId root) const {
  Moved moved;
  moved.graph = std::make_shared<Graph>();
  const Schema& schema = plan_.step(rows.step).schema;
  for (std::uint32_t i = 0; i < schema.size(); i++)
    moved.columns.push_back(
        moved.graph->add({Op::column, schema[i].type, schema[i].nullable, i, {}}));
  std::vector<NodeId> columns;
  for (const std::uint32_t column : rows.step_columns)
    columns.push_back(column == Rows::nowhere ? 0 : moved.columns[column]);
  moved.root = moved.graph->import(graph, root, columns);
  return moved;
}

Status RowsBinder::filter(Rows& rows, const Syntax& condition, const std::string& clause) {
  Builder scope(names_.schema());
  PENSTOCK_ASSIGN(const NodeId predicate,
                  ExpressionBinder(names_, scope, clause).predicate(condition));
  if (rows.is_partial) return {};
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
  if (rows.is_partial) return Rows::nowhere;
  const Moved moved = move(rows, *scope.graph(), node);
  if (const Node& root = moved.graph->at(moved.root); root.op == Op::column) return root.payload;
  const Schema& schema = plan_.step(rows.step).schema;
  std::vector<Projection> columns;
  for (std::size_t i = 0; i < schema.size(); i++)
    columns.push_back({schema[i].name, moved.columns[i]});
  columns.push_back({display(expression), moved.root});
  const auto column = static_cast<std::uint32_t>(schema.size());
  const Result<StepId> step = plan_.map(rows.step, moved.graph, std::move(columns));
  if (!step.ok()) return names_.at(expression, step.status());
  rows.step = *step;
  return column;
}

Status RowsBinder::join(Rows& left, const Rows& right, JoinKind kind, std::vector<JoinKey> keys,
                        std::int64_t offset) {
  left.is_partial |= right.is_partial;
  if (left.is_partial) return {};
  const auto left_columns = static_cast<std::uint32_t>(plan_.step(left.step).schema.size());
  const Result<StepId> step = plan_.join(left.step, right.step, kind, std::move(keys));
  left.is_partial = !step.ok();
  if (!step.ok()) return names_.error(offset, step.status().code(), step.status().message());
  left.step = *step;
  for (std::size_t i = 0; yields_right_columns(kind) && i < right.step_columns.size(); i++)
    if (right.step_columns[i] != Rows::nowhere)
      left.step_columns[i] = left_columns + right.step_columns[i];
  return {};
}

Result<StepId> RowsBinder::in_order(const Rows& rows) {
  const Schema &scope = names_.schema(), &schema = plan_.step(rows.step).schema;
  bool is_in_order = scope.size() == schema.size();
  Builder builder(schema);
  std::vector<Projection> columns;
  for (std::uint32_t i = 0; i < scope.size(); i++) {
    is_in_order = is_in_order && rows.step_columns[i] == i;
    const bool is_there = rows.step_columns[i] != Rows::nowhere;  // else nothing reads it
    columns.push_back({scope[i].name, is_there ? builder.column(rows.step_columns[i])
                                               : builder.literal(Scalar::null_of(scope[i].type))});
  }
  if (is_in_order) return rows.step;
  return plan_.map(rows.step, builder.graph(), std::move(columns));
}

}  // namespace penstock::sql
