// Reads CAST, :: and INTERVAL from the statement, as the parser keeps only PostgreSQL's type names.
#include <algorithm>

#include "expr/type_names.hpp"
#include "sql/parse/read_select.hpp"

namespace penstock::sql {

Result<SyntaxPtr> ExpressionReader::cast(Tree body) {
  const Tree type_name = body["typeName"];
  const std::string_view name =
      type_name["names"].at(type_name["names"].size() - 1).as("String")["sval"].text();
  // true and false parse as 't'::bool in PostgreSQL 14 and before; INTERVAL '1' DAY is a cast of a
  // string.
  const Token* const verb = lexed_.at(body.location());
  const bool is_try = verb != nullptr && is_keyword_token(lexed_, *verb, "try_cast");
  if (name == "interval" && !is_try && body["arg"].as("A_Const")["sval"])
    return interval(body, type_name);
  // A cast of the parser's own has no location: of the 2 in substring(s FOR 2).
  if (body.location() < 0 && type_name.location() < 0) return read(body["arg"]);
  PENSTOCK_ASSIGN(SyntaxPtr input, read(body["arg"]));
  const std::int64_t own = body.location();
  const std::int64_t offset = own >= 0 ? own : std::min(type_name.location(), input->offset);
  return cast_to(type_name, offset, std::move(input));
}

Result<SyntaxPtr> ExpressionReader::interval(Tree body, Tree type_name) {
  const Tree value = body["arg"].as("A_Const");
  const std::int64_t offset = type_name.location();
  auto syntax = std::make_shared<Syntax>();
  syntax->kind = SyntaxKind::interval;
  syntax->offset = offset;
  syntax->name = std::string(value["sval"]["sval"].text());
  if (type_name["typmods"].size() > 0) {
    const Token* unit = lexed_.at(value.location());
    // After a rewritten INTERVAL 90 DAY the string starts one byte before its number.
    if (unit == nullptr) unit = lexed_.at(value.location() + 1);
    if (unit == nullptr || type_name["typmods"].size() > 1)
      return refuse(offset, "this form of INTERVAL");
    unit++;
    if (unit >= lexed_.tokens.data() + lexed_.tokens.size())
      return refuse(offset, "this form of INTERVAL");
    const Token* range = unit + 1;
    const bool ranged = range < lexed_.tokens.data() + lexed_.tokens.size() &&
                        is_keyword_token(lexed_, *range, "to");
    if (unit->kind != TokenKind::word || ranged) return refuse(offset, "this form of INTERVAL");
    syntax->qualifier = lower(lexed_.text(*unit));
    if (syntax->qualifier.ends_with('s')) syntax->qualifier.pop_back();
    if (syntax->qualifier == "centurie") syntax->qualifier = "century";
    if (syntax->qualifier == "millennia") syntax->qualifier = "millennium";
    syntax->star = unit[-1].kind == TokenKind::number;
  }
  return SyntaxPtr(std::move(syntax));
}

Result<SyntaxPtr> ExpressionReader::cast_to(Tree type_name, std::int64_t offset, SyntaxPtr input) {
  // The parser turns FLOAT into PostgreSQL's float8 and INTEGER into int4; the statement says what
  // was meant.
  const Token* token = lexed_.at(type_name.location());
  if (token == nullptr) return refuse(offset, "this cast");
  const std::string written = value_of(lexed_, *token);
  std::optional<Type> type = expr::type_named(written);
  const std::string_view parsed =
      type_name["names"].at(type_name["names"].size() - 1).as("String")["sval"].text();
  if (parsed == "timestamptz") type = expr::type_named(parsed);
  if (type_name["arrayBounds"] || parsed == "timetz" || type_name["setof"].boolean() ||
      type_name["names"].size() > 2 || !type) {
    const std::string array = type_name["arrayBounds"] ? written + "[]" : written;
    return refuse(type_name.location(),
                  "the type " + (parsed == "timetz" ? "TIME WITH TIME ZONE" : array));
  }
  std::vector<std::int64_t> arguments;
  for (std::size_t i = 0; i < type_name["typmods"].size(); i++) {
    const Tree argument = type_name["typmods"].at(i).as("A_Const");
    if (!argument["ival"])
      return error(type_name.location(), "the arguments of " + written + " are not integers");
    arguments.push_back(argument["ival"]["ival"].integer());
  }
  std::string shown = written;
  static constexpr std::string_view grammar_words[] = {
      "integer", "int",     "smallint", "bigint",    "float",   "real", "decimal",
      "dec",     "numeric", "boolean",  "timestamp", "varchar", "time", "interval"};
  const bool double_precision = lower(written) == "double" && parsed == "float8";
  if (token->kind == TokenKind::word &&
      (double_precision || std::find(std::begin(grammar_words), std::end(grammar_words),
                                     lower(written)) != std::end(grammar_words)))
    shown = type->kind == Kind::decimal ? "DECIMAL" : name_of(*type);
  if (type->kind == Kind::decimal) {
    const std::int64_t precision = arguments.empty() ? 18 : arguments[0];
    const std::int64_t scale = arguments.size() > 1 ? arguments[1] : arguments.empty() ? 3 : 0;
    if (arguments.size() > 2 || precision < 1 || precision > 38 || scale < 0 || scale > precision)
      return error(type_name.location(),
                   "DECIMAL takes a precision of 1 to 38 and a scale of 0 to that precision");
    type = Type::decimal(static_cast<int>(precision), static_cast<int>(scale));
    if (arguments.size() == 1) shown += "(" + std::to_string(precision) + ")";
    if (arguments.size() == 2)
      shown += "(" + std::to_string(precision) + ", " + std::to_string(scale) + ")";
  } else if (!arguments.empty()) {
    return refuse(type_name.location(), written + " with a length or precision");
  }
  auto syntax = std::make_shared<Syntax>();
  syntax->kind = SyntaxKind::cast;
  syntax->offset = offset;
  syntax->name = shown;
  syntax->type = *type;
  const Token* verb = lexed_.at(offset);
  syntax->is_try = verb != nullptr && is_keyword_token(lexed_, *verb, "try_cast");
  syntax->inputs = {std::move(input)};
  return SyntaxPtr(std::move(syntax));
}

}  // namespace penstock::sql
