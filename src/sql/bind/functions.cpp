// Binds function calls. Most functions of numbers are one row of a table below; functions of dates
// are in bind_dates.cpp, and functions of strings are rows of expr/string_functions.cpp.
#include <algorithm>
#include <limits>

#include "expr/intervals.hpp"
#include "expr/nested_functions.hpp"
#include "expr/operation.hpp"
#include "expr/temporal_casts.hpp"
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
constexpr Function two_arguments[] = {{"power", Op::power},       {"pow", Op::power},
                                      {"mod", Op::modulo},        {"xor", Op::bit_xor},
                                      {"add", Op::add},           {"subtract", Op::subtract},
                                      {"multiply", Op::multiply}, {"divide", Op::integer_divide}};
constexpr Function any_arguments[] = {{"coalesce", Op::coalesce},
                                      {"ifnull", Op::coalesce},
                                      {"greatest", Op::greatest},
                                      {"least", Op::least}};
// Functions that other operations make.
constexpr std::string_view composed_functions[] = {
    "pi", "degrees", "radians", "isnan", "isinf", "isfinite", "fmod", "constant_or_null"};
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
    for (std::string& name : ExpressionBinder::interval_function_names())
      all.push_back(std::move(name));
    all.insert(all.end(), {"round", "sign", "nullif", "if", "error", "format", "printf"});
    all.insert(all.end(), std::begin(composed_functions), std::end(composed_functions));
    for (const plan::AggregateRow& row : plan::all_aggregates())
      for (const std::string_view name : row.sql_names)
        if (!name.empty()) all.emplace_back(name);
    for (const Function& row : one_argument) all.emplace_back(row.name);
    for (const Function& row : two_arguments) all.emplace_back(row.name);
    for (const Function& row : any_arguments) all.emplace_back(row.name);
    for (const std::string_view name : Windowing::function_names()) all.emplace_back(name);
    for (std::string& name : ExpressionBinder::nested_function_names())
      all.push_back(std::move(name));
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
  if (is_interval_call(syntax.name)) return interval_of(syntax);
  PENSTOCK_ASSIGN(const NodeId node, located(syntax, call(syntax)));
  Operand operand;
  operand.node = node;
  return operand;
}

Result<NodeId> ExpressionBinder::call(const Syntax& syntax) {
  const std::string& name = syntax.name;
  if (syntax.user_function) return user_call(syntax);
  if (const auto op = find(any_arguments, name)) return variadic(syntax, *op);
  const bool is_round_even = name == "round_even" || name == "roundbankers";
  if (is_string_call(syntax) && !is_round_even) return string_call(syntax);
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
  if (name == "format" || name == "printf") return formatted(syntax);
  if (name == "fmod") return floor_modulo(syntax);
  if (name == "constant_or_null") return constant_or_null(syntax);
  if (holds(name, composed_functions)) return composed(syntax);
  if (name == "array_slice" || name == "array_extract") return text_part(syntax);
  if (expr::is_nested_function(name)) return nested_call(syntax);
  if (has_lambda(syntax)) return lambda_call(syntax);
  const bool has_digits = syntax.inputs.size() == 2;
  if (has_digits && (name == "trunc" || name == "round_even" || name == "roundbankers"))
    return rounded_digits(syntax);
  if (has_digits && name == "log") {
    PENSTOCK_ASSIGN(const NodeId base, value(*syntax.inputs[0]));
    PENSTOCK_ASSIGN(const NodeId of_base, builder_.unary(Op::logarithm10, base));
    PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[1]));
    PENSTOCK_ASSIGN(const NodeId of_input, builder_.unary(Op::logarithm10, input));
    return builder_.binary(Op::divide, of_input, of_base);
  }
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

Result<NodeId> ExpressionBinder::user_call(const Syntax& syntax) {
  const CustomFunction& function = *syntax.user_function;
  PENSTOCK_TRY(argument_count(syntax, function.parameter_types.size()));
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < syntax.inputs.size(); i++) {
    PENSTOCK_ASSIGN(nodes.emplace_back(),
                    user_argument(*syntax.inputs[i], function.parameter_types[i], function.name,
                                  " as " + function.parameter_names[i]));
  }
  return builder_.custom(syntax.user_function, std::move(nodes));
}

