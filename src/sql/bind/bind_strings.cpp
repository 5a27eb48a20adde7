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

bool is_concatenation(const Syntax& syntax) {
  return syntax.name == "concat" || syntax.name == "concat_ws";
}

}  // namespace

bool ExpressionBinder::is_string_call(const Syntax& syntax) {
  return find_function(syntax) != nullptr || is_concatenation(syntax);
}

// A name that a user can write: neither an operator nor what the parser alone calls.
std::vector<std::string> ExpressionBinder::string_function_names() {
  const auto is_written = [](std::string_view name) {
    return name != "btrim" && name != "like_escape" && name.find_first_of("~|^") == name.npos;
  };
  std::vector<std::string> names = {"concat", "concat_ws"};
  for (const expr::StringFunction& row : expr::string_functions())
    for (const std::string_view name : row.sql_names)
      if (is_written(name)) names.emplace_back(name);
  return names;
}

// A quoted constant is a string here, whatever type the other inputs have. || takes any type.
Result<NodeId> ExpressionBinder::string_call(const Syntax& syntax) {
  if (is_concatenation(syntax)) return concatenation(syntax);
  const expr::StringFunction* const function = find_function(syntax);
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(const NodeId node,
                    coerce(*syntax.inputs[i], inputs[i], Type{penstock::Kind::string}));
    nodes.push_back(node);
    if (syntax.name == "||") { PENSTOCK_ASSIGN(nodes.back(), builder_.cast_to_string(node)); }
  }
  PENSTOCK_ASSIGN(const NodeId node,
                  located(syntax, builder_.string_function(function->name, std::move(nodes))));
  const bool is_negated = without_negation(syntax.name) != syntax.name;
  return is_negated ? builder_.unary(Op::not_, node) : Result<NodeId>(node);
}

// concat() and concat_ws() leave out NULLs. Constants beside one column are put together here; a
// column's NULL gives what the constants are without it.
Result<NodeId> ExpressionBinder::concatenation(const Syntax& syntax) {
  const bool has_separator = syntax.name == "concat_ws";
  if (syntax.star || syntax.inputs.size() < (has_separator ? 2 : 1))
    return wrong(syntax,
                 syntax.name + " needs " + (has_separator ? "two arguments" : "an argument"));
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  std::vector<std::string> before, behind;
  std::vector<NodeId> strings;
  std::optional<NodeId> column;
  bool are_several = false;
  std::string separator;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(NodeId node,
                    coerce(*syntax.inputs[i], inputs[i], Type{penstock::Kind::string}));
    PENSTOCK_ASSIGN(node, builder_.cast_to_string(node));
    const std::optional<Scalar> text = constant(node);
    if (has_separator && i == 0) {
      if (!text) return refuse(*syntax.inputs[i], "a separator that is not constant");
      if (text->is_null) return builder_.literal(Scalar::null_of(Type{penstock::Kind::string}));
      separator = text_of(*text);
      continue;
    }
    if (!text || !text->is_null) strings.push_back(node);
    are_several |= !text && column;
    if (!text)
      column = node;
    else if (!text->is_null)
      (column ? behind : before).push_back(text_of(*text));
  }
  if (are_several) return joined_rows(syntax, separator, strings);
  return joined(syntax, column, separator, before, behind);
}

// Each NULL is an empty string. Separators stand before each string, and the first one is cut off.
Result<NodeId> ExpressionBinder::joined_rows(const Syntax& syntax, const std::string& separator,
                                             const std::vector<NodeId>& strings) {
  const NodeId before = builder_.literal(Scalar::of(separator)),
               none = builder_.literal(Scalar::of(std::string()));
  std::optional<NodeId> all;
  for (NodeId string : strings) {
    if (!separator.empty()) {
      PENSTOCK_ASSIGN(string, builder_.string_function("concat", {before, string}));
    }
    PENSTOCK_ASSIGN(string, builder_.variadic(Op::coalesce, {string, none}));
    if (all) { PENSTOCK_ASSIGN(string, builder_.string_function("concat", {*all, string})); }
    all = string;
  }
  if (separator.empty()) return *all;
  const NodeId first = builder_.literal(Scalar::of(expr::character_count(separator) + 1));
  return located(syntax, builder_.string_function("substring", {*all, first}));
}

Result<NodeId> ExpressionBinder::joined(const Syntax& syntax, std::optional<NodeId> column,
                                        const std::string& separator,
                                        const std::vector<std::string>& before,
                                        const std::vector<std::string>& behind) {
  std::string first, last, all;
  for (const std::string& text : before) {
    first += text + separator;
    all += (all.empty() && &text == &before.front() ? "" : separator) + text;
  }
  for (const std::string& text : behind) {
    last += separator + text;
    all += (before.empty() && &text == &behind.front() ? "" : separator) + text;
  }
  const NodeId constants = builder_.literal(Scalar::of(all));
  if (!column) return constants;
  NodeId node = *column;
  if (!first.empty()) {
    PENSTOCK_ASSIGN(node,
                    located(syntax, builder_.string_function(
                                        "concat", {builder_.literal(Scalar::of(first)), node})));
  }
  if (!last.empty()) {
    PENSTOCK_ASSIGN(node,
                    located(syntax, builder_.string_function(
                                        "concat", {node, builder_.literal(Scalar::of(last))})));
  }
  if (!builder_.graph()->at(*column).nullable) return node;
  return builder_.variadic(Op::coalesce, {node, constants});
}

}  // namespace penstock::sql
