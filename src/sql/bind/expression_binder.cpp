#include "sql/bind/expression_binder.hpp"

#include "column/unsupported.hpp"
#include "expr/intervals.hpp"
#include "expr/nested_functions.hpp"
#include "expr/operation.hpp"
#include "expr/string_functions.hpp"
#include "expr/temporal_casts.hpp"
#include "sql/bind/conjuncts.hpp"

namespace penstock::sql {
namespace {

constexpr int expression_depth_limit =
    1100;  // also counts expressions behind aliases; see the lexer's nesting limit
constexpr int alias_expansion_limit = 20'000;
constexpr std::size_t max_site_bytes = 100;
constexpr Type boolean_type{Kind::boolean};

struct NamedOp {
  std::string_view name;
  Op op;
};
constexpr NamedOp arithmetic_ops[] = {
    {"+", Op::add},    {"-", Op::subtract},        {"*", Op::multiply},
    {"/", Op::divide}, {"//", Op::integer_divide}, {"%", Op::modulo},
    {"^", Op::power},  {"**", Op::power},          {"&", Op::bit_and},
    {"|", Op::bit_or}, {"<<", Op::shift_left},     {">>", Op::shift_right}};

template <std::size_t count>
std::optional<Op> find(const NamedOp (&table)[count], std::string_view name) {
  for (const NamedOp& row : table)
    if (row.name == name) return row.op;
  return std::nullopt;
}

Operand of(NodeId node) {
  Operand operand;
  operand.node = node;
  return operand;
}

Result<Operand> of(Result<NodeId> node) {
  if (!node.ok()) return node.status();
  return of(*node);
}

}  // namespace

Result<NodeId> ExpressionBinder::value(const Syntax& syntax) {
  PENSTOCK_ASSIGN(const Operand operand, bind(syntax));
  return coerce(syntax, operand);
}

Result<NodeId> ExpressionBinder::predicate(const Syntax& syntax) {
  PENSTOCK_ASSIGN(const NodeId node, value(syntax));
  if (builder_.type(node) == boolean_type) return node;
  const Type type = builder_.type(node);
  if (penstock::is_text(type))  // DuckDB casts it
    return names_.error(syntax.offset, Code::unsupported,
                        clause_ +
                            " takes a condition, and VARCHAR as one is not supported; write "
                            "CAST(... AS BOOLEAN)");
  if (!is_numeric(type)) return wrong(syntax, clause_ + " takes a condition, not " + name_of(type));
  return located(syntax, builder_.cast(node, boolean_type));
}

Result<Operand> ExpressionBinder::bind(const Syntax& syntax) {
  if (depth_ == expression_depth_limit)
    return names_.error(syntax.offset, Code::capacity, "the expression nests too deep here");
  if (alias_depth_ > 0 && ++names_.alias_expansions > alias_expansion_limit)
    return names_.error(syntax.offset, Code::capacity,
                        "the aliases of this statement stand for more than " +
                            std::to_string(alias_expansion_limit) + " expressions");
  depth_++;
  Result<Operand> result = dispatch(syntax);
  depth_--;
  return syntax.stated && result.ok() ? conform(syntax, *result) : result;
}

// Gives an operand the type that a planner stated. A string literal finds its type later.
Result<Operand> ExpressionBinder::conform(const Syntax& syntax, Operand operand) {
  if (operand.kind == Operand::Kind::null) return of(builder_.cast(operand.node, *syntax.stated));
  if (operand.kind == Operand::Kind::interval ||
      (operand.kind == Operand::Kind::string && syntax.stated->kind == penstock::Kind::string))
    return operand;
  PENSTOCK_ASSIGN(const NodeId node, coerce(syntax, operand, syntax.stated));
  const Type type = builder_.type(node);
  const bool has_scale = type.kind == penstock::Kind::decimal &&
                         syntax.stated->kind == penstock::Kind::decimal &&
                         type.scale == syntax.stated->scale;
  if (type == *syntax.stated || (syntax.keeps_digits && has_scale)) return of(node);
  if (is_nested(type) || is_nested(*syntax.stated))
    return of(located(syntax, expr::cast_value_of_any(builder_, node, *syntax.stated)));
  return of(converted(syntax, node, *syntax.stated));
}

Result<Operand> ExpressionBinder::dispatch(const Syntax& syntax) {
  if (groups_ != nullptr && syntax.kind != SyntaxKind::column) {
    PENSTOCK_ASSIGN(const std::string text, names_.canonical(syntax));
    if (const auto found = groups_->find(text)) return group_column(*found);
  }
  switch (syntax.kind) {
    case SyntaxKind::column: return column(syntax);
    case SyntaxKind::star:
      return wrong(syntax, "* can stand in the SELECT list and in count(*) only");
    case SyntaxKind::number: {
      Result<Scalar> number = number_literal(syntax.name);
      if (!number.ok())
        return names_.error(syntax.offset, number.status().code(), number.status().message());
      return of(builder_.literal(std::move(number).value()));
    }
    case SyntaxKind::boolean: return of(builder_.literal(Scalar::of(syntax.name == "true")));
    case SyntaxKind::value: return of(builder_.graph()->parameter(syntax.scalar));
    case SyntaxKind::null: {
      Operand null =
          of(builder_.literal(Scalar::null_of(type_of<std::int32_t>())));  // takes any type
      null.kind = Operand::Kind::null;
      return null;
    }
    case SyntaxKind::string: {
      Operand literal;
      literal.kind = Operand::Kind::string;
      literal.string = syntax.name;
      return literal;
    }
    case SyntaxKind::interval: {
      const std::optional<Interval> interval = parse_interval(syntax.name, syntax.qualifier);
      if (!interval)
        return wrong(syntax, "'" + syntax.name + "' is not an interval" +
                                 (syntax.qualifier.empty() ? "" : " of " + syntax.qualifier));
      Operand operand;
      operand.kind = Operand::Kind::interval;
      operand.interval = *interval;
      return operand;
    }
    case SyntaxKind::cast: return cast(syntax);
    case SyntaxKind::case_of: return case_of(syntax);
    case SyntaxKind::operation: return operation(syntax);
    case SyntaxKind::function: return function(syntax);
    case SyntaxKind::exists:
    case SyntaxKind::in_subquery:
    case SyntaxKind::value_of: return value_of(syntax);
    case SyntaxKind::grouping:
      return wrong(syntax, groups_ == nullptr
                               ? clause_ + " cannot contain GROUPING() without GROUP BY"
                               : clause_ + " cannot contain GROUPING()");
    case SyntaxKind::refused: return placeholder(syntax);
  }
  return Status(Code::internal, "an expression of no known form");
}

Result<Operand> ExpressionBinder::group_column(std::uint32_t column) {
  if (column == GroupColumns::failed) return Problems::known();
  return of(builder_.column(column));
}

// Binds the inputs of a refused expression, to find what else is not supported. Over groups it may
// be the argument of an aggregate of an unknown name, which reads rows.
Status ExpressionBinder::placeholder(const Syntax& syntax) {
  if (is_aggregate(syntax))
    return wrong(syntax, clause_ + " cannot contain aggregates (" + syntax.name + ")");
  if (groups_ != nullptr) {
    const Problems::RefusalsAlone quiet(names_.problems());
    static_cast<void>(operands(syntax));
  } else {
    PENSTOCK_TRY(operands(syntax).status());
  }
  return Problems::known();
}

// A value is a column behind those of the tables. Over groups it is found by its text.
Result<Operand> ExpressionBinder::value_of(const Syntax& syntax) {
  const auto found = names_.scope().values.find(syntax.subquery.get());
  if (found == names_.scope().values.end())
    return refuse(syntax, "a subquery as a value in " + clause_);
  if (!found->second.join || groups_ != nullptr) return Problems::known();
  return of(builder_.column(found->second.column));
}

Result<Operand> ExpressionBinder::column(const Syntax& syntax) {
  const std::optional<std::size_t> alias = names_.alias(syntax);
  if (!alias && names_.is_outside(syntax))
    return refuse(syntax, "a subquery that reads '" + syntax.name + "' from outside here");
  PENSTOCK_ASSIGN(const std::optional<std::uint32_t> index, names_.column(syntax));
  if (index) PENSTOCK_TRY(check_readable(syntax, names_.schema()[*index]));
  if (index && groups_ == nullptr) return of(builder_.column(*index));
  if (index)
    if (const auto found = groups_->find("#" + std::to_string(*index))) return group_column(*found);
  if (alias) return through_alias(*alias);
  if (!index) return names_.unknown(syntax);
  if (groups_->lacks_keys) return Problems::known();
  return wrong(syntax, "column \"" + names_.schema()[*index].name +
                           "\" must appear in the GROUP BY clause or must be part of an aggregate "
                           "function");
}

// A column of a type that is not read may only be an item of the SELECT list: the scan then names
// all such columns at once.
Status ExpressionBinder::check_readable(const Syntax& syntax, const Field& field) const {
  const bool is_item = clause_ == "SELECT" && depth_ == 1 && alias_depth_ == 0;
  if (field.unsupported.empty() || is_item) return {};
  return names_.at(syntax, column::check_supported(field));
}

Result<Operand> ExpressionBinder::through_alias(std::size_t item) {
  const std::size_t visible = std::exchange(names_.visible_aliases, item);
  alias_depth_++;
  Result<Operand> result = bind(*names_.item(item));
  alias_depth_--;
  names_.visible_aliases = visible;
  return result;
}

std::optional<Type> ExpressionBinder::type_of_operand(const Operand& operand) const {
  if (operand.kind == Operand::Kind::interval) return expr::interval_type;
  if (operand.kind != Operand::Kind::node) return std::nullopt;
  return builder_.type(operand.node);
}

std::optional<Scalar> ExpressionBinder::constant(NodeId id) const {
  const Node& node = builder_.graph()->at(id);
  if (node.op != Op::parameter) return std::nullopt;
  return builder_.graph()->parameters[node.payload];
}

Result<NodeId> ExpressionBinder::located(const Syntax& syntax, Result<NodeId> node) {
  if (!node.ok()) return names_.at(syntax, node.status());
  // Only operations that can fault themselves are looked up later; a string for each node of a long
  // list would take quadratic time.
  auto& sites = builder_.graph()->sites;
  const Op op = builder_.graph()->at(*node).op;
  const bool can_fault_itself = expr::can_fault_itself(op);
  if (can_fault_itself && !sites.contains(*node)) {
    std::string text = display(syntax);
    if (text.size() > max_site_bytes) {
      std::size_t end = max_site_bytes;
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) end--;
      text = text.substr(0, end) + "...";
    }
    sites.emplace(*node, Site{static_cast<std::int32_t>(syntax.offset), std::move(text)});
  }
  return node;
}

