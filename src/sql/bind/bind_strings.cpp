// Functions and operators of strings: LIKE, ||, lower(), substring()...
#include <array>

#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

// SQL's names, and what Builder calls them.
constexpr std::array<std::string_view, 2> text_names[] = {
    {"length", "length"},      {"len", "length"},
    {"char_length", "length"}, {"character_length", "length"},
    {"strlen", "strlen"},      {"lower", "lower"},
    {"lcase", "lower"},        {"upper", "upper"},
    {"ucase", "upper"},        {"substring", "substring"},
    {"substr", "substring"},   {"left", "left"},
    {"right", "right"},        {"btrim", "trim"},
    {"trim", "trim"},          {"ltrim", "ltrim"},
    {"rtrim", "rtrim"},        {"replace", "replace"},
    {"contains", "contains"},  {"starts_with", "starts_with"},
    {"prefix", "prefix"},      {"ends_with", "ends_with"},
    {"suffix", "suffix"},      {"position", "position"},
    {"strpos", "position"},    {"instr", "position"},
    {"like_escape", "like"},   {"not_like_escape", "like"}};
constexpr std::array<std::string_view, 2> text_operators[] = {
    {"~~", "like"}, {"!~~", "like"}, {"~~*", "ilike"}, {"!~~*", "ilike"}, {"||", "concat"}};

template <class Table> std::string_view find(const Table& table, std::string_view name) {
  for (const auto& [sql, meant] : table)
    if (sql == name) return meant;
  return {};
}

}  // namespace

bool ExpressionBinder::is_text_function(std::string_view name) {
  return !find(text_names, name).empty();
}
bool ExpressionBinder::is_text_operator(std::string_view name) {
  return !find(text_operators, name).empty();
}
std::vector<std::string> ExpressionBinder::text_function_names() {
  std::vector<std::string> names;
  for (const auto& [sql, meant] : text_names)
    if (sql != "btrim" && !sql.ends_with("like_escape")) names.emplace_back(sql);
  return names;
}

// A quoted constant is a string here, whatever stands beside it.
Result<NodeId> ExpressionBinder::text_call(const Syntax& syntax) {
  const bool is_operator = syntax.form == Form::operation;
  const std::string_view name =
      is_operator ? find(text_operators, syntax.name) : find(text_names, syntax.name);
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(const NodeId node,
                    settle(*syntax.inputs[i], inputs[i], Type{penstock::Kind::string}));
    nodes.push_back(node);
  }
  PENSTOCK_ASSIGN(const NodeId node,
                  placed(syntax, builder_.text_function(name, std::move(nodes))));
  const bool negated = syntax.name.starts_with("!") || syntax.name == "not_like_escape";
  return negated ? builder_.unary(Op::not_, node) : Result<NodeId>(node);
}

}  // namespace penstock::sql
