// Functions and casts of lists, structs and maps. Which there are is expr/nested's table.
#include "column/nested/packed_bytes.hpp"
#include "expr/nested/nested_functions.hpp"
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
  PENSTOCK_ASSIGN(const std::optional<NodeId> node,
                  expr::call_nested(builder_, syntax.name, std::move(inputs), syntax.stated));
  if (node) return *node;
  return refuse(syntax, "the function " + syntax.name + "(" + types + ")");
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

}  // namespace penstock::sql