// Binds an argument of a user's function and casts it; a string literal becomes of the type.
Result<NodeId> ExpressionBinder::user_argument(const Syntax& syntax, Type type,
                                               const std::string& function,
                                               const std::string& place) {
  PENSTOCK_ASSIGN(const Operand operand, bind(syntax));
  PENSTOCK_ASSIGN(const NodeId node, coerce(syntax, operand, type));
  const Type from = builder_.type(node);
  const Result<NodeId> converted = builder_.cast(node, type);
  if (!converted.ok() || from.logical != LogicalType::none)
    return wrong(syntax, function + " takes " + name_of(type) + place + ", not " + name_of(from));
  return located(syntax, converted);
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

namespace {

constexpr double pi = 3.14159265358979323846, half_turn_degrees = 180;

}  // namespace

// NaN is above infinity.
Result<NodeId> ExpressionBinder::composed(const Syntax& syntax) {
  const std::string& name = syntax.name;
  PENSTOCK_TRY(argument_count(syntax, name == "pi" ? 0 : 1));
  const auto real = [&](double number) { return builder_.literal(Scalar::of(number)); };
  if (name == "pi") return real(pi);
  PENSTOCK_ASSIGN(NodeId input, value(*syntax.inputs[0]));
  if (builder_.type(input) == expr::instant_type)
    input = expr::retyped(builder_, input, Type{penstock::Kind::timestamp});
  const Type type = builder_.type(input);
  if (name == "degrees" || name == "radians") {
    if (!is_numeric(type)) return refuse(syntax, name + " of " + name_of(type));
    PENSTOCK_ASSIGN(const NodeId angle, builder_.cast(input, type_of<double>()));
    return builder_.binary(
        Op::multiply, angle,
        real(name == "degrees" ? half_turn_degrees / pi : pi / half_turn_degrees));
  }
  const bool is_time = is_date_or_timestamp(type);
  if (!is_float(type) && (!is_time || name == "isnan"))
    return refuse(syntax, name + " of " + name_of(type));
  const auto infinity = [&](int sign) {
    if (!is_time) return real(sign * std::numeric_limits<double>::infinity());
    const std::int64_t count =
        type.kind == Kind::date32 ? expr::infinite_days : expr::infinite_microseconds;
    return builder_.literal(Scalar::of(type, Int128{sign * count}));
  };
  if (name == "isnan") return builder_.binary(Op::greater, input, infinity(1));
  const bool is_finite = name == "isfinite";
  PENSTOCK_ASSIGN(const NodeId above,
                  builder_.binary(is_finite ? Op::less : Op::equal, input, infinity(1)));
  PENSTOCK_ASSIGN(const NodeId below,
                  builder_.binary(is_finite ? Op::greater : Op::equal, input, infinity(-1)));
  return builder_.binary(is_finite ? Op::and_ : Op::or_, above, below);
}

// x - y * floor(x / y), which has the sign of y.
Result<NodeId> ExpressionBinder::floor_modulo(const Syntax& syntax) {
  PENSTOCK_TRY(argument_count(syntax, 2));
  PENSTOCK_ASSIGN(NodeId x, value(*syntax.inputs[0]));
  PENSTOCK_ASSIGN(NodeId y, value(*syntax.inputs[1]));
  PENSTOCK_ASSIGN(x, located(syntax, builder_.cast(x, type_of<double>())));
  PENSTOCK_ASSIGN(y, located(syntax, builder_.cast(y, type_of<double>())));
  PENSTOCK_ASSIGN(const NodeId quotient, builder_.binary(Op::divide, x, y));
  PENSTOCK_ASSIGN(const NodeId whole, builder_.unary(Op::floor, quotient));
  PENSTOCK_ASSIGN(const NodeId product, builder_.binary(Op::multiply, y, whole));
  return builder_.binary(Op::subtract, x, product);
}

// DuckDB writes it for an expression that is a constant of all rows without a NULL.
Result<NodeId> ExpressionBinder::constant_or_null(const Syntax& syntax) {
  PENSTOCK_ASSIGN(const std::vector<Operand> inputs, operands(syntax));
  if (inputs.empty()) return argument_count(syntax, 2);
  PENSTOCK_ASSIGN(const NodeId constant, coerce(*syntax.inputs[0], inputs[0], syntax.stated));
  std::optional<NodeId> is_missing;
  for (std::size_t i = 1; i < inputs.size(); i++) {
    PENSTOCK_ASSIGN(const NodeId input, coerce(*syntax.inputs[i], inputs[i]));
    PENSTOCK_ASSIGN(NodeId is_null, builder_.unary(Op::is_null, input));
    if (is_missing) { PENSTOCK_ASSIGN(is_null, builder_.binary(Op::or_, *is_missing, is_null)); }
    is_missing = is_null;
  }
  if (!is_missing) return constant;
  return builder_.select(*is_missing, builder_.literal(Scalar::null_of(builder_.type(constant))),
                         constant);
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
