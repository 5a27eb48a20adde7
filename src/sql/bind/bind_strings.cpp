// Functions and operators of strings: LIKE, ||, lower(), substring()... Which there are is
// expr/string_functions.hpp's table.
#include <algorithm>

#include "expr/date_parse.hpp"
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

// Plans of DuckDB also call rows that SQL has no name for, by the names of the rows.
const expr::StringFunction* find_function(const Syntax& syntax) {
  const std::string_view name = without_negation(syntax.name);
  if (const expr::StringFunction* const row = expr::find_string_function(name)) return row;
  const auto row = std::ranges::find(expr::string_functions(), name, &expr::StringFunction::name);
  return row == expr::string_functions().end() ? nullptr : &*row;
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
    return name != "btrim" && name != "like_escape" && name.find_first_of("~|^!") == name.npos;
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
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(const NodeId node,
                    coerce(*syntax.inputs[i], inputs[i], Type{penstock::Kind::string}));
    nodes.push_back(node);
    if (syntax.name == "last_day" || syntax.name == "julian") {
      PENSTOCK_ASSIGN(nodes.back(), local_moment(syntax, node));
    }
  }
  if (std::ranges::any_of(nodes, [&](NodeId node) { return is_nested_node(node); }))
    return located(syntax, nested_call(syntax, std::move(nodes)));
  if (syntax.name == "||") { PENSTOCK_ASSIGN(nodes, in_one_form(std::move(nodes))); }
  if (syntax.name == "strptime" || syntax.name == "try_strptime")
    PENSTOCK_TRY(check_date_text(syntax, nodes));
  const std::string_view function = overload(syntax, inputs, nodes);
  PENSTOCK_ASSIGN(const NodeId node,
                  located(syntax, builder_.string_function(function, std::move(nodes))));
  const bool is_negated = without_negation(syntax.name) != syntax.name;
  return is_negated ? builder_.unary(Op::not_, node) : Result<NodeId>(node);
}

// Both are BLOBs, or values of any type as texts.
Result<std::vector<NodeId>> ExpressionBinder::in_one_form(std::vector<NodeId> nodes) {
  std::vector<Type> types;
  for (const NodeId node : nodes) types.push_back(builder_.type(node));
  if (expr::find_string_function("||", types) != nullptr) return nodes;
  for (NodeId& node : nodes) { PENSTOCK_ASSIGN(node, builder_.cast_to_string(node)); }
  return nodes;
}

// Returns the name of the row whose types fit. A NULL is of any type.
std::string_view ExpressionBinder::overload(const Syntax& syntax,
                                            const std::vector<Operand>& inputs,
                                            const std::vector<NodeId>& nodes) const {
  std::vector<Type> types;
  for (const NodeId node : nodes) types.push_back(builder_.type(node));
  const bool has_null = std::ranges::any_of(
      inputs, [](const Operand& input) { return input.kind == Operand::Kind::null; });
  const expr::StringFunction* row = nullptr;
  if (!has_null) row = expr::find_string_function(without_negation(syntax.name), types);
  return (row ? row : find_function(syntax))->name;
}

Status ExpressionBinder::check_date_text(const Syntax& syntax, const std::vector<NodeId>& nodes) {
  const std::optional<Scalar> format = nodes.size() == 2 ? constant(nodes[1]) : std::nullopt;
  if (!format) return refuse(syntax, "strptime with a format that is not constant");
  if (format->is_null) return {};
  return names_.at(syntax, expr::check_parse_format(format->text));
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
