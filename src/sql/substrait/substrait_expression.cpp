#include "sql/substrait/substrait_expression.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sql/parse/suggestions.hpp"

namespace penstock::sql {
namespace {

constexpr int expression_depth_limit = 600;

SyntaxPtr operation_of(std::string name, std::vector<SyntaxPtr> inputs) {
  auto syntax = new_syntax(SyntaxKind::operation, std::move(name));
  syntax->inputs = std::move(inputs);
  return syntax;
}

// Producers cut the digits that an integer has no room for. The binder rounds them.
SyntaxPtr cut(SyntaxPtr input, Type from, Type to) {
  if (!is_integer(to) || !(is_float(from) || from.kind == Kind::decimal)) return input;
  auto syntax = new_syntax(SyntaxKind::function, "trunc");
  syntax->inputs = {std::move(input)};
  return syntax;
}

// A cast of few digits to a wide decimal needs few digits: kernels compute with up to 18.
Type narrow(Type to, std::optional<Type> from) {
  constexpr int max_kernel_digits = 18;
  if (to.kind != Kind::decimal || to.precision <= max_kernel_digits || !from) return to;
  const int digits = digits_of(*from) + to.scale;
  return digits <= max_kernel_digits ? Type::decimal(std::max(digits, 1), to.scale) : to;
}

// A number of days is added to a column of dates, too.
SyntaxPtr days_of(const SyntaxPtr& interval) {
  if (interval->kind != SyntaxKind::interval || interval->qualifier != "day") return interval;
  return new_syntax(SyntaxKind::number, interval->name);
}

bool is_pattern(std::string_view name) { return name == "~~" || name == "~~*"; }

// The first place is 1. Planners differ in what places before it are.
bool starts_within(const std::vector<SyntaxPtr>& inputs) {
  return inputs[1]->kind == SyntaxKind::value && inputs[1]->scalar.integer > 0;
}

}  // namespace

std::vector<Tree> inputs_of_substrait(const Tree& expression) {
  const Tree body = expression.body();
  std::vector<Tree> inputs;
  const auto add = [&](const Tree& input) {
    if (input) inputs.push_back(input);
  };
  const auto add_all = [&](const Tree& list) {
    for (std::size_t i = 0; i < list.size(); i++) add(list.at(i));
  };
  for (std::size_t i = 0; i < body["arguments"].size(); i++) add(body["arguments"].at(i)["value"]);
  for (std::size_t i = 0; i < body["ifs"].size(); i++) {
    add(body["ifs"].at(i)["if"]);
    add(body["ifs"].at(i)["then"]);
  }
  add(body["else"]);
  if (expression.kind() == "cast") add(body["input"]);
  if (expression.kind() == "singularOrList") add(body["value"]);
  if (expression.kind() == "singularOrList") add_all(body["options"]);
  add_all(body["partitions"]);
  for (std::size_t i = 0; i < body["sorts"].size(); i++) add(body["sorts"].at(i)["expr"]);
  return inputs;
}

std::int64_t field_of_selection(const Tree& expression) {
  const Tree reference = expression["selection"];
  const Tree field = reference["directReference"]["structField"];
  const bool is_plain =
      field && !field["child"] && !reference["outerReference"] && !reference["expression"];
  return is_plain ? number_of(field["field"]) : -1;
}

std::string untyped_column(std::string_view name) {
  return "the column " + std::string(name) + ", of a type that no expression computes,";
}

std::string_view function_of(const SubstraitPlan& plan, const Tree& call) {
  const auto found = plan.functions.find(number_of(call["functionReference"]));
  return found == plan.functions.end() ? std::string_view() : without_signature(found->second);
}

void add_conjuncts(const SubstraitPlan& plan, const Tree& expression, std::vector<Tree>& parts) {
  // A list in place of recursion: the parts nest on the left.
  std::vector<Tree> open{expression};
  while (!open.empty()) {
    const Tree part = open.back();
    open.pop_back();
    if (function_of(plan, part["scalarFunction"]) != "and") {
      if (part) parts.push_back(part);
      continue;
    }
    const std::vector<Tree> inputs = inputs_of_substrait(part);
    open.insert(open.end(), inputs.rbegin(), inputs.rend());
  }
}

TypedSyntax SubstraitExpressions::read(const Tree& expression, const Columns& columns) {
  if (depth_ == expression_depth_limit) return refused("an expression that nests too deep");
  depth_++;
  TypedSyntax read = dispatch(expression, columns);
  depth_--;
  return read;
}

TypedSyntax SubstraitExpressions::dispatch(const Tree& expression, const Columns& columns) {
  if (const auto found = standing_.find(expression.identity()); found != standing_.end())
    return column(found->second);
  struct Row {
    std::string_view kind;
    TypedSyntax (SubstraitExpressions::*read)(const Tree&, const Columns&);
  };
  static constexpr Row rows[] = {{"selection", &SubstraitExpressions::selection},
                                 {"scalarFunction", &SubstraitExpressions::call},
                                 {"cast", &SubstraitExpressions::cast},
                                 {"ifThen", &SubstraitExpressions::case_of},
                                 {"singularOrList", &SubstraitExpressions::one_of}};
  const std::string_view kind = expression.kind();
  if (kind == "literal") return literal(expression);
  const auto row = std::ranges::find(rows, kind, &Row::kind);
  if (row != std::end(rows)) return (this->*row->read)(expression, columns);
  return refused(kind.empty() ? "an expression of no kind that Substrait's plan tells"
                              : "the expression " + words_of(kind) + " of Substrait's plan");
}

TypedSyntax SubstraitExpressions::refused(const std::string& what) {
  static_cast<void>(problems_.refuse(-1, not_supported(what)));
  return {new_syntax(SyntaxKind::refused, ""), {}};
}

TypedSyntax SubstraitExpressions::column(const SubstraitColumn& column) {
  const bool is_known = column.place < schema_.size();
  const std::string name = is_known ? schema_[column.place].name : "";
  if (!column.type) return refused(untyped_column(name));
  auto syntax = new_syntax(SyntaxKind::column, name);
  syntax->index = column.place;
  return {syntax, column.type};
}

TypedSyntax SubstraitExpressions::selection(const Tree& expression, const Columns& columns) {
  if (expression["selection"]["outerReference"])
    return refused("a subquery that reads columns from outside, in Substrait's plan,");
  const std::int64_t field = field_of_selection(expression);
  if (field < 0) return refused("a part of a nested value");
  if (static_cast<std::uint64_t>(field) < columns.size())
    return column(columns[static_cast<std::size_t>(field)]);
  problems_.pass(Status(Code::invalid, "the plan reads column " + std::to_string(field) + " of " +
                                           std::to_string(columns.size())));
  return {new_syntax(SyntaxKind::refused, ""), {}};
}

TypedSyntax SubstraitExpressions::literal(const Tree& expression) {
  const auto found = literal_of(expression["literal"], plan_.is_datafusion);
  return found ? *found : refused("this literal of Substrait's plan");
}

TypedSyntax SubstraitExpressions::cast(const Tree& expression, const Columns& columns) {
  const Tree body = expression["cast"];
  const std::optional<Type> type = type_of_substrait(body["type"], plan_.is_datafusion);
  const TypedSyntax input = read(body["input"], columns);
  if (!type) return refused("a cast to " + name_of_substrait(body["type"]));
  const Type to = narrow(*type, input.type);
  auto syntax = new_syntax(SyntaxKind::cast, name_of(to));
  syntax->type = to;
  syntax->is_try = body["failureBehavior"].text() == "FAILURE_BEHAVIOR_RETURN_NULL";
  syntax->inputs = {input.type ? cut(input.syntax, *input.type, to) : input.syntax};
  return {syntax, type};
}

// DataFusion has the value of CASE x WHEN ... as a first condition that nothing follows.
TypedSyntax SubstraitExpressions::case_of(const Tree& expression, const Columns& columns) {
  const Tree body = expression["ifThen"], ifs = body["ifs"];
  auto syntax = new_syntax(SyntaxKind::case_of, "");
  SyntaxPtr compared;
  for (std::size_t i = 0; i < ifs.size(); i++) {
    const Tree clause = ifs.at(i);
    if (!clause["if"] || (!clause["then"] && i > 0)) return refused("a CASE that lacks a part");
    const SyntaxPtr condition = read(clause["if"], columns).syntax;
    if (!clause["then"]) {
      compared = condition;
      continue;
    }
    const TypedSyntax value = read(clause["then"], columns);
    if (!syntax->stated) syntax->stated = value.type;
    syntax->inputs.push_back(compared ? operation_of("=", {compared, condition}) : condition);
    syntax->inputs.push_back(value.syntax);
  }
  const TypedSyntax otherwise =
      body["else"] ? read(body["else"], columns)
                   : TypedSyntax{new_syntax(SyntaxKind::null, "NULL"), syntax->stated};
  if (syntax->inputs.empty()) return otherwise;
  if (!syntax->stated) syntax->stated = otherwise.type;
  syntax->inputs.push_back(otherwise.syntax);
  syntax->keeps_digits = true;
  return {syntax, syntax->stated};
}

TypedSyntax SubstraitExpressions::one_of(const Tree& expression, const Columns& columns) {
  std::vector<SyntaxPtr> inputs;
  for (const Tree& input : inputs_of_substrait(expression))
    inputs.push_back(read(input, columns).syntax);
  if (inputs.size() < 2 || !expression["singularOrList"]["value"])
    return refused("a list of values without values");
  return {operation_of("in", std::move(inputs)), Type{Kind::boolean}};
}

std::optional<std::vector<SyntaxPtr>> SubstraitExpressions::inputs_of_call(const Tree& call,
                                                                           const Columns& columns) {
  std::vector<SyntaxPtr> inputs;
  for (std::size_t i = 0; i < call["arguments"].size(); i++) {
    const Tree argument = call["arguments"].at(i);
    if (argument["value"])
      inputs.push_back(read(argument["value"], columns).syntax);
    else if (argument["enum"])  // a part of a date
      inputs.push_back(new_syntax(SyntaxKind::string, std::string(argument["enum"].text())));
    else
      return std::nullopt;
  }
  return inputs;
}

TypedSyntax SubstraitExpressions::call(const Tree& expression, const Columns& columns) {
  const Tree body = expression["scalarFunction"], stated = body["outputType"];
  const std::string name(function_of(plan_, body));
  auto inputs = inputs_of_call(body, columns);
  if (name.empty()) return refused("a function that Substrait's plan does not name");
  const SubstraitFunction* const row = substrait_function(name, plan_.is_datafusion);
  if (!row) return refused("the function " + name + " of Substrait's plan");
  if (!inputs || inputs->size() < row->least || inputs->size() > row->most)
    return refused("the function " + name + " of " + std::to_string(inputs ? inputs->size() : 0) +
                   " values");
  std::optional<Type> type = type_of_substrait(stated, plan_.is_datafusion);
  if (stated && !type) return refused("a value of type " + name_of_substrait(stated));
  if (row->is_condition) type = Type{Kind::boolean};
  return operation_or_call(*row, std::move(*inputs), type);
}

TypedSyntax SubstraitExpressions::operation_or_call(const SubstraitFunction& row,
                                                    std::vector<SyntaxPtr> inputs,
                                                    std::optional<Type> type) {
  std::string name(row.ours);
  SyntaxKind kind = row.kind;
  if (is_pattern(name) && inputs.size() == 3) {
    const bool has_escape = inputs[2]->kind != SyntaxKind::null;
    if (has_escape && name == "~~*") return refused("ILIKE with an escape");
    if (!has_escape) inputs.pop_back();
    if (has_escape) std::tie(name, kind) = std::pair("like_escape", SyntaxKind::function);
  }
  if (name == "substring" && !starts_within(inputs))
    return refused("substring from a place that is no constant above 0");
  if (name == "/" && type && is_integer(*type)) name = "//";
  if (type && type->kind == Kind::date32)
    for (SyntaxPtr& input : inputs) input = days_of(input);
  SyntaxPtr left = inputs[0];  // a chain of two each
  for (std::size_t i = 1; name == "||" && i + 1 < inputs.size(); i++)
    left = operation_of(name, {left, inputs[i]});
  auto syntax = new_syntax(kind, name);
  syntax->inputs = name == "||" ? std::vector{left, inputs.back()} : std::move(inputs);
  syntax->stated = type;
  syntax->keeps_digits = true;
  return {syntax, type};
}

}  // namespace penstock::sql
