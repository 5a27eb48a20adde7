#include "sql/bind/row_operations.hpp"

#include <array>

#include "expr/intervals.hpp"
#include "expr/operation.hpp"
#include "expr/temporal_casts.hpp"
#include "plan/join_keys.hpp"
#include "sql/bind/conjuncts.hpp"

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

static JoinCondition condition_of(const JoinedSubquery& subquery,
                                  const std::vector<std::uint32_t>& outer) {
  JoinCondition condition;
  const auto keys = static_cast<std::uint32_t>(subquery.outer_keys.size());
  // Correlated keys of a mark have no NULL on the right side, so that they leave nothing unknown.
  for (std::uint32_t i = 0; i < keys; i++)
    condition.keys.push_back(
        {outer[i], i, subquery.type == JoinType::mark && i < subquery.correlated_keys});
  for (std::size_t i = 0; i < subquery.comparisons.size(); i++) {
    const JoinedSubquery::Comparison& compared = subquery.comparisons[i];
    condition.comparisons.push_back(
        {compared.op, outer[keys + i], compared.column, compared.takes_unknown});
  }
  return condition;
}

Result<std::vector<std::uint32_t>> RowsBinder::outer_columns(Rows& rows,
                                                             const JoinedSubquery& subquery) {
  std::vector<std::uint32_t> columns;
  for (const SyntaxPtr& outer : subquery.outer()) {
    PENSTOCK_ASSIGN(columns.emplace_back(), key(rows, *outer, "WHERE"));
  }
  return columns;
}

Status RowsBinder::join_subquery(Rows& rows, const JoinedSubquery& subquery) {
  PENSTOCK_ASSIGN(const auto outer, outer_columns(rows, subquery));
  return join(rows, {subquery.rows, {}}, subquery.type, condition_of(subquery, outer),
              subquery.offset)
      .status();
}

Result<std::uint32_t> RowsBinder::join_value(Rows& rows, const SubqueryValue& value,
                                             const std::vector<std::uint32_t>& outer) {
  const JoinedSubquery& subquery = *value.join;
  PENSTOCK_ASSIGN(const std::uint32_t first, join(rows, {subquery.rows, {}}, subquery.type,
                                                  condition_of(subquery, outer), subquery.offset));
  const std::uint32_t place = first + value.place;
  if (rows.is_partial) return place;
  if (value.is_exists) {
    Builder builder(schema(rows));
    PENSTOCK_ASSIGN(const NodeId known,
                    builder.variadic(Op::coalesce,
                                     {builder.column(place), builder.literal(Scalar::of(false))}));
    return add_column(rows, builder, known);
  }
  if (!value.otherwise) return place;
  PENSTOCK_ASSIGN(const std::uint32_t otherwise,
                  join(rows, {*value.otherwise, {}}, JoinType::single, {}, subquery.offset));
  Builder builder(schema(rows));
  PENSTOCK_ASSIGN(const NodeId is_lonely, builder.unary(Op::is_null, builder.column(place + 1)));
  PENSTOCK_ASSIGN(const NodeId chosen,
                  builder.select(is_lonely, builder.column(otherwise), builder.column(place)));
  return add_column(rows, builder, chosen);
}

// Adds a value behind the columns of the rows.
Result<std::uint32_t> RowsBinder::add_column(Rows& rows, const Builder& builder, NodeId value) {
  Builder columns(builder.schema(), builder.graph());
  const auto width = static_cast<std::uint32_t>(builder.schema().size());
  std::vector<Projection> all;
  for (std::uint32_t i = 0; i < width; i++)
    all.push_back({builder.schema()[i].name, columns.column(i)});
  all.push_back({"value", value});
  PENSTOCK_ASSIGN(rows.relation,
                  context_.relations.project(rows.relation, columns.graph(), std::move(all)));
  return width;
}

