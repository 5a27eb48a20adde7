// Binds functions of instants, times and intervals: their parts, and time zones.
#include <algorithm>
#include <array>

#include "expr/intervals.hpp"
#include "expr/temporal_casts.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {
namespace {

using expr::instant_type, expr::interval_type, expr::time_type;

constexpr Type timestamp{penstock::Kind::timestamp};
constexpr std::int64_t hour_microseconds = 3'600'000'000;

}  // namespace

// The name of the session's zone; an error where it cannot be read.
Result<NodeId> ExpressionBinder::session_zone_literal(const Syntax& syntax) {
  const Result<const expr::TimeZone*> zone = expr::session_time_zone();
  if (!zone.ok()) return names_.at(syntax, zone.status());
  return builder_.literal(Scalar::of((*zone)->name()));
}

Result<NodeId> ExpressionBinder::converted(const Syntax& syntax, NodeId value, Type type) {
  return located(syntax, expr::cast_value_to(builder_, value, type));
}

// An instant as the clocks of the session's zone show it; any other value as it is.
Result<NodeId> ExpressionBinder::local_moment(const Syntax& syntax, NodeId value) {
  if (builder_.type(value) != instant_type) return value;
  return located(syntax, expr::local_of_instant(builder_, value));
}

Result<NodeId> ExpressionBinder::zone_call(const Syntax& syntax) {
  if (syntax.name == "make_timestamptz") return instant_of_parts(syntax);
  if (syntax.name == "age") return age(syntax);
  if (syntax.name == "date_add") return moved_date(syntax);
  return at_time_zone(syntax);
}

// timezone('Europe/Berlin', x), which x AT TIME ZONE 'Europe/Berlin' is; timezone(x) is an offset.
Result<NodeId> ExpressionBinder::at_time_zone(const Syntax& syntax) {
  if (syntax.inputs.size() == 1) {
    PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[0]));
    return builder_.type(input) == time_type ? part_of_time(syntax, "timezone", input)
                                             : part_of_instant(syntax, "timezone", input);
  }
  PENSTOCK_TRY(argument_count(syntax, 2));
  if (syntax.inputs[0]->kind != SyntaxKind::string)
    return refuse(*syntax.inputs[0], "a time zone that is not a constant name");
  const Result<const expr::TimeZone*> zone = expr::time_zone(syntax.inputs[0]->name);
  if (!zone.ok()) return names_.at(*syntax.inputs[0], zone.status());
  PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[1]));
  const Type type = builder_.type(input);
  if (type == instant_type) return located(syntax, expr::local_in(builder_, input, **zone));
  if (is_date_or_timestamp(type)) return located(syntax, expr::instant_in(builder_, input, **zone));
  return wrong(syntax, "a time zone belongs to a timestamp, not to " + name_of(type));
}

Result<NodeId> ExpressionBinder::instant_of_parts(const Syntax& syntax) {
  if (syntax.inputs.size() == 1) {
    PENSTOCK_ASSIGN(const NodeId count, value(*syntax.inputs[0]));
    PENSTOCK_ASSIGN(
        const NodeId moment,
        located(syntax, builder_.string_function("timestamp_of_microseconds", {count})));
    return expr::retyped(builder_, moment, instant_type);
  }
  const bool has_zone = syntax.inputs.size() == 7;
  if (!has_zone) PENSTOCK_TRY(argument_count(syntax, 6));
  std::vector<NodeId> parts;
  for (std::size_t i = 0; i < 6; i++) {
    PENSTOCK_ASSIGN(parts.emplace_back(), value(*syntax.inputs[i]));
  }
  if (has_zone && syntax.inputs[6]->kind != SyntaxKind::string)
    return refuse(*syntax.inputs[6], "a time zone that is not a constant name");
  if (has_zone) {
    const Result<const expr::TimeZone*> zone = expr::time_zone(syntax.inputs[6]->name);
    if (!zone.ok()) return names_.at(*syntax.inputs[6], zone.status());
    parts.push_back(builder_.literal(Scalar::of((*zone)->name())));
  } else {
    PENSTOCK_ASSIGN(parts.emplace_back(), session_zone_literal(syntax));
  }
  return located(syntax, builder_.string_function("instant_of_parts", std::move(parts)));
}

// age(a, b): from b to a.
Result<NodeId> ExpressionBinder::age(const Syntax& syntax) {
  if (syntax.inputs.size() == 1) return refuse(syntax, "age() from the present day");
  PENSTOCK_TRY(argument_count(syntax, 2));
  std::vector<NodeId> moments;
  for (const SyntaxPtr& input : syntax.inputs) {
    PENSTOCK_ASSIGN(const NodeId moment, value(*input));
    PENSTOCK_ASSIGN(moments.emplace_back(), local_moment(syntax, moment));
  }
  return located(syntax, builder_.string_function("interval_of_age", {moments[1], moments[0]}));
}

