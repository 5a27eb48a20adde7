#include "plan/aggregates.hpp"

namespace penstock::plan {
namespace {

std::optional<Type> number_of_values(Type) { return Type{Kind::int64}; }
std::optional<Type> same_type(Type argument) { return argument; }

std::optional<Type> type_of_sum(Type argument) {
  if (!is_numeric(argument) && argument.kind != Kind::boolean) return {};
  if (is_float(argument)) return Type{Kind::float64};
  return argument.kind == Kind::decimal ? Type::decimal(38, argument.scale) : Type{Kind::int128};
}
std::optional<Type> type_of_average(Type argument) {
  return type_of_sum(argument) ? std::optional(Type{Kind::float64}) : std::nullopt;
}

std::optional<Type> boolean_alone(Type argument) {
  return argument.kind == Kind::boolean ? std::optional(argument) : std::nullopt;
}

template <AccumulatorKind kind> AccumulatorKind always(Type) { return kind; }
constexpr auto counted = always<AccumulatorKind::count>;
constexpr auto least = always<AccumulatorKind::minimum>;
constexpr auto greatest = always<AccumulatorKind::maximum>;

// A row per aggregate, in the order of Aggregate.
constexpr AggregateRow rows[] = {
    {Aggregate::count_rows,
     "count(*)",
     {},
     number_of_values,
     counted,
     Finish::counts,
     WindowFunction::count_rows},
    {Aggregate::count,
     "count",
     {"count"},
     number_of_values,
     counted,
     Finish::counts,
     WindowFunction::count},
    {Aggregate::sum, "sum", {"sum"}, type_of_sum, sum_kind, Finish::sum, WindowFunction::sum},
    {Aggregate::minimum, "min", {"min"}, same_type, least, Finish::value, WindowFunction::minimum},
    {Aggregate::maximum,
     "max",
     {"max"},
     same_type,
     greatest,
     Finish::value,
     WindowFunction::maximum},
    {Aggregate::average,
     "avg",
     {"avg", "mean"},
     type_of_average,
     sum_kind,
     Finish::average,
     WindowFunction::average},
    {Aggregate::custom,
     "custom",
     {},
     same_type,
     always<AccumulatorKind::custom>,
     Finish::value,
     {}},
    // FALSE is below TRUE.
    {Aggregate::bool_and,
     "bool_and",
     {"bool_and"},
     boolean_alone,
     least,
     Finish::value,
     WindowFunction::minimum},
    {Aggregate::bool_or,
     "bool_or",
     {"bool_or"},
     boolean_alone,
     greatest,
     Finish::value,
     WindowFunction::maximum},
};
static_assert(
    [] {
      for (std::size_t i = 0; i < std::size(rows); i++)
        if (rows[i].function != static_cast<Aggregate>(i)) return false;
      return true;
    }(),
    "a row per aggregate, in the order of Aggregate");

}  // namespace

// Sums of integers of up to 32 bits cannot overflow 64 bits within the rows of one launch
// (max_launch_rows). The host adds up launches in 128 bits.
AccumulatorKind sum_kind(Type type) {
  if (is_float(type)) return AccumulatorKind::sum_f64;
  const bool narrow = type.kind == Kind::boolean ||
                      (is_integer(type) && width_bytes(type) <= 4 && type.kind != Kind::uint32);
  return narrow ? AccumulatorKind::sum_i64 : AccumulatorKind::sum_i128;
}

const AggregateRow& row_of(Aggregate function) { return rows[static_cast<std::size_t>(function)]; }

const AggregateRow* aggregate_named(std::string_view sql_name) {
  for (const AggregateRow& row : rows)
    for (const std::string_view name : row.sql_names)
      if (!name.empty() && name == sql_name) return &row;
  return nullptr;
}

const AggregateRow* aggregate_of(WindowFunction function) {
  for (const AggregateRow& row : rows)
    if (row.window == function) return &row;
  return nullptr;
}

std::span<const AggregateRow> all_aggregates() { return rows; }

std::vector<std::string_view> aggregate_names() {
  std::vector<std::string_view> names;
  for (const AggregateRow& row : rows)
    if (!row.sql_names[0].empty()) names.push_back(row.sql_names[0]);
  return names;
}

}  // namespace penstock::plan

namespace penstock {

std::string_view name_of(Aggregate aggregate) { return plan::row_of(aggregate).name; }

}  // namespace penstock
