// Binds functions of dates and timestamps. DuckDB's names of parts are one table.
#include <algorithm>
#include <array>

#include "expr/calendar.hpp"
#include "expr/intervals.hpp"
#include "expr/operation_row.hpp"
#include "expr/temporal_casts.hpp"
#include "sql/bind/expression_binder.hpp"

namespace penstock::sql {

struct DatePart {
  std::string_view names;  // the first one is a function, too, unless there is another for it
  Op part, start;          // of date_part() and of date_trunc()
};

namespace {

// A start of a microsecond: nothing is cut off.
constexpr Op whole = Op::cast;

constexpr DatePart date_parts[] = {
    {"year years yr yrs y", Op::year, Op::start_of_year},
    {"quarter quarters", Op::quarter, Op::start_of_quarter},
    {"month months mon mons", Op::month, Op::start_of_month},
    {"day days d dayofmonth", Op::day, Op::start_of_day},
    {"dow dayofweek weekday", Op::day_of_week, Op::start_of_day},
    {"isodow", Op::iso_day_of_week, Op::start_of_day},
    {"doy dayofyear", Op::day_of_year, Op::start_of_day},
    {"week weeks w weekofyear", Op::week, Op::start_of_week},
    {"yearweek", Op::year_week, Op::start_of_week},
    {"isoyear", Op::iso_year, Op::start_of_iso_year},
    {"decade decades dec decs", Op::decade, Op::start_of_decade},
    {"century centuries cent c", Op::century, Op::start_of_century},
    {"millennium millennia millenium mil mils", Op::millennium, Op::start_of_millennium},
    {"hour hours hr hrs h", Op::hour, Op::start_of_hour},
    {"minute minutes min mins m", Op::minute, Op::start_of_minute},
    {"second seconds sec secs s", Op::second, Op::start_of_second},
    {"epoch", Op::epoch_microseconds, Op::start_of_second},
    {"millisecond milliseconds ms msec msecs msecond mseconds", Op::millisecond,
     Op::start_of_millisecond},
    {"microsecond microseconds us usec usecs usecond useconds", Op::microsecond, whole},
    {"era", Op::era, Op::era}};  // date_trunc() has none
constexpr std::string_view parts_as_functions[] = {
    "year",        "quarter",  "month",   "day",           "dayofmonth",
    "dayofweek",   "weekday",  "isodow",  "dayofyear",     "week",
    "weekofyear",  "yearweek", "isoyear", "decade",        "century",
    "millennium",  "hour",     "minute",  "second",        "millisecond",
    "microsecond", "era",      "epoch",   "timezone_hour", "timezone_minute"};
constexpr std::string_view other_functions[] = {
    "date_part",   "datepart", "date_trunc",       "datetrunc", "epoch_ms",
    "epoch_us",    "epoch_ns", "nanosecond",       "dayname",   "monthname",
    "date_diff",   "datediff", "date_sub",         "datesub",   "strftime",
    "time_bucket", "timezone", "make_timestamptz", "age",       "date_add"};
constexpr std::string_view functions_of_zones[] = {"timezone", "make_timestamptz", "age",
                                                   "date_add"};
constexpr std::string_view parts_of_zones[] = {"timezone", "timezone_hour", "timezone_minute"};

bool is_among(std::string_view name, std::string_view names) {
  for (std::size_t at = 0; (at = names.find(name, at)) != names.npos; at += name.size()) {
    const std::size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' '))
      return true;
  }
  return false;
}

const DatePart* find_part(std::string_view name) {
  const auto found = std::ranges::find_if(
      date_parts, [&](const DatePart& row) { return !name.empty() && is_among(name, row.names); });
  return found == std::end(date_parts) ? nullptr : &*found;
}

// Hours and smaller units.
bool is_of_clocks(const DatePart& part) {
  return part.start == whole || part.start == Op::start_of_hour ||
         part.start == Op::start_of_minute || part.start == Op::start_of_second ||
         part.start == Op::start_of_millisecond;
}

bool is_part_function(std::string_view name) {
  return std::ranges::find(parts_as_functions, name) != std::end(parts_as_functions);
}

}  // namespace

bool ExpressionBinder::is_date_call(std::string_view name) {
  return is_part_function(name) ||
         std::ranges::find(other_functions, name) != std::end(other_functions);
}

std::vector<std::string> ExpressionBinder::date_function_names() {
  std::vector<std::string> names(std::begin(parts_as_functions), std::end(parts_as_functions));
  names.insert(names.end(), std::begin(other_functions), std::end(other_functions));
  return names;
}

