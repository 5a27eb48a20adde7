#include "expr/temporal_text.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "expr/calendar.hpp"
#include "expr/civil_moment.hpp"
#include "expr/constant.hpp"
#include "expr/intervals.hpp"
#include "expr/time_zone.hpp"

namespace penstock::expr {
namespace {

constexpr std::int64_t microseconds_of_second = 1'000'000;

// "+02", "-03:30", "+053015": seconds east of UTC, and the end of the text
std::optional<std::int64_t> offset_of_text(std::string_view text) {
  const bool is_negative = text.front() == '-';
  text.remove_prefix(1);
  std::int64_t seconds = 0;
  for (const std::int64_t unit : {3600, 60, 1}) {
    if (unit != 3600 && text.empty()) break;
    if (unit != 3600) static_cast<void>(take(text, ':'));
    const std::size_t before = text.size();
    const std::optional<std::int64_t> part = take_digits(text, 2);
    if (!part || before - text.size() != 2) return std::nullopt;
    seconds += *part * unit;
  }
  if (!text.empty()) return std::nullopt;
  return is_negative ? -seconds : seconds;
}

std::optional<std::int64_t> at_offset(std::int64_t local, std::int64_t seconds) {
  const Int128 instant = Int128{local} - Int128{seconds} * microseconds_of_second;
  const bool fits = instant < INT64_MAX && instant > -INT64_MAX;
  return fits ? std::optional(static_cast<std::int64_t>(instant)) : std::nullopt;
}

// The zone stands behind the time: an offset or Z at once, a name behind one blank.
std::optional<std::int64_t> instant_of_text(std::string_view text) {
  if (lower(text) == "epoch") return 0;
  const std::size_t colon = text.find(':');
  const std::size_t end =
      colon == text.npos ? text.npos : text.find_first_not_of("0123456789:.", colon);
  const std::optional<std::int64_t> local = parse_timestamp(text.substr(0, end));
  if (!local || !is_finite(*local)) return local;
  if (end == text.npos) return session_zone_or_utc().instant_of(*local);
  std::string_view zone = text.substr(end);
  if (zone == "Z") return local;
  if (zone.front() == '+' || zone.front() == '-') {
    const std::optional<std::int64_t> offset = offset_of_text(zone);
    return offset ? at_offset(*local, *offset) : std::nullopt;
  }
  if (!take(zone, ' ')) return std::nullopt;
  const Result<const TimeZone*> named = time_zone(zone);
  return named.ok() ? std::optional((*named)->instant_of(*local)) : std::nullopt;
}

std::optional<std::int64_t> time_of_text(std::string_view text) {
  std::string_view rest = text;
  if (const std::optional<std::int64_t> time = take_time(rest, 2)) {
    const bool has_offset = !rest.empty() && (rest.front() == '+' || rest.front() == '-');
    const bool is_whole = rest.empty() || rest == "Z" || (has_offset && offset_of_text(rest));
    return is_whole && *time <= microseconds_per_day ? time : std::nullopt;
  }
  const std::optional<std::int64_t> moment = parse_timestamp_without_zone(text);
  if (!moment || !is_finite(*moment)) return std::nullopt;
  return floor_modulo(*moment, microseconds_per_day);
}

}  // namespace

std::optional<Scalar> parse_temporal(Type type, std::string_view text) {
  if (type.logical == LogicalType::interval) {
    const std::optional<Interval> parts = parse_interval(text, "");
    const std::optional<PackedInterval> interval =
        parts ? interval_of_parts(parts->months, parts->days, parts->microseconds) : std::nullopt;
    return interval ? std::optional(interval_scalar(*interval)) : std::nullopt;
  }
  const std::optional<std::int64_t> count =
      type.logical == LogicalType::time ? time_of_text(text) : instant_of_text(text);
  return count ? std::optional(Scalar::of(type, Int128{*count})) : std::nullopt;
}

}  // namespace penstock::expr
