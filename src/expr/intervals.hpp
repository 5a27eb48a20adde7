// Arithmetic of intervals, as DuckDB computes it. A column of intervals has packed bytes
// (column/nested/packed_bytes.hpp).
#pragma once
#include <optional>
#include <string_view>

#include "column/nested/packed_bytes.hpp"
#include "expr/time_zone.hpp"
#include "penstock/expression.hpp"

namespace penstock::expr {

using column::PackedInterval;
inline constexpr Type interval_type{.kind = Kind::string, .logical = LogicalType::interval},
    time_type{.kind = Kind::timestamp, .logical = LogicalType::time},
    instant_type{.kind = Kind::timestamp, .logical = LogicalType::timestamp_tz};

struct IntervalUnit {
  std::string_view name;
  std::int64_t months, days, microseconds;  // one of them
};
// Returns the part that DuckDB names so, "millennium" to "microsecond"; nullptr if there is none.
const IntervalUnit* interval_part_named(std::string_view name);

PackedInterval interval_in(const Scalar& value);
Scalar interval_scalar(const PackedInterval& interval);
// Returns an interval of these parts; nullopt where one leaves its range.
std::optional<PackedInterval> interval_of_parts(Int128 months, Int128 days, Int128 microseconds);

std::optional<PackedInterval> sum_of_intervals(const PackedInterval& a, const PackedInterval& b,
                                               int sign);
std::optional<PackedInterval> multiplied(const PackedInterval& interval, std::int64_t factor);
// Multiplies or divides each part; what is left of a month becomes days, and of a day a time.
std::optional<PackedInterval> scaled(const PackedInterval& interval, double factor,
                                     bool is_divided);
// Returns the equal interval with days below 30 and a time below 24 hours, neither negative.
PackedInterval normalized(const PackedInterval& interval);

// Adds or subtracts an interval: months first, then days, then the time. nullopt where the sum
// leaves the range of timestamps.
std::optional<std::int64_t> moved(std::int64_t timestamp, const PackedInterval& interval, int sign);
// Months and days keep the time of the zone's clocks.
std::optional<std::int64_t> moved_in_zone(std::int64_t instant, const PackedInterval& interval,
                                          int sign, const TimeZone& zone);
// Days and a time from one moment to another.
PackedInterval between_timestamps(std::int64_t from, std::int64_t to);
PackedInterval between_instants(std::int64_t from, std::int64_t to, const TimeZone& zone);
// Years, months, days and a time from one moment to another, as calendars count them.
PackedInterval age_of(std::int64_t from, std::int64_t to);

// Returns a part by DuckDB's name of it, "year" to "microsecond"; nullopt where there is none.
std::optional<std::int64_t> part_of_interval(const PackedInterval& interval, std::string_view part);
// Cuts off what is smaller than a part; nullopt where an interval has no such part.
std::optional<PackedInterval> truncated_interval(const PackedInterval& interval,
                                                 std::string_view part);

}  // namespace penstock::expr
