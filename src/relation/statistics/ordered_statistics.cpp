// Statistics of values in an order. A window numbers the rows of each group that count; the value
// at a place is the only one that its aggregate sees.
#include "expr/nested_functions.hpp"
#include "expr/operation.hpp"
#include "relation/statistics/statistics.hpp"

namespace penstock::relation {
namespace {

constexpr Type double_type{Kind::float64}, timestamp_type{Kind::timestamp};

NodeId whole(Builder& rows, std::int64_t value) { return rows.literal(Scalar::of(value)); }
NodeId real(Builder& rows, double value) { return rows.literal(Scalar::of(value)); }

// (count - 1) * share, counted from 0.
Result<NodeId> place_of(Builder& rows, NodeId count, const Share& share) {
  PENSTOCK_ASSIGN(const NodeId last, rows.binary(Op::subtract, count, whole(rows, 1)));
  PENSTOCK_ASSIGN(const NodeId last_place, rows.cast(last, double_type));
  return rows.binary(Op::multiply, last_place, real(rows, share.real));
}

// The number of the row at a place, from 1.
Result<NodeId> number_at(Builder& rows, NodeId count, const Share& share, Op rounding) {
  PENSTOCK_ASSIGN(const NodeId place, place_of(rows, count, share));
  PENSTOCK_ASSIGN(const NodeId rounded, rows.unary(rounding, place));
  PENSTOCK_ASSIGN(const NodeId index, rows.cast(rounded, Type{Kind::int64}));
  return rows.binary(Op::add, index, whole(rows, 1));
}

// The least number of rows that have the share, at least one: count - floor(count - count * share).
Result<NodeId> discrete_number(Builder& rows, NodeId count, const Share& share) {
  NodeId left = count;
  if (share.scale > 0) {
    PENSTOCK_ASSIGN(left,
                    rows.binary(Op::multiply, count, whole(rows, share.scale - share.numerator)));
    PENSTOCK_ASSIGN(left, rows.binary(Op::integer_divide, left, whole(rows, share.scale)));
  } else {
    PENSTOCK_ASSIGN(const NodeId all, rows.cast(count, double_type));
    PENSTOCK_ASSIGN(const NodeId part, rows.binary(Op::multiply, all, real(rows, share.real)));
    PENSTOCK_ASSIGN(left, rows.binary(Op::subtract, all, part));
    PENSTOCK_ASSIGN(left, rows.unary(Op::floor, left));
    PENSTOCK_ASSIGN(left, rows.cast(left, Type{Kind::int64}));
  }
  PENSTOCK_ASSIGN(const NodeId number, rows.binary(Op::subtract, count, left));
  return rows.variadic(Op::greatest, {number, whole(rows, 1)});
}

// Returns the distance of a place from the value before it.
Result<NodeId> rest_of_place(Builder& rows, NodeId count, const Share& share) {
  PENSTOCK_ASSIGN(const NodeId place, place_of(rows, count, share));
  PENSTOCK_ASSIGN(const NodeId floor, rows.unary(Op::floor, place));
  return rows.binary(Op::subtract, place, floor);
}

Result<NodeId> moved_by(Builder& rows, NodeId low, NodeId difference, NodeId share) {
  PENSTOCK_ASSIGN(const NodeId distance, rows.cast(difference, double_type));
  PENSTOCK_ASSIGN(NodeId part, rows.binary(Op::multiply, distance, share));
  PENSTOCK_ASSIGN(part, rows.unary(Op::round, part));
  PENSTOCK_ASSIGN(part, rows.cast(part, Type{Kind::int64}));
  return rows.binary(Op::add, low, part);
}

// A power of ten, of so many digits after the point.
NodeId power_of_ten(Builder& rows, int digits, int scale) {
  return rows.literal(
      Scalar::of(Type::decimal(std::max(digits + 1, 1), scale), expr::power_of_ten(digits)));
}

// The value as a DOUBLE; of a decimal the number of its last digit, which 128 bits hold exactly.
Result<NodeId> units_of(Builder& rows, NodeId value) {
  const Type type = rows.type(value);
  if (type.kind != Kind::decimal) return rows.cast(value, double_type);
  PENSTOCK_ASSIGN(const NodeId wide, rows.cast(value, Type::decimal(38, type.scale)));
  PENSTOCK_ASSIGN(const NodeId units,
                  rows.binary(Op::multiply, wide, power_of_ten(rows, type.scale, 0)));
  return rows.cast(units, double_type);
}

// Cuts what is behind the last digit.
Result<NodeId> decimal_of_units(Builder& rows, NodeId units, Type type) {
  PENSTOCK_ASSIGN(const NodeId whole, rows.unary(Op::truncate, units));
  PENSTOCK_ASSIGN(const NodeId wide, rows.cast(whole, Type::decimal(38, 0)));
  const NodeId unit =
      rows.literal(Scalar::of(Type::decimal(type.scale + 1, type.scale), Int128{1}));
  PENSTOCK_ASSIGN(const NodeId value, rows.binary(Op::multiply, wide, unit));
  return rows.cast(value, type);
}

Result<NodeId> moved_towards(Builder& rows, NodeId low, NodeId high, NodeId share) {
  PENSTOCK_ASSIGN(const NodeId distance, rows.binary(Op::subtract, high, low));
  PENSTOCK_ASSIGN(const NodeId part, rows.binary(Op::multiply, distance, share));
  return rows.binary(Op::add, low, part);
}

// An infinity stays one.
Result<NodeId> weighted(Builder& rows, NodeId low, NodeId high, NodeId share) {
  PENSTOCK_ASSIGN(const NodeId rest, rows.binary(Op::subtract, real(rows, 1), share));
  PENSTOCK_ASSIGN(const NodeId of_low, rows.binary(Op::multiply, low, rest));
  PENSTOCK_ASSIGN(const NodeId of_high, rows.binary(Op::multiply, high, share));
  return rows.binary(Op::add, of_low, of_high);
}

// Microseconds are rounded.
Result<NodeId> moment_between(Builder& rows, NodeId low, NodeId high, NodeId share) {
  PENSTOCK_ASSIGN(const NodeId first, rows.unary(Op::epoch_microseconds, low));
  PENSTOCK_ASSIGN(const NodeId last, rows.unary(Op::epoch_microseconds, high));
  PENSTOCK_ASSIGN(const NodeId difference, rows.binary(Op::subtract, last, first));
  PENSTOCK_ASSIGN(const NodeId at, moved_by(rows, first, difference, share));
  return rows.string_function("timestamp_of_microseconds", {at});
}

}  // namespace

Result<NodeId> value_between(Builder& rows, NodeId low, NodeId high, NodeId share) {
  const Type type = rows.type(low);
  if (is_date_or_timestamp(type)) {
    PENSTOCK_ASSIGN(low, rows.cast(low, timestamp_type));
    PENSTOCK_ASSIGN(high, rows.cast(high, timestamp_type));
    return moment_between(rows, low, high, share);
  }
  PENSTOCK_ASSIGN(const NodeId first, units_of(rows, low));
  PENSTOCK_ASSIGN(const NodeId last, units_of(rows, high));
  PENSTOCK_ASSIGN(const NodeId between, type.kind == Kind::decimal
                                            ? moved_towards(rows, first, last, share)
                                            : weighted(rows, first, last, share));
  // Nothing is added up where both are one infinity.
  PENSTOCK_ASSIGN(const NodeId is_at_low, rows.binary(Op::equal, share, real(rows, 0)));
  PENSTOCK_ASSIGN(const NodeId are_equal, rows.binary(Op::equal, first, last));
  PENSTOCK_ASSIGN(const NodeId is_first, rows.binary(Op::or_, is_at_low, are_equal));
  if (type.kind == Kind::decimal) {
    // The rounded value may be beyond the type's digits.
    const NodeId none = rows.literal(Scalar::null_of(double_type));
    PENSTOCK_ASSIGN(const NodeId kept, rows.select(is_first, none, between));
    PENSTOCK_ASSIGN(const NodeId value, decimal_of_units(rows, kept, type));
    return rows.select(is_first, low, value);
  }
  PENSTOCK_ASSIGN(const NodeId value, rows.select(is_first, first, between));
  return type.kind == Kind::float32 ? rows.cast(value, type) : Result<NodeId>(value);
}

Result<Statistics::Neighbours> Statistics::neighbours(const StatisticCall& call,
                                                      const Counted& counted) {
  const std::uint32_t column = call.arguments[0];
  PENSTOCK_ASSIGN(const Ranked ranks, ranked(counted, {{column, call.descending, false}}));
  const auto at = [&](Op rounding) {
    return picked(counted, column, [&](Builder& rows) -> Result<NodeId> {
      PENSTOCK_ASSIGN(const NodeId number,
                      number_at(rows, rows.column(ranks.count), call.share, rounding));
      return rows.binary(Op::equal, rows.column(ranks.number), number);
    });
  };
  Neighbours found;
  PENSTOCK_ASSIGN(found.low, at(Op::floor));
  PENSTOCK_ASSIGN(found.high, at(Op::ceiling));
  PENSTOCK_ASSIGN(found.count, picked(counted, ranks.count));
  return found;
}

Status Statistics::add_quantile(const StatisticCall& call) {
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, {call.arguments[0]}));
  PENSTOCK_ASSIGN(const Neighbours found, neighbours(call, counted));
  const std::size_t first_call = calls_.size();
  for (const std::uint32_t column : {found.low, found.high, found.count})
    this->call(Aggregate::maximum, column);
  finish(first_call, [share = call.share](Builder& groups, std::uint32_t first) -> Result<NodeId> {
    PENSTOCK_ASSIGN(const NodeId rest, rest_of_place(groups, groups.column(first + 2), share));
    return value_between(groups, groups.column(first), groups.column(first + 1), rest);
  });
  return {};
}