Status RowsBinder::add_values(Rows& rows, const Graph& graph, std::span<const NodeId> roots) {
  if (names_.scope().values.empty() || rows.is_partial) return {};
  const std::vector<std::uint32_t> read = expr::columns_read(graph, roots);
  std::map<std::uint32_t, const SubqueryValue*> wanted;  // in the order of the statement
  for (const auto& [select, value] : names_.scope().values)
    if (value.join && std::ranges::binary_search(read, value.column))
      wanted.emplace(value.column, &value);
  for (const auto& [column, value] : wanted) {
    if (rows.places[column] != Rows::nowhere) continue;
    PENSTOCK_ASSIGN(const auto outer, outer_columns(rows, *value->join));
    PENSTOCK_ASSIGN(rows.places[column], join_value(rows, *value, outer));
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

Result<std::uint32_t> RowsBinder::join(Rows& left, Rows right, JoinType type,
                                       JoinCondition condition, std::int64_t offset) {
  left.is_partial |= right.is_partial;
  if (left.is_partial) return Rows::nowhere;
  context_.prefers_duckdb |= condition.residual || !condition.comparisons.empty();
  Builder scope(names_.schema());
  std::optional<NodeId> residual;
  if (condition.residual) {
    PENSTOCK_ASSIGN(residual, ExpressionBinder(names_, scope, "ON").predicate(*condition.residual));
    PENSTOCK_TRY(add_values(left, *scope.graph(), std::array{*residual}));
  }
  const auto joined = [&]() -> Result<RelationId> {
    PENSTOCK_TRY(cast_keys(left, right, type, condition.keys));
    RelationJoin join{type, condition.keys};
    join.holds_right = condition.holds_right;
    PENSTOCK_TRY(add_residual(left, right, scope, residual, condition, join));
    return context_.relations.join(left.relation, right.relation, std::move(join));
  };
  const Result<RelationId> rows = joined();
  left.is_partial = !rows.ok();
  if (!rows.ok()) return names_.error(offset, rows.status().code(), rows.status().message());
  const auto left_columns = static_cast<std::uint32_t>(schema(left).size());
  left.relation = *rows;
  if (yields_left_alone(type)) return left_columns;
  // Values are NULL where an outer join finds no row of their side. They are joined again.
  const std::size_t tables = names_.scope().table_columns();
  const bool is_outer = type == JoinType::left || type == JoinType::full;
  for (std::size_t i = 0; i < right.places.size(); i++)
    if (right.places[i] != Rows::nowhere && (i < tables || !is_outer))
      left.places[i] = left_columns + right.places[i];
  if (type == JoinType::full)
    std::fill(left.places.begin() + static_cast<std::ptrdiff_t>(tables), left.places.end(),
              Rows::nowhere);
  return left_columns;
}

// Makes the condition over the left columns, then the right ones.
Status RowsBinder::add_residual(const Rows& left, const Rows& right, const Builder& scope,
                                std::optional<NodeId> residual, const JoinCondition& condition,
                                RelationJoin& join) const {
  Schema pair = schema(left);
  const auto width = static_cast<std::uint32_t>(pair.size());
  pair.insert(pair.end(), schema(right).begin(), schema(right).end());
  Builder rows(pair);
  std::vector<NodeId> parts;
  if (residual) {
    std::vector<NodeId> columns;
    for (std::size_t i = 0; i < left.places.size(); i++) {
      const bool is_left = left.places[i] != Rows::nowhere;
      const bool is_right = !is_left && i < right.places.size() && right.places[i] != Rows::nowhere;
      columns.push_back(is_left    ? rows.column(left.places[i])
                        : is_right ? rows.column(width + right.places[i])
                                   : 0);
    }
    parts.push_back(rows.graph()->import(*scope.graph(), *residual, columns));
  }
  for (const JoinCondition::Comparison& compared : condition.comparisons) {
    PENSTOCK_ASSIGN(parts.emplace_back(), rows.binary(compared.op, rows.column(compared.left),
                                                      rows.column(width + compared.right)));
    if (!compared.takes_unknown) continue;
    PENSTOCK_ASSIGN(parts.back(),
                    rows.variadic(Op::coalesce, {parts.back(), rows.literal(Scalar::of(true))}));
  }
  if (parts.empty()) return {};
  for (std::size_t i = 1; i < parts.size(); i++) {
    PENSTOCK_ASSIGN(parts[0], rows.binary(Op::and_, parts[0], parts[i]));
  }
  join.residual = parts[0];
  join.graph = rows.graph();
  return {};
}

bool RowsBinder::holds_all_of(const Rows& rows, const Syntax& syntax) const {
  const std::optional<Tables> tables = tables_read(names_, syntax);
  return tables && !tables->empty() && std::ranges::all_of(*tables, [&](std::size_t table) {
           return rows.places[names_.scope().tables[table].first] != Rows::nowhere;
         });
}

Status RowsBinder::join_on(Rows& left, Rows right, JoinType type,
                           const std::vector<SyntaxPtr>& conditions, std::int64_t offset) {
  JoinCondition on;
  on.holds_right = false;
  std::vector<SyntaxPtr> rest;
  for (const SyntaxPtr& condition : conditions) {
    std::optional<Equality> equal = equality(condition);
    if (equal && holds_all_of(right, *equal->left)) std::swap(equal->left, equal->right);
    if (!equal || !holds_all_of(left, *equal->left) || !holds_all_of(right, *equal->right)) {
      rest.push_back(condition);
      continue;
    }
    PENSTOCK_ASSIGN(const std::uint32_t of_left, key(left, *equal->left, "ON"));
    PENSTOCK_ASSIGN(const std::uint32_t of_right, key(right, *equal->right, "ON"));
    on.keys.push_back({of_left, of_right});
  }
  on.residual = conjunction(rest);
  return join(left, std::move(right), type, std::move(on), offset).status();
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
