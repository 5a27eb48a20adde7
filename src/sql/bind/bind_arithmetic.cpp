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
  if (!parse_as(type, text)) return wrong(syntax, "'" + text + "' is not a " + name_of(type));
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

// Adds an INTERVAL to a DATE or TIMESTAMP constant by the calendar; the sum is a TIMESTAMP.
Result<Operand> ExpressionBinder::datetime_arithmetic(const Syntax& syntax, const Operand& left,
                                                      const Operand& right) {
  const bool swapped = left.kind == Operand::Kind::interval;
  const Operand &datetime = swapped ? right : left, &span = swapped ? left : right;
  if (datetime.kind != Operand::Kind::node || span.kind != Operand::Kind::interval ||
      (syntax.name != "+" && (syntax.name != "-" || swapped)))
    return refuse(syntax, "this arithmetic with an interval");
  const Type type = builder_.type(datetime.node);
  if (type.kind != Kind::date32 && type.kind != Kind::timestamp)
    return wrong(syntax, "cannot add an INTERVAL to " + name_of(type));
  const std::optional<Scalar> value = constant(datetime.node);
  if (!value)
    return refuse(
        syntax,
        "INTERVAL arithmetic on a column (move it to the constant's side, or add whole days: " +
            std::string("date + 5)"));
  const Type timestamp{Kind::timestamp};
  if (value->is_null) return constant_operand(builder_.literal(Scalar::null_of(timestamp)));
  const std::int64_t days_or_microseconds = static_cast<std::int64_t>(value->integer);
  std::int64_t start = days_or_microseconds;
  if (type.kind == Kind::date32 &&
      __builtin_mul_overflow(days_or_microseconds, microseconds_per_day, &start))
    start = INT64_MAX;
  const std::optional<std::int64_t> sum = add(start, span.interval, syntax.name == "+" ? 1 : -1);
  if (!sum) return wrong(syntax, "the sum leaves the years 1 to 9999");
  return constant_operand(builder_.literal(Scalar::of(timestamp, Int128(*sum))));
}

}  // namespace penstock::sql