// The offset of an instant by the session's zone, or a part of it.
Result<NodeId> ExpressionBinder::part_of_instant(const Syntax& syntax, std::string_view part,
                                                 NodeId instant) {
  if (builder_.type(instant) != instant_type)
    return refuse(syntax, "the date part '" + std::string(part) + "'");
  PENSTOCK_ASSIGN(const NodeId zone, session_zone_literal(syntax));
  PENSTOCK_ASSIGN(const NodeId offset,
                  located(syntax, builder_.string_function("zone_offset", {instant, zone})));
  const auto number = [&](std::int64_t value) { return builder_.literal(Scalar::of(value)); };
  if (part == "timezone") return offset;
  if (part == "timezone_hour") return divided(offset, 3600);
  PENSTOCK_ASSIGN(const NodeId rest, builder_.binary(Op::modulo, offset, number(3600)));
  return divided(rest, 60);
}

// A time of 24:00 has hour 24. Smaller parts are those of a timestamp.
Result<NodeId> ExpressionBinder::part_of_time(const Syntax& syntax, std::string_view part,
                                              NodeId time) {
  const NodeId moment = expr::retyped(builder_, time, timestamp);
  if (part == "epoch") return epoch(moment);
  if (part.starts_with("timezone")) {
    PENSTOCK_ASSIGN(const NodeId count, builder_.unary(Op::epoch_microseconds, moment));
    return builder_.binary(Op::multiply, count, builder_.literal(Scalar::of(std::int64_t{0})));
  }
  if (part == "hour") {
    PENSTOCK_ASSIGN(const NodeId count, builder_.unary(Op::epoch_microseconds, moment));
    return divided(count, hour_microseconds);
  }
  for (const auto& [name, op] :
       {std::pair("minute", Op::minute), std::pair("second", Op::second),
        std::pair("millisecond", Op::millisecond), std::pair("microsecond", Op::microsecond)})
    if (part == name) return builder_.unary(op, moment);
  return refuse(syntax, "the date part '" + std::string(part) + "' of TIME");
}

Result<NodeId> ExpressionBinder::part_of_interval(const Syntax& syntax, std::string_view part,
                                                  NodeId interval) {
  if (part == "epoch")
    return located(syntax, builder_.string_function("interval_seconds", {interval}));
  if (!expr::part_of_interval({}, part))
    return refuse(syntax, "the date part '" + std::string(part) + "' of INTERVAL");
  return located(syntax,
                 builder_.string_function(
                     "interval_part", {builder_.literal(Scalar::of(std::string(part))), interval}));
}

// Microseconds since 1970, since midnight, or of an interval.
Result<NodeId> ExpressionBinder::count_of_microseconds(const Syntax& syntax, NodeId value) {
  const Type type = builder_.type(value);
  if (type == interval_type)
    return located(syntax, builder_.string_function("interval_microseconds", {value}));
  if (type == time_type || type == instant_type)
    return builder_.unary(Op::epoch_microseconds, expr::retyped(builder_, value, timestamp));
  return builder_.unary(Op::epoch_microseconds, value);
}

// The start of a unit by the session's clocks. A minute or less keeps the offset of an instant that
// clocks show twice, and an hour or more has the later one.
Result<NodeId> ExpressionBinder::start_of_instant(const Syntax& syntax, Op start, NodeId instant) {
  const Result<const expr::TimeZone*> zone = expr::session_time_zone();
  if (!zone.ok()) return names_.at(syntax, zone.status());
  const bool is_minute = start == Op::start_of_minute;
  const bool is_short = start == Op::start_of_second || start == Op::start_of_millisecond;
  if (is_short || (*zone)->is_utc()) {
    PENSTOCK_ASSIGN(const NodeId begin,
                    builder_.unary(start, expr::retyped(builder_, instant, timestamp)));
    return expr::retyped(builder_, begin, instant_type);
  }
  if (is_minute)
    return located(
        syntax, builder_.string_function("start_of_minute_in_zone",
                                         {instant, builder_.literal(Scalar::of((*zone)->name()))}));
  PENSTOCK_ASSIGN(const NodeId local, expr::local_in(builder_, instant, **zone));
  PENSTOCK_ASSIGN(const NodeId begin, builder_.unary(start, local));
  return located(syntax, expr::instant_in(builder_, begin, **zone));
}

Result<NodeId> ExpressionBinder::microseconds_between(NodeId from, NodeId to) {
  PENSTOCK_ASSIGN(const NodeId first, builder_.unary(Op::epoch_microseconds, from));
  PENSTOCK_ASSIGN(const NodeId last, builder_.unary(Op::epoch_microseconds, to));
  return builder_.binary(Op::subtract, last, first);
}

// Counts boundaries of hours and smaller units, in microseconds: clocks say where they are, and
// instants how many lie between.
Result<NodeId> ExpressionBinder::instant_difference(const Syntax& syntax, Op start, NodeId from,
                                                    NodeId to) {
  std::array starts{from, to};
  for (NodeId& moment : starts) {
    const bool is_whole = start == Op::cast;  // of a microsecond
    if (!is_whole) { PENSTOCK_ASSIGN(moment, start_of_instant(syntax, start, moment)); }
    moment = expr::retyped(builder_, moment, timestamp);
  }
  return microseconds_between(starts[0], starts[1]);
}

}  // namespace penstock::sql
