#include "sql/plans/relation_writer.hpp"

#include <algorithm>

#include "sql/bind/expression_binder.hpp"
#include "sql/bind/scope.hpp"

namespace penstock::sql {

Result<NodeId> RelationWriter::bind(Builder& builder, const Syntax& syntax, const char* clause) {
  static const Select no_select;
  Scope scope;
  scope.schema = builder.schema();
  Names names(lexed_, problems_, no_select, scope);
  return ExpressionBinder(names, builder, clause).value(syntax);
}

Result<NodeId> RelationWriter::bind_or_null(Builder& builder, const Syntax& syntax, Type type,
                                            const char* clause) {
  const Result<NodeId> node = bind(builder, syntax, clause);
  if (node.ok()) return node;
  if (!problems_.pass(node.status())) return node.status();
  return builder.cast(builder.literal(Scalar::null_of(type)), type);
}

Result<NodeId> RelationWriter::cast_or_keep(Builder& builder, NodeId node, Type type) {
  if (builder.type(node) == type) return node;
  const bool is_of_nested = is_nested(builder.type(node)) || is_nested(type);
  const Result<NodeId> cast = is_of_nested    ? expr::cast_value_of_any(builder, node, type)
                              : is_text(type) ? builder.cast_to_string(node)
                              : builder.type(node).kind == Kind::string
                                  ? builder.string_cast(node, type, false)
                                  : builder.cast(node, type);
  if (cast.ok()) return cast;
  return problems_.pass(cast.status()) ? Result<NodeId>(node) : cast;
}

Result<RelationId> RelationWriter::filtered(RelationId input, Builder& builder,
                                            const std::vector<NodeId>& conditions) {
  std::optional<NodeId> predicate;
  for (NodeId node : conditions) {
    PENSTOCK_ASSIGN(node, builder.cast(node, Type{Kind::boolean}));
    if (predicate) { PENSTOCK_ASSIGN(node, builder.binary(Op::and_, *predicate, node)); }
    predicate = node;
  }
  return predicate ? relations_.filter(input, builder.graph(), *predicate) : input;
}

Result<RelationId> RelationWriter::with_columns(const RelationColumns& rows,
                                                const std::vector<std::string>& names) {
  Builder builder(schema(rows.relation));
  std::vector<Projection> projections;
  for (const std::uint32_t column : rows.columns) {
    const std::size_t i = projections.size();
    projections.push_back(
        {i < names.size() ? names[i] : builder.schema()[column].name, builder.column(column)});
  }
  return relations_.project(rows.relation, builder.graph(), std::move(projections));
}

Schema RelationWriter::pair_of(RelationId left, RelationId right) const {
  Schema pair = schema(left);
  pair.insert(pair.end(), schema(right).begin(), schema(right).end());
  return pair;
}

RelationId RelationWriter::values(const std::vector<Type>& types,
                                  const std::vector<std::vector<Scalar>>& columns,
                                  std::size_t row_count) {
  Table table;
  table.row_count = row_count;
  for (std::size_t i = 0; i < types.size(); i++) {
    table.names.push_back("column" + std::to_string(i));
    table.columns.push_back(column_of(types[i], columns[i]));
  }
  return relations_.scan(table_source(std::move(table), "values"));
}

Result<std::vector<Scalar>> RelationWriter::constants(const Builder& builder,
                                                      const std::vector<NodeId>& roots) {
  std::vector<Scalar> values;
  for (const Evaluated& found : evaluate(*builder.graph(), roots, {})) {
    if (found.fault != Code::ok)
      return fault_status(*builder.graph(), found.fault_node, found.fault, {});
    values.push_back(found.value);
  }
  return values;
}

std::uint32_t ComputedColumns::add(NodeId value) {
  const Node& node = builder_.graph()->at(value);
  if (node.op == Op::column) return node.payload;
  const auto found = std::ranges::find(added_, value);
  const auto place = builder_.schema().size() + static_cast<std::size_t>(found - added_.begin());
  if (found == added_.end()) added_.push_back(value);
  return static_cast<std::uint32_t>(place);
}

Type ComputedColumns::type(std::uint32_t column) const {
  const std::size_t width = builder_.schema().size();
  return column < width ? builder_.schema()[column].type : builder_.type(added_[column - width]);
}

NodeId ComputedColumns::node(std::uint32_t column) {
  const std::size_t width = builder_.schema().size();
  return column < width ? builder_.column(column) : added_[column - width];
}

Result<RelationId> ComputedColumns::finish() {
  if (added_.empty()) return input_;
  std::vector<Projection> projections;
  const Schema& schema = builder_.schema();
  for (std::uint32_t i = 0; i < schema.size(); i++)
    projections.push_back({schema[i].name, builder_.column(i)});
  for (const NodeId node : added_) projections.push_back({"computed", node});
  return writer_.relations().project(input_, builder_.graph(), std::move(projections));
}

}  // namespace penstock::sql