Status Statistics::add_discrete_quantile(const StatisticCall& call) {
  const std::uint32_t column = call.arguments[0];
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, {column}));
  PENSTOCK_ASSIGN(const Ranked ranks, ranked(counted, {{column, call.descending, false}}));
  const auto is_at_place = [&](Builder& rows) -> Result<NodeId> {
    PENSTOCK_ASSIGN(const NodeId number,
                    discrete_number(rows, rows.column(ranks.count), call.share));
    return rows.binary(Op::equal, rows.column(ranks.number), number);
  };
  PENSTOCK_ASSIGN(const std::uint32_t value, picked(counted, column, is_at_place));
  this->call(Aggregate::maximum, value);
  finish(calls_.size() - 1, [](Builder& groups, std::uint32_t first) -> Result<NodeId> {
    return groups.column(first);
  });
  return {};
}

// The values in the order of how frequent they are.
Status Statistics::add_mode(const StatisticCall& call) {
  const std::uint32_t column = call.arguments[0];
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, {column}));
  Window window;
  window.partition = partition(counted, {column});
  window.calls.push_back({WindowFunction::count_rows, 0, WindowFrame::partition, 1, "count"});
  PENSTOCK_ASSIGN(const std::uint32_t count, windowed(std::move(window)));
  StatisticCall first = call;
  first.function = Statistic::first;
  first.order = {{count, true, false}};
  return add_first(first);
}

