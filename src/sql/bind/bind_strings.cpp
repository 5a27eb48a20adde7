// Functions and operators of strings: LIKE, ||, lower(), substring()... Which there are is
// expr/string_functions.hpp's table.
#include "expr/string_functions.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

// The parser writes NOT LIKE as an operator or a function of its own.
std::string_view without_negation(std::string_view name) {
  if (name.starts_with("!~~")) name.remove_prefix(1);
  if (name == "not_like_escape") name.remove_prefix(4);
  return name;
}

const expr::StringFunction* find_function(const Syntax& syntax) {
  return expr::find_string_function(without_negation(syntax.name));
}

}  // namespace

bool ExpressionBinder::is_string_call(const Syntax& syntax) {
  return find_function(syntax) != nullptr;
}

// A name that a user can write: neither an operator nor what the parser alone calls.
std::vector<std::string> ExpressionBinder::string_function_names() {
  const auto is_written = [](std::string_view name) {
    return name != "btrim" && name != "like_escape" && name.find_first_of("~|") == name.npos;
  };
  std::vector<std::string> names;
  for (const expr::StringFunction& row : expr::string_functions())
    for (const std::string_view name : row.sql_names)
      if (is_written(name)) names.emplace_back(name);
  return names;
}

// A quoted constant is a string here, whatever type the other inputs have.
Result<NodeId> ExpressionBinder::string_call(const Syntax& syntax) {
  const expr::StringFunction* const function = find_function(syntax);
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(const NodeId node,
                    coerce(*syntax.inputs[i], inputs[i], Type{penstock::Kind::string}));
    nodes.push_back(node);
  }
  PENSTOCK_ASSIGN(const NodeId node,
                  located(syntax, builder_.string_function(function->name, std::move(nodes))));
  const bool is_negated = without_negation(syntax.name) != syntax.name;
  return is_negated ? builder_.unary(Op::not_, node) : Result<NodeId>(node);
}

}  // namespace penstock::sql
