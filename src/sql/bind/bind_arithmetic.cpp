// Binds arithmetic: of numbers beside strings, and of dates with intervals.
#include <tuple>

#include "sql/bind/decimal_quotient.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

Operand constant_operand(NodeId literal) {
  Operand operand;
  operand.node = literal;
  return operand;
}

}  // namespace

// Refuses a string beside a number. It may have no spelling without quotes: 'nan'.
Status ExpressionBinder::combined_string(const Syntax& syntax, const std::string& text,
                                         Type type) const {
  if (!parse_as(type, text))
    return wrong(syntax, "'" + text + "' is not " + with_article(name_of(type)));
  const std::string what = "combining " + name_of(type) + " with a string";
  if (number_literal(text).ok()) return refuse(syntax, what);
  return names_.error(syntax.offset, Code::unsupported,
                      what + " is not supported; write its type: '" + text + "'::" + name_of(type));
}

Result<NodeId> ExpressionBinder::equal_types(const Syntax& syntax, Op op, Operand left,
                                             Operand right) {
  for (const auto& [operand, other, input] :
       {std::tuple(&left, &right, 0), std::tuple(&right, &left, 1)})
    if (const std::optional<Type> type = type_of_operand(*other);
        operand->kind == Operand::Kind::string && type && is_numeric(*type))
      return combined_string(*syntax.inputs[static_cast<std::size_t>(input)], operand->string,
                             *type);
  PENSTOCK_ASSIGN(const NodeId a, coerce(*syntax.inputs[0], left, type_of_operand(right)));
  PENSTOCK_ASSIGN(const NodeId b, coerce(*syntax.inputs[1], right, type_of_operand(left)));
  return located(syntax, builder_.binary(op, a, b));
}

// The quotient of decimals is one, too, where a planner states it. DuckDB's is DOUBLE.
Result<NodeId> ExpressionBinder::cut_quotient(const Syntax& syntax, const Operand& left,
                                              const Operand& right) {
  PENSTOCK_ASSIGN(const NodeId dividend, coerce(*syntax.inputs[0], left, syntax.stated));
  PENSTOCK_ASSIGN(const NodeId divisor, coerce(*syntax.inputs[1], right, syntax.stated));
  return decimal_quotient(builder_, dividend, divisor, *syntax.stated);
}

// Adds an INTERVAL to a DATE or TIMESTAMP by the calendar; the sum is a TIMESTAMP. That of a
// constant is computed here.
Result<Operand> ExpressionBinder::datetime_arithmetic(const Syntax& syntax, const Operand& left,
                                                      const Operand& right) {
  const bool swapped = left.kind == Operand::Kind::interval;
  const Operand &datetime = swapped ? right : left, &span = swapped ? left : right;
  if (datetime.kind != Operand::Kind::node || span.kind != Operand::Kind::interval ||
      (syntax.name != "+" && (syntax.name != "-" || swapped)))
    return refuse(syntax, "this arithmetic with an interval");
  const Type type = builder_.type(datetime.node);
  if (!is_date_or_timestamp(type))
    return wrong(syntax, "cannot add an INTERVAL to " + name_of(type));
  const std::optional<Scalar> value = constant(datetime.node);
  const bool is_added = syntax.name == "+", is_constant = span.is_constant_interval();
  if (!value || !is_constant) {
    PENSTOCK_ASSIGN(const NodeId sum, sum_with_interval(syntax, datetime.node, span, is_added));
    return constant_operand(sum);
  }
  const Type timestamp{Kind::timestamp};
  if (value->is_null) return constant_operand(builder_.literal(Scalar::null_of(timestamp)));
  const std::int64_t days_or_microseconds = static_cast<std::int64_t>(value->integer);
  std::int64_t start = days_or_microseconds;
  if (type.kind == Kind::date32 &&
      __builtin_mul_overflow(days_or_microseconds, microseconds_per_day, &start))
    start = INT64_MAX;
  const std::optional<std::int64_t> sum = add(start, span.interval, is_added ? 1 : -1);
  if (!sum) return wrong(syntax, "the sum leaves the years 1 to 9999");
  return constant_operand(builder_.literal(Scalar::of(timestamp, Int128(*sum))));
}