Result<NodeId> ExpressionBinder::coerce(const Syntax& syntax, const Operand& operand,
                                        std::optional<Type> beside) {
  if (operand.kind == Operand::Kind::interval) return interval_node(syntax, operand);
  if (operand.kind != Operand::Kind::string) return operand.node;
  if (!beside || is_text(*beside)) return builder_.literal(Scalar::of(operand.string));
  if (*beside == expr::instant_type) PENSTOCK_TRY(session_zone_literal(syntax).status());
  const std::optional<Scalar> value = parse_value(*beside, operand.string);
  if (!value)
    return wrong(syntax, "'" + operand.string + "' is not " + with_article(name_of(*beside)));
  return builder_.literal(*value);
}

Result<std::vector<Operand>> ExpressionBinder::operands(const Syntax& syntax, std::size_t first) {
  std::vector<Operand> result;
  Failures failures(names_.problems());
  for (std::size_t i = first; i < syntax.inputs.size(); i++) {
    Result<Operand> operand = bind(*syntax.inputs[i]);
    if (!failures.pass(operand.status())) break;
    if (operand.ok()) result.push_back(std::move(operand).value());
  }
  PENSTOCK_TRY(failures.status());
  return result;
}

Result<Operand> ExpressionBinder::cast(const Syntax& syntax) {
  PENSTOCK_ASSIGN(const Operand input, bind(*syntax.inputs[0]));
  if (input.kind == Operand::Kind::string) {
    if (syntax.type == expr::instant_type) PENSTOCK_TRY(session_zone_literal(syntax).status());
    const std::optional<Scalar> value = parse_value(syntax.type, input.string, syntax.is_try);
    if (!value && syntax.is_try) return of(builder_.literal(Scalar::null_of(syntax.type)));
    if (!value)
      return wrong(syntax, "'" + input.string + "' is not " + with_article(name_of(syntax.type)));
    return of(located(syntax, builder_.cast(builder_.literal(*value), syntax.type)));
  }
  if (input.kind == Operand::Kind::interval && syntax.type == expr::interval_type) return input;
  PENSTOCK_ASSIGN(const NodeId node, coerce(syntax, input));
  const Type from = builder_.type(node);
  if (is_nested(from) || is_nested(syntax.type))
    return of(located(syntax, nested_cast_of(syntax, node)));
  if (expr::instant_type == from || expr::instant_type == syntax.type)
    PENSTOCK_TRY(session_zone_literal(syntax).status());
  if (is_text(syntax.type)) return of(builder_.cast_to_string(node));
  if (is_text(from)) return of(cast_of_string(syntax, node));
  if (syntax.is_try && from == Type{penstock::Kind::timestamp} && syntax.type == expr::time_type)
    return of(located(syntax, builder_.string_function("time_or_null", {node})));
  const bool is_moment =
      from.logical != LogicalType::none || syntax.type.logical != LogicalType::none;
  return of(syntax.is_try && !is_moment ? located(syntax, try_cast(syntax, node))
                                        : converted(syntax, node, syntax.type));
}

