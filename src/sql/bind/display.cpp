#include <algorithm>
#include <array>

#include "column/keywords.hpp"
#include "plan/aggregates.hpp"
#include "sql/parse/lexer.hpp"
#include "sql/parse/syntax.hpp"

namespace penstock::sql {
namespace {

std::string identifier(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
  };
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), plain) &&
                    !(name[0] >= '0' && name[0] <= '9');
  return bare && !column::is_keyword(name) ? std::string(name) : in_quotes(name, '"');
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return text;
}

std::string joined(const std::vector<SyntaxPtr>& inputs, std::size_t first,
                   std::string_view between) {
  std::string result;
  for (std::size_t i = first; i < inputs.size(); i++)
    result.append(i > first ? between : "").append(display(*inputs[i]));
  return result;
}

std::string row(const std::vector<SyntaxPtr>& values) {
  return values.size() == 1 ? display(*values[0]) : "\"row\"(" + joined(values, 0, ", ") + ")";
}

std::string operation(const Syntax& syntax) {
  const std::string& name = syntax.name;
  const auto input = [&](std::size_t i) { return display(*syntax.inputs[i]); };
  static constexpr std::array<std::array<std::string_view, 2>, 4> truths{
      {{"is true", "IS NOT DISTINCT FROM true"},
       {"is not true", "IS DISTINCT FROM true"},
       {"is false", "IS NOT DISTINCT FROM false"},
       {"is not false", "IS DISTINCT FROM false"}}};
  for (const auto& [test, shown] : truths)
    if (name == test) return "(CAST(" + input(0) + " AS BOOLEAN) " + std::string(shown) + ")";
  if (name == "not") return "(NOT " + input(0) + ")";
  if (name == "neg" || name == "pos" || name == "~")
    return std::string("(") +
           (name == "neg"   ? "-"
            : name == "pos" ? "+"
                            : "~") +
           "(" + input(0) + "))";
  if (name == "is null" || name == "is not null") return "(" + input(0) + " " + upper(name) + ")";
  if (name == "between") return "(" + input(0) + " BETWEEN " + input(1) + " AND " + input(2) + ")";
  if (name == "in") return "(" + input(0) + " IN (" + joined(syntax.inputs, 1, ", ") + "))";
  return "(" + joined(syntax.inputs, 0, " " + upper(name) + " ") + ")";
}

// DuckDB's grammar reads INTERVAL '90' DAY as a function call.
std::string interval(const Syntax& syntax) {
  const std::string number = syntax.star ? syntax.name : in_quotes(syntax.name, '\'');
  if (syntax.qualifier.empty()) return "CAST(" + number + " AS INTERVAL)";
  if (syntax.qualifier == "second" || syntax.qualifier == "millisecond")
    return "to_" + syntax.qualifier + "s(CAST(" + number + " AS DOUBLE))";
  const bool wide = syntax.qualifier == "hour" || syntax.qualifier == "minute" ||
                    syntax.qualifier == "microsecond";
  const std::string units = syntax.qualifier == "century"      ? "centuries"
                            : syntax.qualifier == "millennium" ? "millennia"
                                                               : syntax.qualifier + "s";
  return "to_" + units + "(CAST(trunc(CAST(" + number + " AS DOUBLE)) AS " +
         (wide ? "BIGINT" : "INTEGER") + "))";
}

std::string window(const WindowSyntax& over) {
  std::vector<std::string> parts;
  if (!over.partition.empty()) parts.push_back("PARTITION BY " + joined(over.partition, 0, ", "));
  std::string order;
  for (const OrderItem& item : over.order)
    order += (order.empty() ? "ORDER BY " : ", ") + display(*item.value) + item.shown;
  if (!order.empty()) parts.push_back(order);
  if (!over.frame_text.empty()) parts.push_back(over.frame_text);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

std::string function(const Syntax& syntax) {
  std::string text;
  if (syntax.name == "coalesce" || syntax.name == "ifnull")
    text = "COALESCE(" + joined(syntax.inputs, 0, ", ") + ")";
  else if (syntax.name == "count" && syntax.inputs.empty())
    text = syntax.over ? "count()" : "count_star()";
  else
    text = identifier(syntax.name == "btrim" ? "trim"
                                             : syntax.name) +  // as PostgreSQL's parser calls it
           (syntax.distinct ? "(DISTINCT " : "(") +
           joined(syntax.inputs, 0, ", ") + ")";
  if (syntax.filter) text += " FILTER (WHERE " + display(*syntax.filter) + ")";
  return syntax.over ? text + " OVER (" + window(*syntax.over) + ")" : text;
}

}  // namespace

std::string display_name(std::string_view name) { return identifier(name); }

std::string display(const Syntax& syntax) {
  switch (syntax.kind) {
    case SyntaxKind::column:
      return (syntax.qualifier.empty() ? "" : identifier(syntax.qualifier) + ".") +
             identifier(syntax.name);
    case SyntaxKind::star:
      return (syntax.qualifier.empty() ? "" : identifier(syntax.qualifier) + ".") + "*";
    case SyntaxKind::number:
    case SyntaxKind::boolean:
    case SyntaxKind::null: return syntax.name;
    case SyntaxKind::string: return in_quotes(syntax.name, '\'');
    case SyntaxKind::value: return text_of(syntax.scalar);
    case SyntaxKind::interval: return interval(syntax);
    case SyntaxKind::cast:
      return std::string(syntax.is_try ? "TRY_CAST(" : "CAST(") + display(*syntax.inputs[0]) +
             " AS " + syntax.name + ")";
    case SyntaxKind::operation: return operation(syntax);
    case SyntaxKind::case_of: {
      std::string text = "CASE ";
      for (std::size_t i = 0; i + 1 < syntax.inputs.size(); i += 2)
        text += " WHEN (" + display(*syntax.inputs[i]) + ") THEN (" +
                display(*syntax.inputs[i + 1]) + ")";
      return text + " ELSE " + display(*syntax.inputs.back()) + " END";
    }
    case SyntaxKind::function: return function(syntax);
    case SyntaxKind::exists: return "EXISTS(" + display(*syntax.subquery) + ")";
    case SyntaxKind::value_of: return "(" + display(*syntax.subquery) + ")";
    case SyntaxKind::grouping: return "GROUPING(" + joined(syntax.inputs, 0, ", ") + ")";
    case SyntaxKind::in_subquery:
      return "(" + row(syntax.inputs) + " " + syntax.name + " ANY(" + display(*syntax.subquery) +
             "))";
    case SyntaxKind::refused: return "?";
  }
  return {};
}

bool is_aggregate(const Syntax& syntax) {
  if (syntax.kind == SyntaxKind::refused) return !syntax.name.empty();
  return syntax.kind == SyntaxKind::function && !syntax.over &&
         (syntax.user_reduction || plan::aggregate_named(syntax.name));
}

std::vector<SyntaxPtr> parts_of(const Syntax& syntax) {
  std::vector<SyntaxPtr> parts = syntax.inputs;
  if (!syntax.over) return parts;
  parts.insert(parts.end(), syntax.over->partition.begin(), syntax.over->partition.end());
  for (const OrderItem& item : syntax.over->order) parts.push_back(item.value);
  if (syntax.filter) parts.push_back(syntax.filter);
  return parts;
}

bool contains_aggregate(const Syntax& syntax) {
  const std::vector<SyntaxPtr> parts = parts_of(syntax);
  return is_aggregate(syntax) || std::any_of(parts.begin(), parts.end(), [](const SyntaxPtr& i) {
           return contains_aggregate(*i);
         });
}

}  // namespace penstock::sql
