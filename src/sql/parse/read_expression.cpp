#include <algorithm>
#include <array>

#include "sql/parse/read_select.hpp"

namespace penstock::sql {
namespace {

constexpr int max_levels = 16;           // of subqueries
constexpr int parse_depth_limit = 1050;  // of the binder's recursion: see the lexer's nesting limit

struct Described {
  std::string_view kind, what;
};
constexpr Described refused_nodes[] = {
    {"ParamRef", "a parameter"},
    {"A_ArrayExpr", "an array"},
    {"RowExpr", "a row value"},
    {"A_Indirection", "a subscript or field access"},
    {"CollateClause", "COLLATE"},
    {"XmlExpr", "XML"},
    {"NamedArgExpr", "an argument by its name (name := value)"},
    {"SetToDefault", "DEFAULT"},
    {"CurrentOfExpr", "CURRENT OF"},
    {"XmlSerialize", "XML"},
    {"MultiAssignRef", "an assignment"},
};

// Makes a refused call a placeholder: its parts stay as inputs.
void make_placeholder(Syntax& call) {
  Syntax placeholder;
  placeholder.kind = SyntaxKind::refused;
  placeholder.offset = call.offset;
  if (!call.over && (is_aggregate(call) || is_unsupported_aggregate(call.name)))
    placeholder.name = call.name;
  placeholder.inputs = parts_of(call);
  if (call.filter && !call.over) placeholder.inputs.push_back(call.filter);
  call = std::move(placeholder);
}

}  // namespace

std::int64_t first_location(Tree node) {
  const Tree body = node.body();
  std::int64_t location = body["location"] ? body.location() : -1;
  for (const char* field : {"lexpr", "arg"})
    if (body[field].kind() != "") {
      const std::int64_t inner = first_location(body[field]);
      if (inner >= 0 && (location < 0 || inner < location)) location = inner;
    }
  return location;
}

SyntaxPtr make_syntax(SyntaxKind kind, std::int64_t offset, std::string name,
                      std::vector<SyntaxPtr> inputs) {
  auto syntax = std::make_shared<Syntax>();
  syntax->kind = kind;
  syntax->offset = offset;
  syntax->name = std::move(name);
  syntax->inputs = std::move(inputs);
  return syntax;
}

Result<SyntaxPtr> ExpressionReader::read(Tree node) {
  if (depth_ == parse_depth_limit)
    return error_at(
        lexed_.statement, first_location(node), Code::capacity,
        "the expression nests deeper than " + std::to_string(parse_depth_limit) + " levels here");
  depth_++;
  Result<SyntaxPtr> result = dispatch(node);
  depth_--;
  if (result.ok()) return result;
  PENSTOCK_TRY(passed(result.status()));
  return make_syntax(SyntaxKind::refused, std::max<std::int64_t>(first_location(node), 0), "");
}

Result<SyntaxPtr> ExpressionReader::dispatch(Tree node) {
  const std::string_view kind = node.kind();
  const Tree body = node.body();
  if (kind == "ColumnRef") return column(body);
  if (kind == "A_Const") return constant(body);
  if (kind == "A_Expr") return operation(body);
  if (kind == "BoolExpr") return boolean(body);
  if (kind == "CaseExpr") return case_of(body);
  if (kind == "TypeCast") return cast(body);
  if (kind == "FuncCall") return function(body);
  if (kind == "SubLink") return subquery(body);
  if (kind == "GroupingFunc")
    return over_inputs(SyntaxKind::grouping, "grouping", body.location(), body["args"]);
  if (kind == "CoalesceExpr")
    return over_inputs(SyntaxKind::function, "coalesce", body.location(), body["args"]);
  if (kind == "MinMaxExpr")
    return over_inputs(SyntaxKind::function, body["op"].text() == "IS_LEAST" ? "least" : "greatest",
                       body.location(), body["args"]);
  if (kind == "NullTest" || kind == "BooleanTest") {
    static constexpr std::array<std::array<std::string_view, 2>, 8> tests{
        {{"IS_NULL", "is null"},
         {"IS_NOT_NULL", "is not null"},
         {"IS_TRUE", "is true"},
         {"IS_NOT_TRUE", "is not true"},
         {"IS_FALSE", "is false"},
         {"IS_NOT_FALSE", "is not false"},
         {"IS_UNKNOWN", "is null"},
         {"IS_NOT_UNKNOWN", "is not null"}}};
    const std::string_view type = body[kind == "NullTest" ? "nulltesttype" : "booltesttype"].text();
    PENSTOCK_ASSIGN(SyntaxPtr input, read(body["arg"]));
    for (const auto& [name, operation_name] : tests)
      if (name == type)
        return make_syntax(SyntaxKind::operation, body.location(), std::string(operation_name),
                           {std::move(input)});
  }
  if (kind == "SQLValueFunction")
    return refuse(body.location(),
                  std::string(lexed_.at(body.location()) ? lexed_.text(*lexed_.at(body.location()))
                                                         : "this function"));
  for (const auto& [name, what] : refused_nodes)
    if (name == kind)
      return refuse(std::max<std::int64_t>(first_location(node), 0), std::string(what));
  return refuse(std::max<std::int64_t>(first_location(node), 0),
                "this expression (" + std::string(kind) + ")");
}

// Reads (SELECT ...), EXISTS (SELECT ...), x IN (SELECT ...) and x < ANY or ALL (SELECT ...); the
// parser makes NOT IN a NOT around it.
Result<SyntaxPtr> ExpressionReader::subquery(Tree body) {
  const std::string_view type = body["subLinkType"].text();
  const bool is_all = type == "ALL_SUBLINK", is_compared = is_all || type == "ANY_SUBLINK";
  if (type != "EXISTS_SUBLINK" && type != "EXPR_SUBLINK" && !is_compared) {
    PENSTOCK_TRY(read_body(body["subselect"].as("SelectStmt")));
    return refuse(body.location(), "ARRAY of a subquery");
  }
  auto syntax = std::make_shared<Syntax>();
  syntax->kind = is_compared              ? SyntaxKind::in_subquery
                 : type == "EXPR_SUBLINK" ? SyntaxKind::value_of
                                          : SyntaxKind::exists;
  syntax->offset = body.location();
  if (is_compared) PENSTOCK_TRY(read_compared(body, *syntax));
  const Tree select = body["subselect"].as("SelectStmt");
  if (!select) return refuse(body.location(), "this form of subquery");
  PENSTOCK_ASSIGN(syntax->subquery, nested(select, body.location()));
  if (!is_all) return SyntaxPtr(std::move(syntax));
  return make_syntax(SyntaxKind::operation, body.location(), "not", {std::move(syntax)});
}

// Reads what is compared with each row, by IN, ANY or ALL. As in DuckDB, `x < ALL (...)` becomes
// NOT (x >= ANY (...)).
Status ExpressionReader::read_compared(Tree body, Syntax& syntax) {
  static constexpr struct {
    std::string_view written, name, opposite;
  } comparisons[] = {{"=", "=", "!="},  {"<>", "!=", "="}, {"<", "<", ">="},
                     {"<=", "<=", ">"}, {">", ">", "<="},  {">=", ">=", "<"}};
  const Tree name = body["operName"];
  const std::string text = name ? operator_name(name) : "=";
  const auto row =
      std::ranges::find(comparisons, text, [](const auto& one) { return one.written; });
  if (row == std::end(comparisons))
    return refuse(body.location(), "ANY or ALL with the operator " + text);
  syntax.name = body["subLinkType"].text() == "ALL_SUBLINK" ? row->opposite : row->name;
  PENSTOCK_ASSIGN(syntax.inputs, row_of(body["testexpr"]));
  if (syntax.inputs.size() > 1 && syntax.name != "=")
    return refuse(body.location(), "ANY or ALL of a row value");
  return {};
}

// Returns the values of (a, b), or of any other expression that one.
Result<std::vector<SyntaxPtr>> ExpressionReader::row_of(Tree node) {
  std::vector<SyntaxPtr> values;
  const Tree parts = node["RowExpr"]["args"];
  if (parts.size() == 0) { PENSTOCK_ASSIGN(values.emplace_back(), read(node)); }
  for (std::size_t i = 0; i < parts.size(); i++) {
    PENSTOCK_ASSIGN(values.emplace_back(), read(parts.at(i)));
  }
  return values;
}

Result<std::shared_ptr<const Select>> ExpressionReader::nested(Tree select, std::int64_t offset) {
  if (level_ == max_levels)
    return error_at(lexed_.statement, offset, Code::capacity,
                    "subqueries nest deeper than " + std::to_string(max_levels) + " levels");
  PENSTOCK_ASSIGN(auto part, read_subquery(context_, select, level_ + 1));
  context_.parts.push_back(part);
  return part;
}

Status ExpressionReader::read_body(Tree select) {
  if (!select || level_ >= max_levels) return {};
  return nested(select, 0).status();
}

// Returns how many parts of a name are DuckDB's own schema, and its database.
static std::size_t parts_before_table(Tree fields) {
  const auto is_main = [&](std::size_t i) {
    return lower(fields.at(i).as("String")["sval"].text()) == "main";
  };
  if (fields.size() == 3 && is_main(0)) return 1;
  return fields.size() == 4 && is_main(1) ? 2 : 0;
}

Result<SyntaxPtr> ExpressionReader::column(Tree body) {
  const Tree fields = body["fields"];
  const std::size_t prefix = parts_before_table(fields);
  const std::size_t parts = fields.size() - prefix;
  if (parts > 2) return refuse(body.location(), "a name of more than two parts");
  const bool is_star = parts > 0 && fields.at(fields.size() - 1).kind() == "A_Star";
  if (is_star && fields.size() == 1 && body.location() < 0)  // the parser's own: TABLE t
    return make_syntax(SyntaxKind::star, body.location(), "");
  // The parser folds case and cuts names at 63 bytes; the statement has them whole: name [. name].
  const Token* token = lexed_.at(body.location());
  if (token == nullptr)
    return Status(Code::internal, "a column without a location in the statement");
  if (is_keyword_token(lexed_, *token, "all"))
    return error(body.location(), "ALL stands alone behind GROUP BY or ORDER BY");
  auto syntax = std::make_shared<Syntax>();
  syntax->offset = body.location();
  if (lexed_.tokens.data() + lexed_.tokens.size() - token <
      static_cast<std::ptrdiff_t>(2 * fields.size()) - 1)
    return Status(Code::internal, "a name without its second part");
  token += 2 * prefix;
  if (parts == 2) {
    syntax->qualifier = value_of(lexed_, *token);
    token += 2;
  }
  syntax->kind = is_star ? SyntaxKind::star : SyntaxKind::column;
  if (syntax->kind == SyntaxKind::column) syntax->name = value_of(lexed_, *token);
  return SyntaxPtr(std::move(syntax));
}

Result<SyntaxPtr> ExpressionReader::constant(Tree body) {
  const std::int64_t offset = body.location();
  if (body["isnull"].boolean()) return make_syntax(SyntaxKind::null, offset, "NULL");
  if (body["boolval"])
    return make_syntax(SyntaxKind::boolean, offset,
                       body["boolval"]["boolval"].boolean() ? "true" : "false");
  if (body["sval"])
    return make_syntax(SyntaxKind::string, offset, std::string(body["sval"]["sval"].text()));
  if (body["bsval"]) return refuse(offset, "a bit string");
  if (offset < 0)  // the parser's own: substring(s FOR 2) is substring(s, 1, 2)
    return make_syntax(SyntaxKind::number, offset, std::to_string(body["ival"]["ival"].integer()));
  // The parser folds the sign into a number, -(-(1)) too, and its JSON leaves negative integers
  // out: read the statement.
  bool negative = false;
  const Token* end = lexed_.tokens.data() + lexed_.tokens.size();
  for (const Token* token = lexed_.at(offset); token != nullptr && token != end; token++) {
    if (token->kind == TokenKind::number)
      return make_syntax(SyntaxKind::number, offset,
                         (negative ? "-" : "") + std::string(lexed_.text(*token)));
    if (lexed_.text(*token) == "-")
      negative = !negative;
    else if (lexed_.text(*token) != "(")
      break;
  }
  return Status(Code::internal, "a number without a location in the statement");
}

Result<SyntaxPtr> ExpressionReader::over_inputs(SyntaxKind kind, std::string name,
                                                std::int64_t offset, Tree inputs) {
  std::vector<SyntaxPtr> read_inputs;
  for (std::size_t i = 0; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(SyntaxPtr input, read(inputs.at(i)));
    read_inputs.push_back(std::move(input));
  }
  return make_syntax(kind, offset, std::move(name), std::move(read_inputs));
}

Result<SyntaxPtr> ExpressionReader::case_of(Tree body) {
  SyntaxPtr subject;
  if (body["arg"]) { PENSTOCK_ASSIGN(subject, read(body["arg"])); }
  std::vector<SyntaxPtr> inputs;
  for (std::size_t i = 0; i < body["args"].size(); i++) {
    const Tree when = body["args"].at(i).as("CaseWhen");
    PENSTOCK_ASSIGN(SyntaxPtr condition, read(when["expr"]));
    const std::int64_t offset = condition->offset;
    if (subject)
      condition = make_syntax(SyntaxKind::operation, offset, "=", {subject, std::move(condition)});
    PENSTOCK_ASSIGN(SyntaxPtr value, read(when["result"]));
    inputs.insert(inputs.end(), {std::move(condition), std::move(value)});
  }
  SyntaxPtr otherwise = make_syntax(SyntaxKind::null, body.location(), "NULL");
  if (body["defresult"]) { PENSTOCK_ASSIGN(otherwise, read(body["defresult"])); }
  inputs.push_back(std::move(otherwise));
  return make_syntax(SyntaxKind::case_of, body.location(), "case", std::move(inputs));
}

// EXTRACT(years FROM x): DuckDB prints the units that are keywords of its grammar in one spelling.
SyntaxPtr ExpressionReader::extracted_unit(const Syntax& unit) const {
  static constexpr std::string_view words[][2] = {{"year", "years"},
                                                  {"quarter", "quarters"},
                                                  {"month", "months"},
                                                  {"day", "days"},
                                                  {"hour", "hours"},
                                                  {"minute", "minutes"},
                                                  {"second", "seconds"},
                                                  {"week", "weeks"},
                                                  {"decade", "decades"},
                                                  {"century", "centuries"},
                                                  {"millennium", "millennia"},
                                                  {"milliseconds", "millisecond"},
                                                  {"microseconds", "microsecond"}};
  const Token* token = lexed_.at(unit.offset);
  if (token == nullptr || token->kind != TokenKind::word)
    return make_syntax(SyntaxKind::string, unit.offset, unit.name);
  std::string shown(lexed_.text(*token));
  for (const auto& [name, other] : words)
    if (lower(unit.name) == name || lower(unit.name) == other) {
      shown = name;
      std::ranges::transform(shown, shown.begin(),
                             [](char c) { return static_cast<char>(c - 'a' + 'A'); });
    }
  return make_syntax(SyntaxKind::string, unit.offset, shown);
}

Result<SyntaxPtr> ExpressionReader::function(Tree body) {
  const std::int64_t offset = body.location();
  const Tree names = body["funcname"];
  const std::string name = lower(names.at(names.size() - 1).as("String")["sval"].text());
  if (names.size() > 1 && names.at(0).as("String")["sval"].text() != "pg_catalog")
    return refuse(offset, "a function of a schema");
  if (name == "grouping_id")
    return over_inputs(SyntaxKind::grouping, "grouping", offset, body["args"]);
  PENSTOCK_ASSIGN(SyntaxPtr call,
                  over_inputs(SyntaxKind::function, name == "extract" ? "date_part" : name, offset,
                              body["args"]));
  auto whole = std::make_shared<Syntax>(*call);
  whole->star = body["agg_star"].boolean();
  whole->distinct = body["agg_distinct"].boolean();
  if (name == "extract" && !whole->inputs.empty() && whole->inputs[0]->kind == SyntaxKind::string)
    whole->inputs[0] = extracted_unit(*whole->inputs[0]);
  find_user(*whole);
  const Status refused = refuse_parts(body, name);
  PENSTOCK_TRY(passed(refused));
  PENSTOCK_TRY(read_parts(body, *whole));
  if (!refused.ok()) make_placeholder(*whole);
  return SyntaxPtr(std::move(whole));
}

void ExpressionReader::find_user(Syntax& call) const {
  if (context_.users == nullptr) return;
  const UserFunctions& users = *context_.users;
  if (const auto found = users.functions.find(call.name); found != users.functions.end())
    call.user_function = found->second;
  if (const auto found = users.reductions.find(call.name); found != users.reductions.end())
    call.user_reduction = found->second;
}

// Reads the clauses behind the arguments of a call.
Status ExpressionReader::read_parts(Tree call, Syntax& syntax) {
  if (call["agg_filter"]) { PENSTOCK_ASSIGN(syntax.filter, read(call["agg_filter"])); }
  for (std::size_t i = 0; i < call["agg_order"].size(); i++) {
    PENSTOCK_ASSIGN(OrderItem item, order_item(call["agg_order"].at(i)));
    syntax.inputs.push_back(std::move(item.value));
  }
  if (const Tree over = call["over"]) {
    PENSTOCK_ASSIGN(syntax.over, over["name"] ? named_window(over["name"].text(), over.location())
                                              : window(over));
  }
  return {};
}

bool ExpressionReader::is_function(const std::string& name) const {
  static constexpr std::string_view of_parser[] = {"btrim", "extract", "like_escape"};
  const UserFunctions* const users = context_.users;
  return std::ranges::binary_search(context_.functions, name) ||
         (users != nullptr &&
          (users->functions.contains(name) || users->reductions.contains(name))) ||
         std::ranges::find(of_parser, name) != std::end(of_parser);
}

// Refuses a function by its name before the parts inside of its call: without these parts it would
// be refused, too.
Status ExpressionReader::refuse_parts(Tree call, const std::string& name) const {
  const std::int64_t offset = call.location();
  if (!is_function(name)) {
    if (call["over"]) return refuse(offset, name + " as a window function");
    std::vector<std::string> known(context_.functions.begin(), context_.functions.end());
    if (context_.users != nullptr) {
      for (const auto& [user, function] : context_.users->functions) known.push_back(user);
      for (const auto& [user, reduction] : context_.users->reductions) known.push_back(user);
    }
    return refuse_as(offset, function_not_supported(name, known));
  }
  if (call["agg_order"]) return refuse(offset, "ORDER BY inside " + name);
  const bool is_reduction = context_.users != nullptr && context_.users->reductions.contains(name);
  if (is_reduction && call["agg_distinct"].boolean())
    return refuse(offset, "DISTINCT inside " + name);
  if (call["agg_within_group"].boolean()) return refuse(offset, "WITHIN GROUP");
  if (call["func_variadic"].boolean()) return refuse(offset, "VARIADIC");
  return {};
}

}  // namespace penstock::sql
