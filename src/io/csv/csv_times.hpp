// Reads dates and times as DuckDB writes them: 2024-01-05, 2024-01-05 10:00:00.5, infinity.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace penstock::io {

// Days since 1970-01-01; nullopt if the month has no such day, or the days do not fit in 32 bits.
std::optional<std::int32_t> days_of(std::int64_t year, unsigned month, unsigned day);
// Microseconds since 1970-01-01; nullopt if they do not fit in 64 bits.
std::optional<std::int64_t> micros_of(std::int32_t days, std::int64_t micros_of_day);

std::optional<std::int32_t> read_date(std::string_view text);

enum class ZoneKind : unsigned char {
  none,   // or UTC
  other,  // an offset, Z, or a name
};
struct ReadTimestamp {
  std::int64_t micros = 0;  // as if there was no zone
  ZoneKind zone = ZoneKind::none;
  bool is_utc = true;  // the zone adds nothing
};
std::optional<ReadTimestamp> read_timestamp(std::string_view text);
// Microseconds since midnight: 10:00, 1:2:3, 24:00:00.
std::optional<std::int64_t> read_time(std::string_view text);

}  // namespace penstock::io
