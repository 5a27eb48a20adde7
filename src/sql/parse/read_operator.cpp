// Reads operators: signs, words (BETWEEN, IN, LIKE), and AND, OR and NOT.
#include <algorithm>

#include "sql/parse/read_select.hpp"

namespace penstock::sql {
namespace {

struct Refused {
  std::string_view kind, what;
};

SyntaxPtr negated(SyntaxPtr input, bool negate) {
  if (!negate) return input;
  const std::int64_t offset = input->offset;
  return make_syntax(SyntaxKind::operation, offset, "not", {std::move(input)});
}

}  // namespace

std::string operator_name(Tree name) {
  return std::string(name.at(name.size() - 1).as("String")["sval"].text());
}

Result<SyntaxPtr> ExpressionReader::operation(Tree body) {
  const std::string_view kind = body["kind"].text();
  const std::int64_t offset = body.location();
  if (kind == "AEXPR_OP") {
    const std::string name = operator_name(body["name"]);
    return body["lexpr"] ? binary(body, name) : unary(body, name);
  }
  if (kind == "AEXPR_DISTINCT") return binary(body, "is distinct from");
  if (kind == "AEXPR_NOT_DISTINCT") return binary(body, "is not distinct from");
  if (kind == "AEXPR_NULLIF") {
    PENSTOCK_ASSIGN(SyntaxPtr left, read(body["lexpr"]));
    PENSTOCK_ASSIGN(SyntaxPtr right, read(body["rexpr"]));
    return make_syntax(SyntaxKind::function, offset, "nullif", {std::move(left), std::move(right)});
  }
  if (kind == "AEXPR_BETWEEN") return between(body, false);
  if (kind == "AEXPR_NOT_BETWEEN") return between(body, true);
  if (kind == "AEXPR_IN") return in_list(body);
  if (kind == "AEXPR_SIMILAR") return similar(body, operator_name(body["name"]));
  if (kind == "AEXPR_LIKE" || kind == "AEXPR_ILIKE") return like(body, operator_name(body["name"]));
  static constexpr Refused refused[] = {{"AEXPR_BETWEEN_SYM", "BETWEEN SYMMETRIC"},
                                        {"AEXPR_NOT_BETWEEN_SYM", "BETWEEN SYMMETRIC"},
                                        {"AEXPR_OP_ANY", "ANY"},
                                        {"AEXPR_OP_ALL", "ALL"}};
  for (const auto& [name, what] : refused)
    if (name == kind) return refuse(offset, std::string(what));
  return refuse(offset, "this operator (" + std::string(kind) + ")");
}

// "~", "~*", "!~" and "!~*" are calls of regexp_matches(), as DuckDB prints them.
Result<SyntaxPtr> ExpressionReader::regular(Tree body, std::string_view name) {
  const std::int64_t offset = body.location();
  PENSTOCK_ASSIGN(SyntaxPtr input, read(body["lexpr"]));
  PENSTOCK_ASSIGN(SyntaxPtr pattern, read(body["rexpr"]));
  std::vector<SyntaxPtr> inputs{std::move(input), std::move(pattern)};
  if (name.ends_with("*")) inputs.push_back(make_syntax(SyntaxKind::string, offset, "i"));
  return negated(make_syntax(SyntaxKind::function, offset, "regexp_matches", std::move(inputs)),
                 name.starts_with("!"));
}

// SIMILAR TO is a call of regexp_full_match(): the pattern is RE2's, not that of SQL, as in DuckDB.
// The parser wraps the pattern into a call.
Result<SyntaxPtr> ExpressionReader::similar(Tree body, std::string_view name) {
  const Tree wrapped = body["rexpr"]["FuncCall"]["args"];
  if (wrapped.size() != 1) return refuse(body.location(), "SIMILAR TO with ESCAPE");
  PENSTOCK_ASSIGN(SyntaxPtr input, read(body["lexpr"]));
  PENSTOCK_ASSIGN(SyntaxPtr pattern, read(wrapped.at(0)));
  return negated(make_syntax(SyntaxKind::function, body.location(), "regexp_full_match",
                             {std::move(input), std::move(pattern)}),
                 name.starts_with("!"));
}

Result<SyntaxPtr> ExpressionReader::binary(Tree body, std::string name) {
  if (name == "~" || name == "~*" || name == "!~" || name == "!~*") return regular(body, name);
  if (name == "<>") name = "!=";
  const Token* token = lexed_.at(body.location());
  if (token != nullptr && (name == "%" || name == "^"))
    name = lexed_.text(*token);  // what rewrite() put there: // and **
  static constexpr std::string_view known[] = {"+",
                                               "-",
                                               "*",
                                               "/",
                                               "//",
                                               "%",
                                               "^",
                                               "**",
                                               "&",
                                               "|",
                                               "<<",
                                               ">>",
                                               "||",
                                               "^@",
                                               "=",
                                               "!=",
                                               "<",
                                               "<=",
                                               ">",
                                               ">=",
                                               "is distinct from",
                                               "is not distinct from"};
  if (std::find(std::begin(known), std::end(known), name) == std::end(known))
    return refuse(body.location(), "the operator " + name);
  if (body["lexpr"]["RowExpr"] && (name == "=" || name == "!=")) {
    PENSTOCK_ASSIGN(const auto row, row_of(body["lexpr"]));
    PENSTOCK_ASSIGN(const auto other, row_of(body["rexpr"]));
    PENSTOCK_ASSIGN(SyntaxPtr equal, equal_rows(body.location(), row, other));
    return negated(std::move(equal), name == "!=");
  }
  PENSTOCK_ASSIGN(SyntaxPtr left, read(body["lexpr"]));
  PENSTOCK_ASSIGN(SyntaxPtr right, read(body["rexpr"]));
  return make_syntax(SyntaxKind::operation, body.location(), std::move(name),
                     {std::move(left), std::move(right)});
}

// Rows are equal if all their values are. As in DuckDB, NULLs within rows are equal.
Result<SyntaxPtr> ExpressionReader::equal_rows(std::int64_t offset,
                                               const std::vector<SyntaxPtr>& left,
                                               const std::vector<SyntaxPtr>& right) {
  if (left.size() != right.size())
    return error(offset, "rows of " + std::to_string(left.size()) + " and " +
                             std::to_string(right.size()) + " values are compared");
  std::vector<SyntaxPtr> equal;
  for (std::size_t i = 0; i < left.size(); i++)
    equal.push_back(
        make_syntax(SyntaxKind::operation, offset, "is not distinct from", {left[i], right[i]}));
  if (equal.size() == 1) return equal[0];
  return make_syntax(SyntaxKind::operation, offset, "and", std::move(equal));
}

// The parser gives "~~", "!~~", "~~*" and "!~~*", which DuckDB prints too; an ESCAPE makes the
// pattern a call.
Result<SyntaxPtr> ExpressionReader::like(Tree body, std::string name) {
  PENSTOCK_ASSIGN(SyntaxPtr input, read(body["lexpr"]));
  PENSTOCK_ASSIGN(SyntaxPtr pattern, read(body["rexpr"]));
  if (pattern->kind != SyntaxKind::function || pattern->name != "like_escape")
    return make_syntax(SyntaxKind::operation, body.location(), std::move(name),
                       {std::move(input), std::move(pattern)});
  if (name.ends_with("*")) return refuse(body.location(), "ILIKE with ESCAPE");
  std::vector<SyntaxPtr> inputs{std::move(input)};
  inputs.insert(inputs.end(), pattern->inputs.begin(), pattern->inputs.end());
  return make_syntax(SyntaxKind::function, body.location(),
                     name == "!~~" ? "not_like_escape" : "like_escape", std::move(inputs));
}

Result<SyntaxPtr> ExpressionReader::unary(Tree body, std::string_view name) {
  PENSTOCK_ASSIGN(SyntaxPtr input, read(body["rexpr"]));
  if (name == "-" &&
      input->kind ==
          SyntaxKind::number)  // a negative literal adapts to its surroundings like a positive one
    return make_syntax(SyntaxKind::number, body.location(),
                       input->name.starts_with("-") ? input->name.substr(1) : "-" + input->name);
  if (name == "-" || name == "+" || name == "~")
    return make_syntax(SyntaxKind::operation, body.location(),
                       name == "-"   ? "neg"
                       : name == "+" ? "pos"
                                     : "~",
                       {std::move(input)});
  return refuse(body.location(), "the operator " + std::string(name));
}

Result<SyntaxPtr> ExpressionReader::between(Tree body, bool negate) {
  PENSTOCK_ASSIGN(SyntaxPtr input, read(body["lexpr"]));
  const Tree bounds = body["rexpr"]["List"] ? body["rexpr"]["List"]["items"] : body["rexpr"];
  PENSTOCK_ASSIGN(SyntaxPtr low, read(bounds.at(0)));
  PENSTOCK_ASSIGN(SyntaxPtr high, read(bounds.at(1)));
  return negated(make_syntax(SyntaxKind::operation, body.location(), "between",
                             {std::move(input), std::move(low), std::move(high)}),
                 negate);
}

// A row that is in a list of rows is equal to one of them.
Result<SyntaxPtr> ExpressionReader::in_list(Tree body) {
  PENSTOCK_ASSIGN(std::vector<SyntaxPtr> inputs, row_of(body["lexpr"]));
  const Tree items = body["rexpr"]["List"] ? body["rexpr"]["List"]["items"] : body["rexpr"];
  const bool is_negated = operator_name(body["name"]) == "<>";
  std::vector<SyntaxPtr> equal;
  for (std::size_t i = 0; i < items.size(); i++) {
    if (!body["lexpr"]["RowExpr"]) {
      PENSTOCK_ASSIGN(inputs.emplace_back(), read(items.at(i)));
      continue;
    }
    PENSTOCK_ASSIGN(const auto row, row_of(items.at(i)));
    PENSTOCK_ASSIGN(equal.emplace_back(), equal_rows(body.location(), inputs, row));
  }
  if (equal.size() == 1) return negated(std::move(equal[0]), is_negated);
  const bool is_of_rows = !equal.empty();
  return negated(make_syntax(SyntaxKind::operation, body.location(), is_of_rows ? "or" : "in",
                             std::move(is_of_rows ? equal : inputs)),
                 is_negated);
}

Result<SyntaxPtr> ExpressionReader::boolean(Tree body) {
  const std::string_view op = body["boolop"].text();
  PENSTOCK_ASSIGN(SyntaxPtr whole, over_inputs(SyntaxKind::operation,
                                               op == "AND_EXPR"  ? "and"
                                               : op == "OR_EXPR" ? "or"
                                                                 : "not",
                                               body.location(), body["args"]));
  if (whole->name == "not") return whole;
  auto flat = std::make_shared<Syntax>(*whole);  // as DuckDB: (a AND b) AND c is one AND of three
  flat->inputs.clear();
  for (const SyntaxPtr& input : whole->inputs) {
    const bool same = input->kind == SyntaxKind::operation && input->name == whole->name;
    if (same)
      flat->inputs.insert(flat->inputs.end(), input->inputs.begin(), input->inputs.end());
    else
      flat->inputs.push_back(input);
  }
  return SyntaxPtr(std::move(flat));
}

}  // namespace penstock::sql