// Months come first, then days and the time.
Result<NodeId> ExpressionBinder::sum_with_interval(const Syntax& syntax, NodeId datetime,
                                                   const Operand& span, bool is_added) {
  const Interval& interval = span.interval;
  std::int64_t constant_microseconds = 0;
  if (__builtin_mul_overflow(interval.days, microseconds_per_day, &constant_microseconds) ||
      __builtin_add_overflow(constant_microseconds, interval.microseconds, &constant_microseconds))
    return wrong(syntax, "the interval is too long");
  const auto add_part = [&](const char* function, NodeId sum, NodeId part) -> Result<NodeId> {
    if (!is_added) { PENSTOCK_ASSIGN(part, builder_.unary(Op::negate, part)); }
    return located(syntax, builder_.string_function(function, {sum, part}));
  };
  const auto number = [&](std::int64_t value) { return builder_.literal(Scalar::of(value)); };
  PENSTOCK_ASSIGN(NodeId sum, located(syntax, builder_.cast(datetime, Type{Kind::timestamp})));
  if (span.months || interval.months != 0) {
    PENSTOCK_ASSIGN(
        sum, add_part("add_months", sum, span.months ? *span.months : number(interval.months)));
  }
  if (span.days) {
    PENSTOCK_ASSIGN(const NodeId of_days,
                    builder_.binary(Op::multiply, *span.days, number(microseconds_per_day)));
    PENSTOCK_ASSIGN(sum, add_part("add_microseconds", sum, of_days));
  }
  if (span.microseconds || constant_microseconds != 0) {
    PENSTOCK_ASSIGN(
        sum, add_part("add_microseconds", sum,
                      span.microseconds ? *span.microseconds : number(constant_microseconds)));
  }
  return sum;
}

namespace {

struct IntervalUnit {
  std::string_view function;
  std::int64_t months, days, microseconds;  // one of them
};
constexpr IntervalUnit interval_units[] = {{"to_millennia", 12000, 0, 0},
                                           {"to_centuries", 1200, 0, 0},
                                           {"to_decades", 120, 0, 0},
                                           {"to_years", 12, 0, 0},
                                           {"to_quarters", 3, 0, 0},
                                           {"to_months", 1, 0, 0},
                                           {"to_weeks", 0, 7, 0},
                                           {"to_days", 0, 1, 0},
                                           {"to_hours", 0, 0, 3'600'000'000},
                                           {"to_minutes", 0, 0, 60'000'000},
                                           {"to_seconds", 0, 0, 1'000'000},
                                           {"to_milliseconds", 0, 0, 1000},
                                           {"to_microseconds", 0, 0, 1}};

const IntervalUnit* interval_unit(std::string_view function) {
  for (const IntervalUnit& unit : interval_units)
    if (unit.function == function) return &unit;
  return nullptr;
}

}  // namespace

bool ExpressionBinder::is_interval_call(std::string_view name) {
  return interval_unit(name) != nullptr;
}

std::vector<std::string> ExpressionBinder::interval_function_names() {
  std::vector<std::string> names;
  for (const IntervalUnit& unit : interval_units) names.emplace_back(unit.function);
  return names;
}

// to_days(x): an interval of so many units. Fractions of seconds count.
Result<Operand> ExpressionBinder::interval_of(const Syntax& syntax) {
  PENSTOCK_TRY(argument_count(syntax, 1));
  const IntervalUnit& unit = *interval_unit(syntax.name);
  PENSTOCK_ASSIGN(NodeId count, value(*syntax.inputs[0]));
  const std::int64_t factor = unit.months + unit.days + unit.microseconds;
  const Type whole = type_of<std::int64_t>();
  const bool has_fractions = unit.function == "to_seconds" || unit.function == "to_milliseconds";
  if (has_fractions && !is_integer(builder_.type(count))) {
    PENSTOCK_ASSIGN(count, located(syntax, builder_.cast(count, type_of<double>())));
  }
  if (is_float(builder_.type(count))) {
    const NodeId real = builder_.literal(Scalar::of(static_cast<double>(factor)));
    PENSTOCK_ASSIGN(count, builder_.binary(Op::multiply, count, real));
    PENSTOCK_ASSIGN(count, builder_.unary(Op::round, count));
    PENSTOCK_ASSIGN(count, located(syntax, builder_.cast(count, whole)));
  } else {
    PENSTOCK_ASSIGN(count, located(syntax, builder_.cast(count, whole)));
    PENSTOCK_ASSIGN(count, located(syntax, builder_.binary(Op::multiply, count,
                                                           builder_.literal(Scalar::of(factor)))));
  }
  Operand operand;
  operand.kind = Operand::Kind::interval;
  (unit.months != 0 ? operand.months
   : unit.days != 0 ? operand.days
                    : operand.microseconds) = count;
  return operand;
}

}  // namespace penstock::sql
