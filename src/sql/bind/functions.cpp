// Binds function calls. Most functions of numbers are one row of a table below; functions of dates
// are in bind_dates.cpp, and functions of strings are rows of expr/string_functions.cpp.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "plan/aggregates.hpp"
#include "sql/bind/expression_binder.hpp"
#include "sql/bind/windowing.hpp"

namespace penstock::sql {
namespace {

struct Function {
  std::string_view name;
  Op op;
};
constexpr Function one_argument[] = {
    {"abs", Op::absolute},    {"sqrt", Op::square_root}, {"floor", Op::floor},
    {"ceil", Op::ceiling},    {"ceiling", Op::ceiling},  {"trunc", Op::truncate},
    {"ln", Op::logarithm},    {"log", Op::logarithm10},  {"log10", Op::logarithm10},
    {"exp", Op::exponential}, {"sin", Op::sine},         {"cos", Op::cosine},
    {"tan", Op::tangent}};
constexpr Function two_arguments[] = {
    {"power", Op::power}, {"pow", Op::power}, {"mod", Op::modulo}, {"xor", Op::bit_xor}};
constexpr Function any_arguments[] = {{"coalesce", Op::coalesce},
                                      {"ifnull", Op::coalesce},
                                      {"greatest", Op::greatest},
                                      {"least", Op::least}};
template <class Table> std::optional<Op> find(const Table& table, std::string_view name) {
  for (const Function& row : table)
    if (row.name == name) return row.op;
  return std::nullopt;
}

bool holds(std::string_view name, auto const& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

const std::vector<std::string>& known_functions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = ExpressionBinder::date_function_names();
    all.insert(all.end(), {"round", "sign", "nullif", "if", "error"});
    for (const plan::AggregateRow& row : plan::all_aggregates())
      for (const std::string_view name : row.sql_names)
        if (!name.empty()) all.emplace_back(name);
    for (const Function& row : one_argument) all.emplace_back(row.name);
    for (const Function& row : two_arguments) all.emplace_back(row.name);
    for (const Function& row : any_arguments) all.emplace_back(row.name);
    for (const std::string_view name : Windowing::function_names()) all.emplace_back(name);
    for (std::string& text : ExpressionBinder::string_function_names())
      all.push_back(std::move(text));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }();
  return names;
}

Status ExpressionBinder::argument_count(const Syntax& syntax, std::size_t wanted) const {
  if (syntax.inputs.size() == wanted && !syntax.star) return {};
  return wrong(syntax, syntax.name + " takes " + std::to_string(wanted) +
                           (wanted == 1 ? " argument" : " arguments") + ", not " +
                           (syntax.star ? "*" : std::to_string(syntax.inputs.size())));
}

Result<Operand> ExpressionBinder::function(const Syntax& syntax) {
  if (syntax.over) return wrong(syntax, clause_ + " cannot contain window functions");
  if (is_aggregate(syntax))
    return wrong(syntax, clause_ + " cannot contain aggregates (" + syntax.name + ")");
  if (syntax.filter)
    return wrong(syntax, "FILTER belongs to aggregates; " + syntax.name + " is not one");
  if (syntax.distinct)
    return wrong(syntax, "DISTINCT belongs to aggregates; " + syntax.name + " is not one");
  PENSTOCK_ASSIGN(const NodeId node, located(syntax, call(syntax)));
  Operand operand;
  operand.node = node;
  return operand;
}

Result<NodeId> ExpressionBinder::call(const Syntax& syntax) {
  const std::string& name = syntax.name;
  if (const auto op = find(any_arguments, name)) return variadic(syntax, *op);
  if (is_string_call(syntax)) return string_call(syntax);
  if (name == "nullif") {
    PENSTOCK_TRY(argument_count(syntax, 2));
    PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
    PENSTOCK_ASSIGN(const NodeId equal, comparison(syntax, Op::equal, inputs[0], inputs[1]));
    PENSTOCK_ASSIGN(const NodeId left,
                    coerce(*syntax.inputs[0], inputs[0], type_of_operand(inputs[1])));
    return builder_.select(equal, builder_.literal(Scalar::null_of(builder_.type(left))), left);
  }
  if (name == "if") {
    PENSTOCK_TRY(argument_count(syntax, 3));
    Syntax chosen = syntax;
    chosen.kind = SyntaxKind::case_of;
    PENSTOCK_ASSIGN(const Operand operand, case_of(chosen));
    return operand.node;
  }
  if (is_date_call(name)) return date_call(syntax);
  if (name == "round") return rounded(syntax);
  if (name == "error") return fault(syntax);
  if (name == "sign") return sign(syntax);
  if (const auto op = find(one_argument, name)) {
    PENSTOCK_TRY(argument_count(syntax, 1));
    PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[0]));
    return builder_.unary(*op, input);
  }
  if (const auto op = find(two_arguments, name)) {
    PENSTOCK_TRY(argument_count(syntax, 2));
    PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
    return equal_types(syntax, *op, inputs[0], inputs[1]);
  }
  const bool is_window = holds(name, Windowing::function_names());
  return refuse(syntax, "the function " + name + (is_window ? " without OVER" : ""));
}

