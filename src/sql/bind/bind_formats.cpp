// Functions that write values and dates by a format, and parts of texts by their places.
#include <algorithm>

#include "expr/date_format.hpp"
#include "expr/intervals.hpp"
#include "expr/temporal_casts.hpp"
#include "expr/value_format.hpp"
#include "sql/bind/expression_binder.hpp"
#include "sql/parse/suggestions.hpp"

namespace penstock::sql {

// The format and the date stand in either order. DuckDB formats an instant behind a format in UTC.
Result<NodeId> ExpressionBinder::date_format(const Syntax& syntax) {
  PENSTOCK_TRY(argument_count(syntax, 2));
  const bool is_first = syntax.inputs[0]->kind == SyntaxKind::string;
  const Syntax &format = *syntax.inputs[is_first ? 0 : 1], &date = *syntax.inputs[is_first ? 1 : 0];
  if (std::ranges::any_of(syntax.inputs,
                          [](const SyntaxPtr& input) { return input->kind == SyntaxKind::null; }))
    return builder_.literal(Scalar::null_of(Type{Kind::string}));
  if (format.kind != SyntaxKind::string) return refuse(format, "a format that is not constant");
  PENSTOCK_ASSIGN(NodeId input, value(date));
  if (builder_.type(input) != expr::instant_type)
    return located(syntax, builder_.date_format(input, format.name));
  if (is_first) {
    input = expr::retyped(builder_, input, Type{penstock::Kind::timestamp});
    return located(syntax, builder_.date_format(input, format.name));
  }
  PENSTOCK_TRY(names_.at(format, expr::check_date_format(format.name)));
  PENSTOCK_ASSIGN(const NodeId zone, session_zone_literal(syntax));
  return located(
      syntax, builder_.string_function("format_in_zone",
                                       {input, builder_.literal(Scalar::of(format.name)), zone}));
}

// A format's texts and values are put together by ||. One NULL makes the whole NULL.
Result<NodeId> ExpressionBinder::formatted(const Syntax& syntax) {
  if (syntax.inputs.empty() || syntax.inputs[0]->kind != SyntaxKind::string)
    return refuse(syntax, syntax.name + " with a format that is not constant");
  const std::string& text = syntax.inputs[0]->name;
  const auto parts =
      syntax.name == "format" ? expr::parts_of_format(text) : expr::parts_of_printf(text);
  if (!parts.ok()) return names_.at(syntax, parts.status());
  NodeId all = builder_.literal(Scalar::of(std::string()));
  for (const expr::FormatPart& part : *parts) {
    NodeId node = builder_.literal(Scalar::of(part.text));
    if (part.is_value) {
      if (part.value + 1 >= syntax.inputs.size())
        return wrong(syntax, "the format has more values than the call");
      const Syntax& input = *syntax.inputs[part.value + 1];
      PENSTOCK_ASSIGN(const NodeId value, this->value(input));
      PENSTOCK_ASSIGN(node, formatted_value(input, value, part.text));
    }
    PENSTOCK_ASSIGN(all, builder_.string_function("concat", {all, node}));
  }
  return located(syntax, Result<NodeId>(all));
}

// Returns the letters that a format of the type may end in.
static std::string_view letters_of(Type type) {
  if (is_float(type) || type.kind == penstock::Kind::decimal) return "eEfFgG";
  if (is_integer(type)) return "dxXobeEfFgGs";
  return type.kind == penstock::Kind::boolean ? "dxXobs" : "s";
}

Status ExpressionBinder::check_letter(const Syntax& input, Type type, char letter) {
  const std::string_view letters = letters_of(type);
  if (letter == 0 || letters.find(letter) != letters.npos) return {};
  if (penstock::is_text(type)) return wrong(input, "a format of numbers for a text");
  const std::string what = "the format '" + std::string(1, letter) + "' of " + name_of(type);
  return names_.error(input.offset, Code::unsupported,
                      not_supported(what) + (letters.starts_with('e')
                                                 ? "; there are e, f and g, as in '{:.2f}' and "
                                                   "'%.2f'"
                                                 : ""));
}

// A DECIMAL is written as DOUBLE, and a BOOLEAN by a letter of numbers as 1 or 0, as in DuckDB.
Result<NodeId> ExpressionBinder::formatted_value(const Syntax& input, NodeId value,
                                                 const std::string& format) {
  const Type type = builder_.type(value);
  const auto last = static_cast<unsigned char>(format.empty() ? 0 : format.back());
  const char letter = std::isalpha(last) != 0 ? static_cast<char>(last) : '\0';
  PENSTOCK_TRY(check_letter(input, type, letter));
  const NodeId format_node = builder_.literal(Scalar::of(format));
  if (is_float(type) || type.kind == penstock::Kind::decimal) {
    PENSTOCK_ASSIGN(const NodeId real, builder_.cast(value, type_of<double>()));
    return builder_.string_function("real_by_format", {real, format_node});
  }
  const bool is_plain = format.empty() || format == "s" || format == ">s";
  const bool is_digits = type.kind == penstock::Kind::boolean && letter != 0 && letter != 's';
  if (!is_plain && (is_integer(type) || is_digits) && !(format == "d" && !is_digits)) {
    PENSTOCK_ASSIGN(const NodeId number,
                    located(input, builder_.cast(value, type_of<std::int64_t>())));
    return builder_.string_function("integer_by_format", {number, format_node});
  }
  PENSTOCK_ASSIGN(const NodeId text, builder_.cast_to_string(value));
  return is_plain || format == "d"
             ? Result<NodeId>(text)
             : builder_.string_function("text_by_format", {text, format_node});
}

// text[2] and text[2:4]: characters by their places, from 1, or from the end where they are
// negative.
Result<NodeId> ExpressionBinder::text_part(const Syntax& syntax) {
  if (syntax.inputs.empty()) return argument_count(syntax, 2);
  PENSTOCK_ASSIGN(const NodeId text, value(*syntax.inputs[0]));
  if (is_nested_node(text)) return nested_part(syntax, text);
  if (syntax.inputs.size() < 2 || syntax.inputs.size() > 3)
    return refuse(syntax, "a step of a text's part");
  if (builder_.type(text).kind != penstock::Kind::string)
    return refuse(syntax, "a part of " + name_of(builder_.type(text)));
  PENSTOCK_ASSIGN(const NodeId first, value(*syntax.inputs[1]));
  if (syntax.name == "array_extract")
    return located(syntax, builder_.string_function("character_at", {text, first}));
  PENSTOCK_ASSIGN(const NodeId last, value(*syntax.inputs[2]));
  return located(syntax, builder_.string_function("part_of_text", {text, first, last}));
}

}  // namespace penstock::sql
