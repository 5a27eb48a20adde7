#include "sql/bind/row_operations.hpp"

#include <array>

#include "expr/intervals.hpp"
#include "expr/operation.hpp"
#include "expr/temporal_casts.hpp"
#include "plan/join_keys.hpp"

namespace penstock::sql {
namespace {

JoinKind kind_of(JoinType type) {
  switch (type) {
    case JoinType::left: return JoinKind::left;
    case JoinType::semi: return JoinKind::semi;
    case JoinType::anti: return JoinKind::anti;
    case JoinType::not_in: return JoinKind::not_in;
    default: return JoinKind::inner;
  }
}

}  // namespace

Rows RowsBinder::of_table(std::size_t table) const {
  const ScopeTable& from = names_.scope().tables[table];
  Rows rows;
  rows.relation = from.rows;
  rows.places.assign(names_.schema().size(), Rows::nowhere);
  for (std::uint32_t i = 0; i < from.count; i++) rows.places[from.first + i] = i;
  return rows;
}

Rows RowsBinder::of_one_row() const {
  return {context_.relations.scan(one_row_source()),
          std::vector<std::uint32_t>(names_.schema().size(), Rows::nowhere)};
}

// Rebuilds an expression over the scope as one over the relation. The relation's columns enter the
// graph first.
RowsBinder::Moved RowsBinder::move(const Rows& rows, const Graph& graph, NodeId root) const {
  Moved moved;
  moved.graph = std::make_shared<Graph>();
  const Schema& schema = this->schema(rows);
  for (std::uint32_t i = 0; i < schema.size(); i++)
    moved.columns.push_back(
        moved.graph->add({Op::column, schema[i].type, schema[i].nullable, i, {}}));
  std::vector<NodeId> columns;
  for (const std::uint32_t place : rows.places)
    columns.push_back(place == Rows::nowhere ? 0 : moved.columns[place]);
  moved.root = moved.graph->import(graph, root, columns);
  return moved;
}

Status RowsBinder::add_value(Rows& rows, const Scope::Value& value) {
  const auto width = static_cast<std::uint32_t>(schema(rows).size());
  RelationJoin join;
  join.type = JoinType::single;
  PENSTOCK_ASSIGN(rows.relation,
                  context_.relations.join(rows.relation, *value.rows, std::move(join)));
  rows.places[value.column] = width;
  return {};
}

Status RowsBinder::add_values(Rows& rows, const Graph& graph, std::span<const NodeId> roots) {
  if (names_.scope().values.empty() || rows.is_partial) return {};
  const std::vector<std::uint32_t> read = expr::columns_read(graph, roots);
  for (const auto& [select, value] : names_.scope().values) {
    if (!value.rows || !std::ranges::binary_search(read, value.column)) continue;
    if (rows.places[value.column] == Rows::nowhere) PENSTOCK_TRY(add_value(rows, value));
  }
  return {};
}

Status RowsBinder::filter(Rows& rows, const Syntax& condition, const std::string& clause) {
  Builder scope(names_.schema());
  PENSTOCK_ASSIGN(const NodeId predicate,
                  ExpressionBinder(names_, scope, clause).predicate(condition));
  if (rows.is_partial) return {};
  PENSTOCK_TRY(add_values(rows, *scope.graph(), std::array{predicate}));
  const Moved moved = move(rows, *scope.graph(), predicate);
  const Result<RelationId> kept = context_.relations.filter(rows.relation, moved.graph, moved.root);
  if (!kept.ok()) return names_.at(condition, kept.status());
  rows.relation = *kept;
  return {};
}

Result<std::uint32_t> RowsBinder::key(Rows& rows, const Syntax& expression,
                                      const std::string& clause) {
  Builder scope(names_.schema());
  PENSTOCK_ASSIGN(const NodeId node, ExpressionBinder(names_, scope, clause).value(expression));
  if (rows.is_partial) return Rows::nowhere;
  PENSTOCK_TRY(add_values(rows, *scope.graph(), std::array{node}));
  const Moved moved = move(rows, *scope.graph(), node);
  if (const Node& root = moved.graph->at(moved.root); root.op == Op::column) return root.payload;
  const Schema& schema = this->schema(rows);
  std::vector<Projection> columns;
  for (std::size_t i = 0; i < schema.size(); i++)
    columns.push_back({schema[i].name, moved.columns[i]});
  columns.push_back({display(expression), moved.root});
  const auto column = static_cast<std::uint32_t>(schema.size());
  const Result<RelationId> extended =
      context_.relations.project(rows.relation, moved.graph, std::move(columns));
  if (!extended.ok()) return names_.at(expression, extended.status());
  rows.relation = *extended;
  return column;
}

// Returns the column of a key in that type; a new one unless it has the type. Equal intervals
// become the same bytes.
Result<std::uint32_t> RowsBinder::cast_key(Rows& rows, std::uint32_t column, Type type) {
  Builder builder(schema(rows));
  const auto width = static_cast<std::uint32_t>(builder.schema().size());
  const Type from = builder.schema()[column].type;
  const bool is_interval = type == expr::interval_type;
  if (from == type && !is_interval) return column;
  std::vector<Projection> columns;
  for (std::uint32_t i = 0; i < width; i++)
    columns.push_back({builder.schema()[i].name, builder.column(i)});
  const NodeId value = builder.column(column);
  PENSTOCK_ASSIGN(const NodeId key,
                  is_interval ? builder.string_function("interval_normalized", {value})
                  : type == expr::instant_type ? expr::cast_value_to(builder, value, type)
                                               : plan::cast_join_key(builder, column, type));
  columns.push_back({builder.schema()[column].name, key});
  PENSTOCK_ASSIGN(rows.relation,
                  context_.relations.project(rows.relation, builder.graph(), std::move(columns)));
  return width;
}

Status RowsBinder::cast_keys(Rows& left, Rows& right, JoinType type,
                             std::vector<RelationKey>& keys) {
  for (RelationKey& key : keys) {
    const Field of_left = schema(left)[key.left], of_right = schema(right)[key.right];
    const bool is_same = of_left.type == of_right.type && of_left.type != expr::interval_type;
    if (is_same && type != JoinType::not_in) continue;
    const bool is_instant =
        expr::met_in_comparison(of_left.type, of_right.type) == expr::instant_type;
    PENSTOCK_ASSIGN(const Type compared,
                    is_instant ? Result<Type>(expr::instant_type)
                               : plan::join_key_type(kind_of(type), of_left, of_right));
    PENSTOCK_ASSIGN(key.left, cast_key(left, key.left, compared));
    PENSTOCK_ASSIGN(key.right, cast_key(right, key.right, compared));
  }
  return {};
}

Status RowsBinder::join(Rows& left, Rows right, JoinType type, std::vector<RelationKey> keys,
                        std::int64_t offset) {
  left.is_partial |= right.is_partial;
  if (left.is_partial) return {};
  const auto joined = [&]() -> Result<RelationId> {
    PENSTOCK_TRY(cast_keys(left, right, type, keys));
    RelationJoin join{type, std::move(keys)};
    join.holds_right = true;
    return context_.relations.join(left.relation, right.relation, std::move(join));
  };
  const Result<RelationId> rows = joined();
  left.is_partial = !rows.ok();
  if (!rows.ok()) return names_.error(offset, rows.status().code(), rows.status().message());
  const auto left_columns = static_cast<std::uint32_t>(schema(left).size());
  left.relation = *rows;
  if (yields_left_alone(type)) return {};
  // Values of the right side of a LEFT JOIN are NULL where it has no row.
  const std::size_t columns =
      type == JoinType::left ? names_.scope().table_columns() : right.places.size();
  for (std::size_t i = 0; i < std::min(columns, right.places.size()); i++)
    if (right.places[i] != Rows::nowhere) left.places[i] = left_columns + right.places[i];
  return {};
}

Result<RelationId> RowsBinder::in_order(const Rows& rows) {
  const Schema &scope = names_.schema(), &schema = this->schema(rows);
  bool is_in_order = scope.size() == schema.size();
  Builder builder(schema);
  std::vector<Projection> columns;
  for (std::uint32_t i = 0; i < scope.size(); i++) {
    is_in_order = is_in_order && rows.places[i] == i;
    const bool is_there = rows.places[i] != Rows::nowhere;  // else nothing reads it
    columns.push_back({scope[i].name, is_there ? builder.column(rows.places[i])
                                               : builder.literal(Scalar::null_of(scope[i].type))});
  }
  if (is_in_order || columns.empty()) return rows.relation;
  return context_.relations.project(rows.relation, builder.graph(), std::move(columns));
}

Result<RelationId> ScopeRows::with_values(const Graph& graph, std::span<const NodeId> roots) {
  const RelationId before = rows_.relation;
  PENSTOCK_TRY(binder_.add_values(rows_, graph, roots));
  if (is_in_order_ && rows_.relation == before) return before;
  PENSTOCK_ASSIGN(const RelationId in_order, binder_.in_order(rows_));
  replace(in_order);
  return in_order;
}

void ScopeRows::replace(RelationId relation) {
  for (std::uint32_t i = 0; i < rows_.places.size(); i++)
    if (rows_.places[i] != Rows::nowhere) rows_.places[i] = i;
  rows_.relation = relation;
  is_in_order_ = true;
}

}  // namespace penstock::sql
