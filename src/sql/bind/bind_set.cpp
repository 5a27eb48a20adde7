// Binds UNION, INTERSECT and EXCEPT. Both sides get the types in which their columns meet.
#include <algorithm>

#include "expr/temporal_casts.hpp"
#include "penstock/detail/promotion.hpp"
#include "sql/bind/scope.hpp"
#include "sql/parse/source_position.hpp"

namespace penstock::sql {
namespace {

// Tells whether each row has NULL there, written as such: it takes any type.
bool is_null_alone(const RelationGraph& relations, RelationId id, std::uint32_t column) {
  const Relation& relation = relations.at(id);
  if (relation.kind == RelationKind::sort || relation.kind == RelationKind::limit)
    return is_null_alone(relations, relation.inputs[0], column);
  if (relation.kind != RelationKind::project) return false;
  const Graph& graph = *relation.graph;
  const Node& node = graph.at(relation.projections[column].root);
  return node.op == Op::parameter && graph.parameters[node.payload].is_null &&
         graph.parameter_origins[node.payload] == ParameterOrigin::literal;
}

Result<RelationId> with_types(RelationGraph& relations, RelationId input,
                              const std::vector<Type>& types) {
  Builder builder(relations.at(input).schema);
  std::vector<Projection> columns;
  bool is_same = true;
  for (std::uint32_t i = 0; i < types.size(); i++) {
    const Field& field = builder.schema()[i];
    NodeId node = builder.column(i);
    is_same = is_same && field.type == types[i];
    if (is_null_alone(relations, input, i)) {
      node = builder.literal(Scalar::null_of(types[i]));
    } else {
      PENSTOCK_ASSIGN(node, cast_to(builder, node, types[i]));
    }
    columns.push_back({field.name, node});
  }
  if (is_same) return input;
  return relations.project(input, builder.graph(), std::move(columns));
}

std::string different_widths(std::size_t left, std::size_t right) {
  return "the SELECTs of a set operation have equally many columns, not " + std::to_string(left) +
         " and " + std::to_string(right);
}

class SetBinder {
 public:
  SetBinder(BindContext& context, const SetOperation& set, const Surroundings& around)
      : context_(context), set_(set), around_(around) {}

  Result<RelationId> bind() {
    Failures failures(context_.problems);
    add(*set_.left, failures);
    add(*set_.right, failures);
    PENSTOCK_TRY(failures.status());
    PENSTOCK_TRY(check_widths());
    PENSTOCK_TRY(cast_all());
    return combined();
  }

 private:
  Status wrong(std::string message) const {
    return error_at(context_.lexed.statement, set_.offset, Code::invalid, std::move(message));
  }

  // A side that is a union of the same kind is several inputs.
  bool is_part(const Select& side) const {
    if (set_.kind != SetKind::unite || !side.set || !side.with.empty()) return false;
    return side.set->kind == SetKind::unite && (side.set->all || !set_.all);
  }

  void add(const Select& side, Failures& failures) {
    if (is_part(side)) {
      add(*side.set->left, failures);
      add(*side.set->right, failures);
      return;
    }
    const Result<RelationId> rows = bind_select(context_, side, around_);
    failures.pass(rows.status());
    if (rows.ok()) inputs_.push_back(*rows);
  }

  Status check_widths() const {
    const std::size_t width = context_.schema(inputs_[0]).size();
    for (const RelationId input : inputs_)
      if (const std::size_t other = context_.schema(input).size(); other != width)
        return wrong(different_widths(width, other));
    return {};
  }

  // Returns the type of a column in the result; that of the first input if all are NULL.
  Result<Type> type_of_column(std::uint32_t column) const {
    std::optional<Type> type;
    for (const RelationId input : inputs_) {
      const Type own = context_.schema(input)[column].type;
      if (is_null_alone(context_.relations, input, column)) continue;
      const std::optional<Type> met = type ? type_of_both(*type, own) : own;
      if (!met)
        return wrong("column " + std::to_string(column + 1) + " of a set operation is " +
                     name_of(*type) + " and " + name_of(own));
      type = met;
    }
    return type.value_or(context_.schema(inputs_[0])[column].type);
  }

  Status cast_all() {
    std::vector<Type> types;
    for (std::uint32_t i = 0; i < context_.schema(inputs_[0]).size(); i++) {
      PENSTOCK_ASSIGN(types.emplace_back(), type_of_column(i));
    }
    for (RelationId& input : inputs_) {
      const Result<RelationId> cast = with_types(context_.relations, input, types);
      if (!cast.ok()) return wrong(cast.status().message());
      input = *cast;
    }
    return {};
  }

  Result<RelationId> combined() {
    RelationGraph& relations = context_.relations;
    if (set_.kind == SetKind::intersect)
      return relations.intersect(inputs_[0], inputs_[1], set_.all);
    if (set_.kind == SetKind::except) return relations.except(inputs_[0], inputs_[1], set_.all);
    PENSTOCK_ASSIGN(const RelationId all, relations.append(inputs_));
    return set_.all ? Result<RelationId>(all) : relations.distinct(all);
  }

  BindContext& context_;
  const SetOperation& set_;
  const Surroundings around_;
  std::vector<RelationId> inputs_;
};

}  // namespace

std::optional<Type> type_of_both(Type a, Type b) {
  if (a == b) return a;
  for (const Type type : {a, b})
    if (type.kind == Kind::string) return type;
  return expr::met_in_comparison(a, b);
}

Result<NodeId> cast_to(Builder& rows, NodeId value, Type type) {
  return is_text(type) ? rows.cast_to_string(value) : expr::cast_value_to(rows, value, type);
}

Result<RelationId> bind_set(BindContext& context, const SetOperation& set,
                            const Surroundings& around) {
  return SetBinder(context, set, around).bind();
}

// The step has the types of the rows that it begins with.
Result<RelationId> bind_recursion(BindContext& context, const CommonTable& table,
                                  const Surroundings& around) {
  const SetOperation& set = *table.select->set;
  PENSTOCK_ASSIGN(const RelationId base, bind_select(context, *set.left, around));
  const Schema rows = context.schema(base);
  const RelationId working = context.relations.working_table(rows);
  CommonTables tables{around.tables, {}};
  tables.by_name[lower(table.name)] = {working, table.columns};
  PENSTOCK_ASSIGN(RelationId step, bind_select(context, *set.right, {&tables, around.names}));
  const auto wrong = [&](std::string message) {
    return error_at(context.lexed.statement, set.offset, Code::invalid, std::move(message));
  };
  if (const std::size_t width = context.schema(step).size(); width != rows.size())
    return wrong(different_widths(rows.size(), width));
  std::vector<Type> types;
  for (const Field& field : rows) types.push_back(field.type);
  const Result<RelationId> cast = with_types(context.relations, step, types);
  if (!cast.ok()) return wrong(cast.status().message());
  return context.relations.recursion(working, base, *cast, set.all);
}

}  // namespace penstock::sql