Result<NodeId> ExpressionBinder::date_call(const Syntax& syntax) {
  const std::string& name = syntax.name;
  const bool is_trunc = name.ends_with("trunc"), is_part = name.ends_with("part");
  const bool is_subtraction = name.ends_with("sub"),
             is_difference = name.ends_with("diff") || is_subtraction;
  if (name == "strftime") return date_format(syntax);
  if (name == "time_bucket") return time_bucket(syntax);
  if (std::ranges::find(functions_of_zones, name) != std::end(functions_of_zones))
    return zone_call(syntax);
  PENSTOCK_TRY(argument_count(syntax, is_difference ? 3 : is_trunc || is_part ? 2 : 1));
  if (is_trunc || is_part || is_difference) {
    if (syntax.inputs[0]->kind != SyntaxKind::string)
      return refuse(*syntax.inputs[0], "a date part that is not a string such as 'year'");
    const std::string part = lower(syntax.inputs[0]->name);
    if (is_subtraction) return date_subtraction(syntax, part);
    if (is_difference) return date_difference(syntax, part);
    return is_trunc ? date_trunc(syntax, part) : date_part(syntax, part, *syntax.inputs[1]);
  }
  if (is_part_function(name)) return date_part(syntax, name, *syntax.inputs[0]);
  if (name == "dayname") return date_name(syntax, Op::day_of_week, 0, expr::day_names);
  if (name == "monthname") return date_name(syntax, Op::month, 1, expr::month_names);
  PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[0]));
  const auto thousandfold = [&](NodeId number) {
    return builder_.binary(Op::multiply, number, builder_.literal(Scalar::of(std::int64_t{1000})));
  };
  if (name == "nanosecond") {
    PENSTOCK_ASSIGN(const NodeId microsecond, date_part(syntax, "microsecond", *syntax.inputs[0]));
    return thousandfold(microsecond);
  }
  if (name == "epoch_ms" && is_integer(builder_.type(input)))
    return builder_.string_function("timestamp_of_milliseconds", {input});
  PENSTOCK_ASSIGN(const NodeId count, count_of_microseconds(syntax, input));
  if (name == "epoch_us") return count;
  if (name == "epoch_ns") return thousandfold(count);
  return builder_.type(input) == expr::time_type ? divided(count, 1000) : milliseconds(count);
}

// Gives both moments one type. Times have clocks' units alone, and become timestamps.
Status ExpressionBinder::align_for_difference(const Syntax& syntax, const DatePart& part,
                                              NodeId& from, NodeId& to) {
  std::array nodes{from, to};
  PENSTOCK_TRY(names_.at(syntax, expr::align_moments(builder_, nodes)));
  for (NodeId& node : nodes) {
    if (builder_.type(node) != expr::time_type) continue;
    if (!is_of_clocks(part))
      return refuse(syntax, "the date part '" + lower(syntax.inputs[0]->name) + "' of TIME");
    node = expr::retyped(builder_, node, Type{penstock::Kind::timestamp});
  }
  from = nodes[0], to = nodes[1];
  return {};
}

// date_sub('month', a, b): whole units from one moment to another.
Result<NodeId> ExpressionBinder::date_subtraction(const Syntax& syntax, std::string_view part) {
  const DatePart* const row = find_part(part);
  if (row == nullptr || row->start == Op::era)
    return refuse(syntax, "the date part '" + std::string(part) + "' of " + syntax.name);
  const std::string unit(row->names.substr(0, row->names.find(' ')));
  std::vector<NodeId> inputs{builder_.literal(Scalar::of(unit))};
  PENSTOCK_ASSIGN(NodeId from, value(*syntax.inputs[1]));
  PENSTOCK_ASSIGN(NodeId to, value(*syntax.inputs[2]));
  PENSTOCK_TRY(align_for_difference(syntax, *row, from, to));
  inputs.insert(inputs.end(), {from, to});
  if (builder_.type(from) == expr::instant_type) {
    PENSTOCK_ASSIGN(inputs.emplace_back(), session_zone_literal(syntax));
    return located(syntax, builder_.string_function("whole_units_in_zone", std::move(inputs)));
  }
  for (const NodeId input : {from, to})
    PENSTOCK_TRY(builder_.unary(Op::start_of_day, input).status());  // checks the type
  return located(syntax, builder_.string_function("whole_units", std::move(inputs)));
}

