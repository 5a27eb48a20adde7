// Binds time_bucket().
#include "expr/intervals.hpp"
#include "expr/temporal_casts.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

// A Monday, and a first of January: where buckets of time and of months begin.
constexpr std::int64_t first_monday = 10'959 * microseconds_per_day,
                       first_month = 10'957 * microseconds_per_day;

}  // namespace

// The start of the bucket of a width that a timestamp lies in, from an origin on.
Result<NodeId> ExpressionBinder::bucket_of(const Syntax& syntax, const Interval& width,
                                           NodeId timestamp, std::optional<NodeId> origin) {
  const bool is_months = width.months != 0;
  const std::int64_t size =
      is_months ? width.months : width.days * microseconds_per_day + width.microseconds;
  if (size <= 0) return wrong(syntax, "a bucket of time has a positive width");
  const NodeId first = builder_.literal(
      Scalar::of(Type{penstock::Kind::timestamp}, Int128{is_months ? first_month : first_monday}));
  return located(syntax, builder_.string_function(is_months ? "month_bucket" : "microsecond_bucket",
                                                  {timestamp, builder_.literal(Scalar::of(size)),
                                                   origin.value_or(first)}));
}

// time_bucket(width, moment [, origin | offset | zone]): the width is a constant of months, or of
// days and time. Buckets of instants are those of UTC, unless there is a zone.
Result<NodeId> ExpressionBinder::time_bucket(const Syntax& syntax) {
  if (syntax.inputs.size() < 2 || syntax.inputs.size() > 3) return argument_count(syntax, 2);
  PENSTOCK_ASSIGN(const Operand width, bind(*syntax.inputs[0]));
  const Interval& interval = width.interval;
  const bool has_time = interval.days != 0 || interval.microseconds != 0;
  if (!width.is_constant_interval() || (interval.months != 0) == has_time)
    return refuse(syntax, "time_bucket() of anything but a constant interval of months or of time");
  PENSTOCK_ASSIGN(NodeId input, value(*syntax.inputs[1]));
  const Type type = builder_.type(input), timestamp{penstock::Kind::timestamp};
  const bool has_zone = syntax.inputs.size() == 3 && syntax.inputs[2]->kind == SyntaxKind::string;
  if (type == expr::instant_type && has_zone) return bucket_in_zone(syntax, interval, input);
  if (type == expr::instant_type || type == expr::time_type)
    input = expr::retyped(builder_, input, timestamp);
  if (!is_date_or_timestamp(builder_.type(input)))
    return wrong(syntax, "time_bucket takes a DATE or a TIMESTAMP, not " + name_of(type));
  const auto as_given = [&](Result<NodeId> start) -> Result<NodeId> {
    if (!start.ok()) return start;
    return type.logical != LogicalType::none ? expr::retyped(builder_, *start, type)
                                             : builder_.cast(*start, type);
  };
  if (syntax.inputs.size() == 2 || type == expr::time_type)
    return as_given(bucket_of(syntax, interval, input, std::nullopt));
  PENSTOCK_ASSIGN(NodeId origin, value(*syntax.inputs[2]));
  if (builder_.type(origin) == expr::interval_type) {
    PENSTOCK_ASSIGN(input, builder_.string_function("minus_interval", {input, origin}));
    PENSTOCK_ASSIGN(const NodeId start, bucket_of(syntax, interval, input, std::nullopt));
    return as_given(located(syntax, builder_.string_function("plus_interval", {start, origin})));
  }
  PENSTOCK_ASSIGN(origin, converted(syntax, origin, type));
  if (type == expr::instant_type) origin = expr::retyped(builder_, origin, timestamp);
  return as_given(bucket_of(syntax, interval, input, origin));
}

Result<NodeId> ExpressionBinder::bucket_in_zone(const Syntax& syntax, const Interval& width,
                                                NodeId instant) {
  const Result<const expr::TimeZone*> zone = expr::time_zone(syntax.inputs[2]->name);
  if (!zone.ok()) return names_.at(*syntax.inputs[2], zone.status());
  PENSTOCK_ASSIGN(const NodeId local, located(syntax, expr::local_in(builder_, instant, **zone)));
  PENSTOCK_ASSIGN(const NodeId start, bucket_of(syntax, width, local, std::nullopt));
  return located(syntax, expr::instant_in(builder_, start, **zone));
}

}  // namespace penstock::sql
