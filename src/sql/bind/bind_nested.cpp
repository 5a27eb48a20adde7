// Functions and casts of lists, structs and maps. Which there are is expr/nested_functions.hpp's
// table.
#include "column/nested/packed_bytes.hpp"
#include "expr/nested_functions.hpp"
#include "expr/nested_lambda.hpp"
#include "expr/nested_values.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

Scalar packed_interval(const Interval& interval) {
  std::string bytes;
  column::put_interval(bytes, static_cast<std::int32_t>(interval.months),
                       static_cast<std::int32_t>(interval.days), interval.microseconds);
  return Scalar::of(Type{.kind = penstock::Kind::string, .logical = LogicalType::interval},
                    std::move(bytes));
}

}  // namespace

// A name that a user can write: no operator.
std::vector<std::string> ExpressionBinder::nested_function_names() {
  std::vector<std::string> names;
  for (const expr::NestedFunction& row : expr::nested_functions())
    for (const std::string_view name : row.sql_names)
      if (name.find_first_of("|&@<>") == name.npos) names.emplace_back(name);
  return names;
}

Result<NodeId> ExpressionBinder::nested_call(const Syntax& syntax) {
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    const bool is_span =
        inputs[i].kind == Operand::Kind::interval && !inputs[i].months && !inputs[i].microseconds;
    if (is_span) {
      nodes.push_back(builder_.literal(packed_interval(inputs[i].interval)));
      continue;
    }
    PENSTOCK_ASSIGN(nodes.emplace_back(), coerce(*syntax.inputs[i], inputs[i]));
  }
  return nested_call(syntax, std::move(nodes));
}

Result<NodeId> ExpressionBinder::nested_call(const Syntax& syntax, std::vector<NodeId> inputs) {
  std::string types;
  for (const NodeId input : inputs)
    types += (types.empty() ? "" : ", ") + name_of(builder_.type(input));
  const Type first = inputs.empty() ? Type{} : builder_.type(inputs[0]);
  PENSTOCK_ASSIGN(const std::optional<NodeId> node,
                  expr::call_nested(builder_, syntax.name, std::move(inputs), syntax.stated));
  if (node) return *node;
  PENSTOCK_TRY(check_field(syntax, first));
  return refuse(syntax, "the function " + syntax.name + "(" + types + ")");
}

// struct_extract(s, 'name') of a struct that has no such field.
Status ExpressionBinder::check_field(const Syntax& syntax, Type type) const {
  const bool is_named = syntax.inputs.size() == 2 && syntax.inputs[1]->kind == SyntaxKind::string;
  if (syntax.name != "struct_extract" || !expr::is_struct(type) || !is_named) return {};
  std::string known;
  for (const std::string& name : type.nested->names) known += (known.empty() ? "" : ", ") + name;
  return wrong(*syntax.inputs[1],
               "the struct has no field '" + syntax.inputs[1]->name + "'; it has " + known);
}

// An element or a part of a list, or a field of a struct.
Result<NodeId> ExpressionBinder::nested_part(const Syntax& syntax, NodeId input) {
  std::vector<NodeId> inputs{input};
  for (std::size_t i = 1; i < syntax.inputs.size(); i++) {
    PENSTOCK_ASSIGN(inputs.emplace_back(), value(*syntax.inputs[i]));
  }
  return nested_call(syntax, std::move(inputs));
}

// The place of a cast is that of its requirement, whose fault names it.
Result<NodeId> ExpressionBinder::nested_cast_of(const Syntax& syntax, NodeId input) {
  if (is_text(syntax.type)) return builder_.cast_to_string(input);
  if (builder_.type(input) == syntax.type) return input;
  PENSTOCK_ASSIGN(const NodeId cast,
                  expr::nested_cast(builder_, input, syntax.type, syntax.is_try));
  const Node& node = builder_.graph()->at(cast);
  if (node.op == Op::select) PENSTOCK_TRY(located(syntax, node.inputs[0]).status());
  return cast;
}

bool ExpressionBinder::has_lambda(const Syntax& syntax) {
  return syntax.inputs.size() >= 2 && syntax.inputs[1]->kind == SyntaxKind::function &&
         syntax.inputs[1]->name == "lambda" && syntax.inputs[1]->index;
}

// list_transform(list, lambda, captured...): the lambda is bound over its parameters and what it
// captures, as over the columns of a table.
Result<NodeId> ExpressionBinder::lambda_call(const Syntax& syntax) {
  using expr::LambdaKind;
  const Syntax& function = *syntax.inputs[1];
  expr::Lambda lambda;
  lambda.parameters = *function.index;
  lambda.kind = syntax.name == "list_transform" ? LambdaKind::transform
                : syntax.name == "list_filter"  ? LambdaKind::filter
                : syntax.name == "list_reduce"  ? LambdaKind::reduce
                                                : LambdaKind::reduce_from;
  std::vector<NodeId> inputs;
  for (const SyntaxPtr& input : syntax.inputs) {
    if (input.get() == &function) continue;
    PENSTOCK_ASSIGN(inputs.emplace_back(), value(*input));
  }
  const Type list = builder_.type(inputs[0]);
  if (!expr::is_list(list)) return refuse(syntax, syntax.name + " of " + name_of(list));
  const Type element = list.nested->types[0];
  const bool is_reduced = lambda.kind >= LambdaKind::reduce;
  const std::size_t captured = lambda.kind == LambdaKind::reduce_from ? 2 : 1;
  const Type so_far = is_reduced ? syntax.stated.value_or(element) : element;
  if (captured == 2) {
    PENSTOCK_ASSIGN(inputs[1], expr::cast_value_of_any(builder_, inputs[1], so_far));
  } else if (is_reduced && !(element == so_far)) {
    PENSTOCK_ASSIGN(inputs[0], expr::cast_value_of_any(builder_, inputs[0], list_of(so_far)));
  }
  Scope scope;
  for (const Type type : expr::types_of_parameters(
           lambda.kind, lambda.parameters, captured == 2 || !is_reduced ? element : so_far, so_far))
    scope.schema.push_back({"parameter", type, true});
  for (std::size_t i = captured; i < inputs.size(); i++)
    scope.schema.push_back({"captured", builder_.type(inputs[i]), true});
  static const Select no_select;
  Names names(names_.lexed(), names_.problems(), no_select, scope);
  Builder body(scope.schema);
  PENSTOCK_ASSIGN(lambda.root,
                  ExpressionBinder(names, body, "a lambda").value(*function.inputs[0]));
  const std::optional<Type> wanted =
      is_reduced                                   ? std::optional(so_far)
      : lambda.kind == LambdaKind::filter          ? std::optional(Type{penstock::Kind::boolean})
      : syntax.stated && is_nested(*syntax.stated) ? std::optional(syntax.stated->nested->types[0])
                                                   : std::nullopt;
  if (wanted) { PENSTOCK_ASSIGN(lambda.root, expr::cast_value_of_any(body, lambda.root, *wanted)); }
  lambda.graph = body.graph();
  const Type result = is_reduced                          ? so_far
                      : lambda.kind == LambdaKind::filter ? list
                                                          : list_of(body.type(lambda.root));
  return expr::call_lambda(builder_, lambda, std::move(inputs), result);
}

}  // namespace penstock::sql