Status Statistics::add_first(const StatisticCall& call) {
  ColumnList present = call.arguments;
  if (call.keeps_nulls) present.erase(present.begin());
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, present));
  PENSTOCK_ASSIGN(const Ranked ranks, ranked(counted, call.order));
  PENSTOCK_ASSIGN(const std::uint32_t value,
                  picked(counted, call.arguments[0], [&](Builder& rows) -> Result<NodeId> {
                    return rows.binary(Op::equal, rows.column(ranks.number), whole(rows, 1));
                  }));
  this->call(Aggregate::maximum, value);
  finish(calls_.size() - 1, [](Builder& groups, std::uint32_t first) -> Result<NodeId> {
    return groups.column(first);
  });
  return {};
}

// Returns the texts of each group, one behind another in the call's order.
Result<std::uint32_t> Statistics::joined_texts(const StatisticCall& call, const Counted& counted,
                                               std::uint32_t piece) {
  Window window;
  window.partition = partition(counted);
  window.order = call.order;
  window.calls.push_back(
      {WindowFunction::concatenation, piece, WindowFrame::partition, 1, "texts"});
  PENSTOCK_ASSIGN(const std::uint32_t texts, windowed(std::move(window)));
  return picked(counted, texts);
}

// Each value is packed as it stands within a list, whose end is added to the joined bytes.
Status Statistics::add_list(const StatisticCall& call) {
  const std::uint32_t column = call.arguments[0];
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, {}));
  const Type list = list_of(schema()[column].type);
  PENSTOCK_ASSIGN(const std::uint32_t piece, computed([&](Builder& rows) {
                    return expr::list_part(rows, rows.column(column));
                  }));
  PENSTOCK_ASSIGN(const std::uint32_t value, joined_texts(call, counted, piece));
  this->call(Aggregate::maximum, value);
  finish(calls_.size() - 1, [list](Builder& groups, std::uint32_t first) -> Result<NodeId> {
    return expr::list_of_joined_parts(groups, groups.column(first), list);
  });
  return {};
}

// Each text stands behind its separator; the first separator is cut off.
Status Statistics::add_concatenation(const StatisticCall& call) {
  const std::uint32_t column = call.arguments[0];
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, {column}));
  PENSTOCK_ASSIGN(const std::uint32_t piece, computed([&](Builder& rows) -> Result<NodeId> {
                    PENSTOCK_ASSIGN(const NodeId text, rows.cast_to_string(rows.column(column)));
                    if (call.separator.empty()) return text;
                    return rows.string_function("concat",
                                                {rows.literal(Scalar::of(call.separator)), text});
                  }));
  PENSTOCK_ASSIGN(const std::uint32_t value, joined_texts(call, counted, piece));
  this->call(Aggregate::maximum, value);
  finish(calls_.size() - 1,
         [separator = call.separator](Builder& groups, std::uint32_t first) -> Result<NodeId> {
           const NodeId text = groups.column(first);
           if (separator.empty()) return text;
           PENSTOCK_ASSIGN(
               const NodeId length,
               groups.string_function("length", {groups.literal(Scalar::of(separator))}));
           PENSTOCK_ASSIGN(const NodeId from, groups.binary(Op::add, length, whole(groups, 1)));
           return groups.string_function("substring", {text, from});
         });
  return {};
}