// error('text') ends the statement where a row's value is asked for.
Result<NodeId> ExpressionBinder::fault(const Syntax& syntax) {
  PENSTOCK_TRY(argument_count(syntax, 1));
  if (syntax.inputs[0]->kind != SyntaxKind::string)
    return refuse(syntax, "error() of anything but a constant text");
  PENSTOCK_ASSIGN(const NodeId never,
                  builder_.require(builder_.literal(Scalar::of(false)), syntax.inputs[0]->name));
  const Type type = syntax.stated.value_or(type_of<std::int32_t>());
  PENSTOCK_ASSIGN(const NodeId null, builder_.cast(builder_.literal(Scalar::null_of(type)), type));
  return builder_.select(never, null, null);
}

// DuckDB has no round() of unsigned integers: it rounds them as BIGINT where they fit, or as
// HUGEINT.
Result<NodeId> ExpressionBinder::rounded_integer(const Syntax& syntax, NodeId input) {
  const Type type = builder_.type(input);
  if (type.kind == Kind::uint64) return refuse(syntax, "round of UBIGINT, which is HUGEINT,");
  return is_signed(type) ? Result<NodeId>(input) : builder_.cast(input, type_of<std::int64_t>());
}

// Binds round(x) and round(x, digits). A decimal loses digits as in a cast, half away from zero. A
// double is multiplied by a power of ten, rounded and divided, as in DuckDB, unless that overflows.
Result<NodeId> ExpressionBinder::rounded(const Syntax& syntax) {
  if (syntax.inputs.size() == 1) {
    PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[0]));
    return is_integer(builder_.type(input)) ? rounded_integer(syntax, input)
                                            : builder_.unary(Op::round, input);
  }
  PENSTOCK_TRY(argument_count(syntax, 2));
  PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[0]));
  PENSTOCK_ASSIGN(const NodeId digits_node, value(*syntax.inputs[1]));
  const std::optional<Scalar> digits = constant(digits_node);
  if (!digits || digits->is_null || !is_integer(digits->type) || digits->integer < 0 ||
      digits->integer > 18)
    return refuse(*syntax.inputs[1], "round to anything but a constant 0 to 18 digits");
  const Type type = builder_.type(input);
  const int scale = static_cast<int>(digits->integer);
  if (type.kind == Kind::int128) return input;
  if (is_integer(type)) return rounded_integer(syntax, input);
  if (type.kind == Kind::decimal) {
    if (scale >= type.scale) return input;
    if (scale == 0) return builder_.unary(Op::round, input);
    // One digit more than is kept could carry; DuckDB keeps the precision, and so 99.95 to one
    // digit is 100.0 here too.
    return builder_.cast(input, Type::decimal(type.precision, scale));
  }
  if (type.kind != Kind::float64)
    return refuse(syntax, "round to digits of " + name_of(type) + " (cast it to DOUBLE)");
  const NodeId power = builder_.literal(Scalar::of(std::pow(10.0, scale)));
  PENSTOCK_ASSIGN(const NodeId scaled, builder_.binary(Op::multiply, input, power));
  PENSTOCK_ASSIGN(const NodeId whole, builder_.unary(Op::round, scaled));
  PENSTOCK_ASSIGN(const NodeId result, builder_.binary(Op::divide, whole, power));
  PENSTOCK_ASSIGN(const NodeId size, builder_.unary(Op::absolute, result));
  const NodeId infinity = builder_.literal(Scalar::of(std::numeric_limits<double>::infinity()));
  PENSTOCK_ASSIGN(const NodeId finite, builder_.binary(Op::less, size, infinity));
  return builder_.select(finite, result, input);
}

Result<NodeId> ExpressionBinder::sign(const Syntax& syntax) {
  PENSTOCK_TRY(argument_count(syntax, 1));
  PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[0]));
  const Type type = builder_.type(input);
  if (!is_integer(type) && !is_float(type) && type.kind != Kind::decimal)
    return refuse(syntax, "sign of " + name_of(type));
  const auto tiny = [&](int value) {
    return builder_.literal(Scalar::of(static_cast<std::int8_t>(value)));
  };
  PENSTOCK_ASSIGN(const NodeId below, builder_.binary(Op::less, input, tiny(0)));
  PENSTOCK_ASSIGN(NodeId above, builder_.binary(Op::greater, input, tiny(0)));
  if (is_float(type)) {  // NaN is above infinity, and its sign is 0
    const NodeId infinity = builder_.literal(Scalar::of(std::numeric_limits<double>::infinity()));
    PENSTOCK_ASSIGN(const NodeId is_number, builder_.binary(Op::less_equal, input, infinity));
    PENSTOCK_ASSIGN(above, builder_.binary(Op::and_, above, is_number));
  }
  PENSTOCK_ASSIGN(const NodeId not_above, builder_.select(below, tiny(-1), tiny(0)));
  PENSTOCK_ASSIGN(const NodeId chosen, builder_.select(above, tiny(1), not_above));
  PENSTOCK_ASSIGN(const NodeId missing, builder_.unary(Op::is_null, input));
  PENSTOCK_ASSIGN(
      const NodeId null_or,
      builder_.select(missing, builder_.literal(Scalar::null_of(type_of<std::int8_t>())), chosen));
  return builder_.cast(null_or, type_of<std::int8_t>());
}

}  // namespace penstock::sql
