// Time zones by name, and instants in them. The system's tzdata has their rules.
//
// An instant is microseconds since 1970 in UTC. A local time is microseconds since 1970 by a zone's
// clocks. Infinite ones are the same in both.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "expr/tz_file.hpp"

namespace penstock::expr {

class TimeZone {
 public:
  TimeZone(std::string name, ZoneRules rules) : name_(std::move(name)), rules_(std::move(rules)) {}

  const std::string& name() const { return name_; }
  bool is_utc() const;                                 // always
  std::int32_t offset_at(std::int64_t instant) const;  // seconds east of UTC
  std::int64_t local_of(std::int64_t instant) const;
  // A time that clocks show twice is the later instant. A time that they pass over is read with the
  // offset before the change. DuckDB has the same rules.
  std::int64_t instant_of(std::int64_t local) const;

 private:
  std::string name_;
  ZoneRules rules_;
};

// Finds a zone by a name in any case: "Europe/Berlin", "utc", "GMT+5". It lives as long as the
// process.
Result<const TimeZone*> time_zone(std::string_view name);
// Returns the zone of the environment: that of TZ, or else of /etc/localtime, or else UTC. It is
// found once.
Result<const TimeZone*> session_time_zone();
// Returns that zone; UTC where it cannot be read.
const TimeZone& session_zone_or_utc();

std::string offset_text(std::int32_t seconds);  // "+05:30"

}  // namespace penstock::expr