// The median stands beside each row, then the distances have a median.
Status Statistics::add_absolute_deviation(const StatisticCall& call) {
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, {call.arguments[0]}));
  PENSTOCK_ASSIGN(const Neighbours found, neighbours(call, counted));
  Window window;
  window.partition = partition(counted);
  window.calls = {{WindowFunction::maximum, found.low, WindowFrame::partition, 1, "low"},
                  {WindowFunction::maximum, found.high, WindowFrame::partition, 1, "high"}};
  PENSTOCK_ASSIGN(const std::uint32_t first, windowed(std::move(window)));
  StatisticCall of_distances = call;
  of_distances.function = Statistic::quantile;
  of_distances.distinct = false;
  const auto distance_of = [&](Builder& rows) -> Result<NodeId> {
    PENSTOCK_ASSIGN(const NodeId rest, rest_of_place(rows, rows.column(found.count), call.share));
    PENSTOCK_ASSIGN(const NodeId median,
                    value_between(rows, rows.column(first), rows.column(first + 1), rest));
    PENSTOCK_ASSIGN(NodeId distance,
                    rows.binary(Op::subtract, rows.column(call.arguments[0]), median));
    PENSTOCK_ASSIGN(distance, rows.unary(Op::absolute, distance));
    const Type type = rows.type(rows.column(call.arguments[0]));
    if (is_float(type)) { PENSTOCK_ASSIGN(distance, rows.cast(distance, type)); }
    if (!counted) return distance;
    return rows.select(rows.column(*counted), distance,
                       rows.literal(Scalar::null_of(rows.type(distance))));
  };
  PENSTOCK_ASSIGN(of_distances.arguments[0], computed(distance_of));
  return add_quantile(of_distances);
}

// Minus the sum of p * log2(p), of the share p of each value.
Status Statistics::add_entropy(const StatisticCall& call) {
  const std::uint32_t column = call.arguments[0];
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, {column}));
  Window of_value, of_group;
  of_value.partition = partition(counted, {column});
  of_value.calls = {{WindowFunction::row_number, 0, WindowFrame::rows, 1, "number"},
                    {WindowFunction::count_rows, 0, WindowFrame::partition, 1, "count"}};
  PENSTOCK_ASSIGN(const std::uint32_t number, windowed(std::move(of_value)));
  of_group.partition = partition(counted);
  of_group.calls = {{WindowFunction::count_rows, 0, WindowFrame::partition, 1, "count"}};
  PENSTOCK_ASSIGN(const std::uint32_t all, windowed(std::move(of_group)));
  const auto bits_of_share = [&](Builder& rows) -> Result<NodeId> {
    PENSTOCK_ASSIGN(const NodeId share, mean_of(rows, rows.column(number + 1), rows.column(all)));
    PENSTOCK_ASSIGN(const NodeId inverse, mean_of(rows, rows.column(all), rows.column(number + 1)));
    PENSTOCK_ASSIGN(const NodeId bits, rows.string_function("log2", {inverse}));
    return rows.binary(Op::multiply, share, bits);
  };
  PENSTOCK_ASSIGN(const std::uint32_t term, computed(bits_of_share));
  PENSTOCK_ASSIGN(const std::uint32_t value,
                  picked(counted, term, [&](Builder& rows) -> Result<NodeId> {
                    return rows.binary(Op::equal, rows.column(number), whole(rows, 1));
                  }));
  this->call(Aggregate::sum, value);
  finish(calls_.size() - 1, [](Builder& groups, std::uint32_t first) -> Result<NodeId> {
    return groups.variadic(Op::coalesce, {groups.column(first), real(groups, 0)});
  });
  return {};
}

Status Statistics::add_reduction(const StatisticCall& call) {
  PENSTOCK_ASSIGN(const Counted counted, this->counted(call, {call.arguments[0]}));
  PENSTOCK_ASSIGN(const std::uint32_t value, picked(counted, call.arguments[0]));
  AggregateCall reduction{Aggregate::custom, value, "reduction", call.custom};
  calls_.push_back(std::move(reduction));
  finish(calls_.size() - 1, [](Builder& groups, std::uint32_t first) -> Result<NodeId> {
    return groups.column(first);
  });
  return {};
}

}  // namespace penstock::relation