Result<Operand> ExpressionBinder::case_of(const Syntax& syntax) {
  std::vector<NodeId> conditions;
  std::vector<Operand> values;
  std::vector<const Syntax*> value_syntax;
  std::optional<Type> beside;  // the type of the first branch that has one
  Failures failures(names_.problems());
  const std::string clause = std::exchange(clause_, "WHEN");
  for (std::size_t i = 0; i < syntax.inputs.size(); i++) {
    const Syntax& input = *syntax.inputs[i];
    if (i % 2 == 0 && i + 1 < syntax.inputs.size()) {
      const Result<NodeId> condition = predicate(input);
      if (!failures.pass(condition.status())) break;
      if (condition.ok()) conditions.push_back(*condition);
      continue;
    }
    Result<Operand> value = bind(input);
    if (!failures.pass(value.status())) break;
    if (!value.ok()) continue;
    if (!beside) beside = type_of_operand(*value);
    values.push_back(std::move(value).value());
    value_syntax.push_back(&input);
  }
  clause_ = clause;
  PENSTOCK_TRY(failures.status());
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < values.size(); i++) {
    PENSTOCK_ASSIGN(const NodeId node, coerce(*value_syntax[i], values[i], beside));
    nodes.push_back(node);
  }
  PENSTOCK_TRY(expr::align_moments(builder_, nodes));
  return of(located(syntax, builder_.first_true(conditions, std::move(nodes))));
}

