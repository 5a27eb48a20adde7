#include "sql/substrait/substrait_reader.hpp"

#include <algorithm>
#include <limits>

#include "sql/parse/suggestions.hpp"

namespace penstock::sql {
namespace {

constexpr int relation_depth_limit = 1000;

}  // namespace

Status SubstraitReader::refuse(const std::string& what) {
  return problems_.refuse(-1, not_supported(what));
}

Result<SubstraitRows> SubstraitReader::read(const Tree& relation) {
  if (depth_ == relation_depth_limit)
    return Status(Code::capacity, "the plan nests deeper than 1000 relations");
  depth_++;
  Result<SubstraitRows> rows = dispatch(relation);
  if (rows.ok()) rows = emitted(std::move(*rows), relation.body());
  depth_--;
  return rows;
}

Result<SubstraitRows> SubstraitReader::dispatch(const Tree& relation) {
  struct Row {
    std::string_view kind;
    Result<SubstraitRows> (SubstraitReader::*read)(const Tree&);
  };
  static constexpr Row rows[] = {
      {"read", &SubstraitReader::scan},       {"filter", &SubstraitReader::filter},
      {"project", &SubstraitReader::project}, {"join", &SubstraitReader::join},
      {"cross", &SubstraitReader::cross},     {"aggregate", &SubstraitReader::aggregate},
      {"sort", &SubstraitReader::sort},       {"fetch", &SubstraitReader::fetch},
      {"set", &SubstraitReader::set},         {"reference", &SubstraitReader::reference}};
  const std::string_view kind = relation.kind();
  const auto row = std::ranges::find(rows, kind, &Row::kind);
  if (row != std::end(rows)) return (this->*row->read)(relation.body());
  if (kind.empty()) return Status(Code::invalid, "the plan lacks an input of a relation");
  return refuse("the relation " + words_of(kind) + " of Substrait's plan");
}

Result<SubstraitRows> SubstraitReader::input(const Tree& relation) {
  return read(relation["input"]);
}

Result<SubstraitRows> SubstraitReader::emitted(SubstraitRows rows, const Tree& relation) const {
  const Tree emit = relation["common"]["emit"];
  if (!emit) return rows;
  std::vector<SubstraitColumn> kept;
  for (std::size_t i = 0; i < emit["outputMapping"].size(); i++) {
    const auto column = static_cast<std::uint64_t>(number_of(emit["outputMapping"].at(i)));
    if (column >= rows.columns.size())
      return Status(Code::invalid, "the plan emits column " + std::to_string(column) + " of " +
                                       std::to_string(rows.columns.size()));
    kept.push_back(rows.columns[column]);
  }
  rows.columns = std::move(kept);
  return rows;
}

Status SubstraitReader::prepare(SubstraitRows& rows, const std::vector<Tree>& expressions) {
  std::vector<Tree> windows;
  for (const Tree& expression : expressions) PENSTOCK_TRY(prepare_part(rows, expression, windows));
  return windows.empty() ? Status() : add_windows(rows, windows);
}

Status SubstraitReader::prepare_part(SubstraitRows& rows, const Tree& expression,
                                     std::vector<Tree>& windows) {
  if (depth_ == relation_depth_limit)
    return {Code::capacity, "the plan nests deeper than 1000 relations and expressions"};
  depth_++;
  Status status;
  const Tree subquery = expression["subquery"];
  if (subquery["scalar"]) status = add_scalar(rows, expression);
  if (subquery["inPredicate"]) status = add_membership(rows, expression);
  if (subquery["setPredicate"]) status = add_existence(rows, expression);
  if (!subquery)
    for (const Tree& part : inputs_of_substrait(expression))
      if (status.ok()) status = prepare_part(rows, part, windows);
  if (expression["windowFunction"]) windows.push_back(expression);
  depth_--;
  return status;
}

TypedSyntax SubstraitReader::syntax_of(const Builder& builder, const Tree& expression,
                                       const std::vector<SubstraitColumn>& columns) {
  return SubstraitExpressions(plan_, standing_, builder.schema(), problems_)
      .read(expression, columns);
}

std::optional<Type> SubstraitReader::stated_type(const Tree& call) {
  const Tree type = call["outputType"];
  const std::optional<Type> known = type_of_substrait(type, plan_.is_datafusion);
  if (type && !known) static_cast<void>(refuse("a value of type " + name_of_substrait(type)));
  return known;
}

Result<NodeId> SubstraitReader::node_of(Builder& builder, const TypedSyntax& expression,
                                        const char* clause) {
  return bind_or_null(builder, *expression.syntax, expression.type.value_or(Type{Kind::boolean}),
                      clause);
}

Result<SubstraitColumn> SubstraitReader::add(ComputedColumns& computed, const Tree& expression,
                                             const std::vector<SubstraitColumn>& columns,
                                             const char* clause) {
  const TypedSyntax typed = syntax_of(computed.builder(), expression, columns);
  PENSTOCK_ASSIGN(const NodeId node, node_of(computed.builder(), typed, clause));
  const Type bound = computed.builder().type(node);
  return SubstraitColumn{computed.add(node), typed.type ? typed.type : std::optional(bound)};
}

Result<SubstraitRows> SubstraitReader::filtered(SubstraitRows rows, const Tree& condition) {
  if (!condition) return rows;
  PENSTOCK_TRY(prepare(rows, {condition}));
  Builder builder(schema(rows.relation));
  PENSTOCK_ASSIGN(const NodeId node,
                  node_of(builder, syntax_of(builder, condition, rows.columns), "WHERE"));
  PENSTOCK_ASSIGN(rows.relation, RelationWriter::filtered(rows.relation, builder, {node}));
  return rows;
}

std::vector<Type> SubstraitReader::types_of(const SubstraitRows& rows) const {
  std::vector<Type> types;
  for (const SubstraitColumn& column : rows.columns)
    types.push_back(schema(rows.relation)[column.place].type);
  return types;
}

Result<RelationId> SubstraitReader::exact(const SubstraitRows& rows,
                                          const std::vector<Type>& types) {
  ComputedColumns computed(*this, rows.relation);
  RelationColumns result;
  for (std::size_t i = 0; i < rows.columns.size(); i++) {
    Builder& builder = computed.builder();
    PENSTOCK_ASSIGN(const NodeId node,
                    cast_or_keep(builder, builder.column(rows.columns[i].place), types[i]));
    result.columns.push_back(computed.add(node));
  }
  PENSTOCK_ASSIGN(result.relation, computed.finish());
  return with_columns(result, {});
}

Result<RelationId> SubstraitReader::with_stated_types(const SubstraitRows& rows,
                                                      const std::vector<std::string>& names) {
  std::vector<Type> types = types_of(rows);
  for (std::size_t i = 0; i < types.size(); i++) {
    const SubstraitColumn& column = rows.columns[i];
    if (!column.type) return refuse(untyped_column(schema(rows.relation)[column.place].name));
    types[i] = *column.type;
  }
  RelationColumns result;
  PENSTOCK_ASSIGN(result.relation, exact(rows, types));
  for (std::uint32_t i = 0; i < types.size(); i++) result.columns.push_back(i);
  return with_columns(result, names);
}

Result<SubstraitRows> SubstraitReader::filter(const Tree& body) {
  PENSTOCK_ASSIGN(SubstraitRows rows, input(body));
  if (!body["condition"]) return Status(Code::invalid, "the plan lacks the condition of a filter");
  return filtered(std::move(rows), body["condition"]);
}

Result<SubstraitRows> SubstraitReader::project(const Tree& body) {
  PENSTOCK_ASSIGN(SubstraitRows rows, input(body));
  std::vector<Tree> expressions;
  for (std::size_t i = 0; i < body["expressions"].size(); i++)
    expressions.push_back(body["expressions"].at(i));
  PENSTOCK_TRY(prepare(rows, expressions));
  ComputedColumns computed(*this, rows.relation);
  std::vector<SubstraitColumn> added;
  for (const Tree& expression : expressions) {
    PENSTOCK_ASSIGN(added.emplace_back(), add(computed, expression, rows.columns, "SELECT"));
  }
  PENSTOCK_ASSIGN(rows.relation, computed.finish());
  rows.columns.insert(rows.columns.end(), added.begin(), added.end());
  return rows;
}

Result<std::vector<SortKey>> SubstraitReader::sort_keys(
    const Tree& sorts, ComputedColumns& computed, const std::vector<SubstraitColumn>& columns) {
  std::vector<SortKey> keys;
  for (std::size_t i = 0; i < sorts.size(); i++) {
    const std::string_view direction = sorts.at(i)["direction"].text();
    const bool is_known = direction.starts_with("SORT_DIRECTION_ASC_") ||
                          direction.starts_with("SORT_DIRECTION_DESC_");
    if (!is_known) return refuse("an order that is neither ascending nor descending");
    PENSTOCK_ASSIGN(const SubstraitColumn column,
                    add(computed, sorts.at(i)["expr"], columns, "ORDER BY"));
    keys.push_back({column.place, direction.starts_with("SORT_DIRECTION_DESC_"),
                    direction.ends_with("_NULLS_FIRST")});
  }
  return keys;
}

Result<SubstraitRows> SubstraitReader::sort(const Tree& body) {
  PENSTOCK_ASSIGN(SubstraitRows rows, input(body));
  std::vector<Tree> expressions;
  for (std::size_t i = 0; i < body["sorts"].size(); i++)
    expressions.push_back(body["sorts"].at(i)["expr"]);
  PENSTOCK_TRY(prepare(rows, expressions));
  ComputedColumns computed(*this, rows.relation);
  PENSTOCK_ASSIGN(std::vector<SortKey> keys, sort_keys(body["sorts"], computed, rows.columns));
  PENSTOCK_ASSIGN(const RelationId relation, computed.finish());
  PENSTOCK_ASSIGN(rows.relation, relations_.sort(relation, std::move(keys)));
  return rows;
}

// Nothing for a number that is no constant.
std::optional<std::uint64_t> SubstraitReader::count_of(const Tree& expression, const Tree& number,
                                                       std::uint64_t otherwise) {
  std::int64_t count = -1;
  if (expression) {
    const Tree literal = expression["literal"];
    const Tree whole = literal["i64"] ? literal["i64"] : literal["i32"];
    if (!whole && !literal["null"]) return std::nullopt;
    if (whole) count = number_of(whole);
  } else if (number) {
    count = number_of(number);
  }
  return count < 0 ? otherwise : static_cast<std::uint64_t>(count);
}

Result<SubstraitRows> SubstraitReader::fetch(const Tree& body) {
  PENSTOCK_ASSIGN(SubstraitRows rows, input(body));
  const auto count =
      count_of(body["countExpr"], body["count"], std::numeric_limits<std::uint64_t>::max());
  const auto offset = count_of(body["offsetExpr"], body["offset"], 0);
  if (!count || !offset) return refuse("a number of rows that is no constant");
  PENSTOCK_ASSIGN(rows.relation, relations_.limit(rows.relation, *count, *offset));
  return rows;
}

// Returns the inputs with columns of equal types.
Result<std::vector<RelationId>> SubstraitReader::united(const std::vector<SubstraitRows>& inputs) {
  std::vector<Type> types = types_of(inputs[0]);
  for (const SubstraitRows& rows : inputs) {
    const std::vector<Type> others = types_of(rows);
    if (others.size() != types.size())
      return Status(Code::invalid, "the plan unites rows of unequal numbers of columns");
    for (std::size_t i = 0; i < types.size(); i++)
      if (!(others[i] == types[i])) types[i] = inputs[0].columns[i].type.value_or(types[i]);
  }
  std::vector<RelationId> relations;
  for (const SubstraitRows& rows : inputs) {
    PENSTOCK_ASSIGN(relations.emplace_back(), exact(rows, types));
  }
  return relations;
}

Result<RelationId> SubstraitReader::set_operation(std::string_view op,
                                                  const std::vector<RelationId>& inputs) {
  if (op == "SET_OP_UNION_ALL") return relations_.append(inputs);
  if (op == "SET_OP_UNION_DISTINCT") {
    PENSTOCK_ASSIGN(const RelationId all, relations_.append(inputs));
    return relations_.distinct(all);
  }
  const bool all = op.ends_with("_ALL");
  const bool excepts = op == "SET_OP_MINUS_PRIMARY" || op == "SET_OP_MINUS_PRIMARY_ALL";
  const bool intersects = op.starts_with("SET_OP_INTERSECTION_MULTISET") ||
                          (op == "SET_OP_INTERSECTION_PRIMARY" && inputs.size() == 2);
  if (!excepts && !intersects) return refuse("this operation on sets of Substrait's plan");
  RelationId result = inputs[0];
  for (std::size_t i = 1; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(result, excepts ? relations_.except(result, inputs[i], all)
                                    : relations_.intersect(result, inputs[i], all));
  }
  return result;
}

Result<SubstraitRows> SubstraitReader::set(const Tree& body) {
  std::vector<SubstraitRows> inputs;
  for (std::size_t i = 0; i < body["inputs"].size(); i++) {
    PENSTOCK_ASSIGN(inputs.emplace_back(), read(body["inputs"].at(i)));
  }
  if (inputs.size() < 2) return Status(Code::invalid, "the plan lacks an input of a relation");
  PENSTOCK_ASSIGN(const std::vector<RelationId> relations, united(inputs));
  SubstraitRows result{0, inputs[0].columns};
  PENSTOCK_ASSIGN(result.relation, set_operation(body["op"].text(), relations));
  for (std::uint32_t i = 0; i < result.columns.size(); i++) result.columns[i].place = i;
  return result;
}

// A relation that several others read is computed once.
Result<SubstraitRows> SubstraitReader::reference(const Tree& body) {
  const std::int64_t number = number_of(body["subtreeOrdinal"]);
  if (const auto found = shared_.find(number); found != shared_.end()) return found->second;
  const Tree tree = number < 0 ? Tree() : shared_trees_.at(static_cast<std::size_t>(number))["rel"];
  if (!tree) return Status(Code::invalid, "the plan refers to a relation that it lacks");
  PENSTOCK_ASSIGN(const SubstraitRows rows, read(tree));
  return shared_[number] = rows;
}

}  // namespace penstock::sql