// Rounds half away from zero.
Result<NodeId> ExpressionBinder::milliseconds(NodeId microseconds) {
  const auto whole_number = [&](std::int64_t value) { return builder_.literal(Scalar::of(value)); };
  PENSTOCK_ASSIGN(const NodeId is_before, builder_.binary(Op::less, microseconds, whole_number(0)));
  PENSTOCK_ASSIGN(const NodeId half,
                  builder_.select(is_before, whole_number(-500), whole_number(500)));
  PENSTOCK_ASSIGN(const NodeId moved, builder_.binary(Op::add, microseconds, half));
  return builder_.binary(Op::integer_divide, moved, whole_number(1000));
}

Result<NodeId> ExpressionBinder::date_part(const Syntax& syntax, std::string_view part,
                                           const Syntax& input) {
  PENSTOCK_ASSIGN(NodeId node, value(input));
  const bool is_of_zone = std::ranges::find(parts_of_zones, part) != std::end(parts_of_zones);
  if (is_of_zone && builder_.type(node) != expr::time_type)
    return part_of_instant(syntax, part, node);
  const DatePart* const row = find_part(part);
  const std::string_view name = row ? row->names.substr(0, row->names.find(' ')) : part;
  const Type type = builder_.type(node);
  if (type == expr::interval_type) return part_of_interval(syntax, name, node);
  if (type == expr::time_type) return part_of_time(syntax, name, node);
  if (type == expr::instant_type && name == "epoch")
    return epoch(expr::retyped(builder_, node, Type{penstock::Kind::timestamp}));
  PENSTOCK_ASSIGN(node, local_moment(syntax, node));
  if (part == "julian" || part == "jd")
    return located(syntax, builder_.string_function("julian", {node}));
  if (row == nullptr) return refuse(syntax, "the date part '" + std::string(part) + "'");
  return row->part == Op::epoch_microseconds ? epoch(node) : builder_.unary(row->part, node);
}

// Returns the seconds since 1970. A date is counted in days, as its microseconds may not fit.
Result<NodeId> ExpressionBinder::epoch(NodeId input) {
  const bool is_date = builder_.type(input).kind == penstock::Kind::date32;
  const NodeId first = builder_.literal(Scalar::of(Type{penstock::Kind::date32}, Int128{0}));
  PENSTOCK_ASSIGN(const NodeId count, is_date ? builder_.binary(Op::subtract, input, first)
                                              : builder_.unary(Op::epoch_microseconds, input));
  PENSTOCK_ASSIGN(const NodeId real, builder_.cast(count, type_of<double>()));
  const NodeId unit = builder_.literal(Scalar::of(is_date ? 86400.0 : 1e6));
  return builder_.binary(is_date ? Op::multiply : Op::divide, real, unit);
}

// The result is a TIMESTAMP, of a DATE too.
Result<NodeId> ExpressionBinder::date_trunc(const Syntax& syntax, std::string_view part) {
  const DatePart* const row = find_part(part);
  if (row == nullptr || row->start == Op::era)
    return refuse(syntax, "the date part '" + std::string(part) + "' of " + syntax.name);
  PENSTOCK_ASSIGN(const NodeId input, value(*syntax.inputs[1]));
  const Type type = builder_.type(input);
  if (type == expr::interval_type) return interval_trunc(syntax, part, *row, input);
  if (type == expr::instant_type)
    return row->start == whole ? Result<NodeId>(input)
                               : start_of_instant(syntax, row->start, input);
  if (row->start != whole) return builder_.unary(row->start, input);
  PENSTOCK_TRY(builder_.unary(Op::start_of_day, input).status());  // checks the type
  return builder_.cast(input, Type{penstock::Kind::timestamp});
}

Result<NodeId> ExpressionBinder::interval_trunc(const Syntax& syntax, std::string_view part,
                                                const DatePart& row, NodeId interval) {
  const std::string name(row.names.substr(0, row.names.find(' ')));
  if (!expr::truncated_interval({}, name))
    return refuse(syntax, "date_trunc('" + std::string(part) + "') of INTERVAL");
  return located(syntax, builder_.string_function("interval_start",
                                                  {builder_.literal(Scalar::of(name)), interval}));
}