Result<Operand> ExpressionBinder::operation(const Syntax& syntax) {
  const std::string& name = syntax.name;
  if (name == "and" || name == "or" || name == "not" || name.starts_with("is "))
    return of(located(syntax, logical(syntax)));
  if (name == "between") return of(located(syntax, between(syntax)));
  if (name == "in") return of(located(syntax, in_list(syntax)));
  if (is_string_call(syntax)) return of(string_call(syntax));
  if (expr::is_nested_function(name)) return of(located(syntax, nested_call(syntax)));
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  if (is_temporal_operation(name, inputs)) return temporal_operation(syntax, inputs);
  if (inputs.size() == 1) {
    PENSTOCK_ASSIGN(const NodeId input, coerce(*syntax.inputs[0], inputs[0]));
    if (name == "pos")
      return is_numeric(builder_.type(input))
                 ? Result<Operand>(of(input))
                 : wrong(syntax, "cannot take + of " + name_of(builder_.type(input)));
    return of(located(syntax, builder_.unary(name == "neg" ? Op::negate : Op::bit_not, input)));
  }
  if (const std::optional<Op> op = comparison_named(name))
    return of(located(syntax, comparison(syntax, *op, inputs[0], inputs[1])));
  if (name == "/" && syntax.stated && syntax.stated->kind == penstock::Kind::decimal)
    return of(located(syntax, cut_quotient(syntax, inputs[0], inputs[1])));
  const std::optional<Op> op = find(arithmetic_ops, name);
  if (!op) return refuse(syntax, "the operator " + name);
  return of(located(syntax, equal_types(syntax, *op, inputs[0], inputs[1])));
}

}  // namespace penstock::sql