// Returns how many boundaries of the part lie between two dates. Weeks are seven days each, from
// the first date on, as in DuckDB.
Result<NodeId> ExpressionBinder::date_difference(const Syntax& syntax, std::string_view part) {
  const DatePart* const row = find_part(part);
  if (row == nullptr || row->start == Op::era)
    return refuse(syntax, "the date part '" + std::string(part) + "' of " + syntax.name);
  const bool is_weeks = row->start == Op::start_of_week;
  const Op start = is_weeks ? Op::start_of_day : row->start;
  PENSTOCK_ASSIGN(NodeId from, value(*syntax.inputs[1]));
  PENSTOCK_ASSIGN(NodeId to, value(*syntax.inputs[2]));
  PENSTOCK_TRY(align_for_difference(syntax, *row, from, to));
  if (builder_.type(from) == expr::instant_type && is_of_clocks(*row)) {
    PENSTOCK_ASSIGN(const NodeId length, instant_difference(syntax, start, from, to));
    return start == whole ? Result<NodeId>(length)
                          : divided(length, expr::row_of(start).step_microseconds);
  }
  PENSTOCK_ASSIGN(from, local_moment(syntax, from));
  PENSTOCK_ASSIGN(to, local_moment(syntax, to));
  PENSTOCK_ASSIGN(const NodeId first, boundaries(start, from));
  PENSTOCK_ASSIGN(const NodeId last, boundaries(start, to));
  PENSTOCK_ASSIGN(const NodeId difference, builder_.binary(Op::subtract, last, first));
  return is_weeks ? divided(difference, 7) : Result<NodeId>(difference);
}

Result<NodeId> ExpressionBinder::divided(NodeId count, std::int64_t by) {
  return by == 1 ? Result<NodeId>(count)
                 : builder_.binary(Op::integer_divide, count, builder_.literal(Scalar::of(by)));
}

// Counts the starts of a unit up to a date, from the same one for all dates.
Result<NodeId> ExpressionBinder::boundaries(Op start, NodeId date) {
  struct Years {
    Op start;
    std::int64_t count;
  };
  static constexpr Years of_years[] = {{Op::start_of_year, 1},
                                       {Op::start_of_decade, 10},
                                       {Op::start_of_century, 100},
                                       {Op::start_of_millennium, 1000}};
  for (const Years& years : of_years) {
    if (start != years.start) continue;
    PENSTOCK_ASSIGN(const NodeId year, builder_.unary(Op::year, date));
    return divided(year, years.count);
  }
  if (start == Op::start_of_iso_year) return builder_.unary(Op::iso_year, date);
  if (start == Op::start_of_month || start == Op::start_of_quarter) return months(start, date);
  PENSTOCK_ASSIGN(const NodeId moment,
                  start == whole ? Result<NodeId>(date) : builder_.unary(start, date));
  PENSTOCK_ASSIGN(const NodeId count, builder_.unary(Op::epoch_microseconds, moment));
  return start == whole ? Result<NodeId>(count)
                        : divided(count, expr::row_of(start).step_microseconds);
}

// Counts the months up to a date, or the quarters.
Result<NodeId> ExpressionBinder::months(Op start, NodeId date) {
  const auto number = [&](std::int64_t value) { return builder_.literal(Scalar::of(value)); };
  PENSTOCK_ASSIGN(const NodeId year, builder_.unary(Op::year, date));
  PENSTOCK_ASSIGN(const NodeId month, builder_.unary(Op::month, date));
  PENSTOCK_ASSIGN(const NodeId of_years, builder_.binary(Op::multiply, year, number(12)));
  PENSTOCK_ASSIGN(const NodeId all, builder_.binary(Op::add, of_years, month));
  PENSTOCK_ASSIGN(const NodeId past, builder_.binary(Op::subtract, all, number(1)));
  return divided(past, start == Op::start_of_month ? 1 : 3);
}

// A name is a choice among constants, which kernels make.
Result<NodeId> ExpressionBinder::date_name(const Syntax& syntax, Op part, std::int64_t first,
                                           std::span<const std::string_view> names) {
  PENSTOCK_ASSIGN(const NodeId moment, value(*syntax.inputs[0]));
  PENSTOCK_ASSIGN(const NodeId input, local_moment(syntax, moment));
  PENSTOCK_ASSIGN(const NodeId number, builder_.unary(part, input));
  std::vector<NodeId> conditions, values;
  for (std::size_t i = 0; i < names.size(); i++) {
    const auto wanted = first + static_cast<std::int64_t>(i);
    PENSTOCK_ASSIGN(const NodeId is_it,
                    builder_.binary(Op::equal, number, builder_.literal(Scalar::of(wanted))));
    conditions.push_back(is_it);
    values.push_back(builder_.literal(Scalar::of(std::string(names[i]))));
  }
  values.push_back(builder_.literal(Scalar::null_of(Type{penstock::Kind::string})));
  return builder_.first_true(conditions, std::move(values));
}

}  // namespace penstock::sql
