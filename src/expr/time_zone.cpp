#include "expr/time_zone.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "base/ascii.hpp"
#include "base/file.hpp"
#include "expr/calendar.hpp"
#include "expr/logical_text.hpp"
#include "expr/operation.hpp"

namespace penstock::expr {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t second_microseconds = 1'000'000, largest_instant = INT64_MAX - 1;
constexpr std::size_t largest_file = 1 << 20;
constexpr std::string_view utc_names[] = {"utc",  "etc/utc",  "gmt", "etc/gmt",
                                          "zulu", "etc/zulu", "uct", "etc/uct"};

std::int64_t within_instants(Int128 microseconds) {
  return static_cast<std::int64_t>(
      std::clamp<Int128>(microseconds, -largest_instant, largest_instant));
}

ZoneRules fixed_offset(std::int32_t seconds) { return {{}, {seconds}, std::nullopt}; }

fs::path folder_of_zones() {
  const char* const named = std::getenv("TZDIR");
  std::error_code error;
  for (const char* const folder : {named != nullptr ? named : "", "/usr/share/zoneinfo",
                                   "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"})
    if (*folder != '\0' && fs::is_directory(folder, error)) return folder;
  return {};
}

bool is_zone_name(std::string_view name) {
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '/' ||
           c == '_' || c == '-' || c == '+';
  });
  return is_plain && !name.empty() && name.size() <= 64 && name.front() != '/' &&
         name.back() != '/' && name.find("//") == name.npos;
}

// Returns the entry of a folder by its name in any case; "" where there is none.
std::string entry_named(const fs::path& folder, std::string_view name) {
  std::error_code error;
  if (fs::exists(folder / name, error)) return std::string(name);
  const std::string folded = lower(name);
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string entry = at->path().filename().string();
    if (lower(entry) == folded) return entry;
  }
  return {};
}

// Returns the name as the folder of zones spells it; "" where it has no such file.
std::string spelled_name(const fs::path& folder, std::string_view name) {
  std::string spelled;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string entry = entry_named(folder / spelled, name.substr(0, end));
    if (entry.empty()) return {};
    spelled += (spelled.empty() ? "" : "/") + entry;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return spelled;
}

Result<ZoneRules> rules_of_file(const fs::path& path) {
  const File file(path.string(), O_RDONLY);
  if (!file) return Status(Code::invalid, "the file of the time zone cannot be opened");
  std::string bytes(largest_file, '\0');
  bytes.resize(file.read_up_to(bytes.data(), bytes.size()));
  return read_tz_file(bytes);
}

// "GMT+5", "UTC-03:30"
std::optional<std::int32_t> offset_named(std::string_view name) {
  if (!name.starts_with("gmt") && !name.starts_with("utc")) return std::nullopt;
  name.remove_prefix(3);
  if (name.size() < 2 || (name[0] != '+' && name[0] != '-')) return std::nullopt;
  const std::optional<YearlyRule> rule = read_yearly_rule("GMT" + std::string(name));
  return rule && !rule->begin ? std::optional(-rule->standard) : std::nullopt;
}

Result<TimeZone> open_zone(std::string_view name) {
  const std::string folded = lower(name);
  if (std::ranges::find(utc_names, folded) != std::end(utc_names))
    return TimeZone(folded.starts_with("etc/") ? "Etc/UTC" : "UTC", fixed_offset(0));
  const std::string shown = "'" + std::string(name) + "'";
  if (const auto offset = offset_named(folded))
    return TimeZone(std::string(name), fixed_offset(*offset));
  if (!is_zone_name(name)) return Status(Code::invalid, "there is no time zone " + shown);
  const fs::path folder = folder_of_zones();
  if (folder.empty())
    return Status(
        Code::unsupported,
        "the time zone " + shown + " is not known: this system has no tzdata (apt install tzdata)");
  const std::string spelled = spelled_name(folder, name);
  std::error_code error;
  if (spelled.empty() || !fs::is_regular_file(folder / spelled, error))
    return Status(Code::invalid, "there is no time zone " + shown);
  const Result<ZoneRules> rules = rules_of_file(folder / spelled);
  PENSTOCK_TRY(rules.with("time zone " + shown));
  return TimeZone(spelled, *rules);
}

// The part of a path behind the folder of zones.
std::string name_in_path(std::string_view path) {
  constexpr std::string_view folder = "zoneinfo/";
  const std::size_t at = path.rfind(folder);
  return at == path.npos ? std::string() : std::string(path.substr(at + folder.size()));
}

std::string without_prefixes(std::string name) {
  if (name.starts_with(':')) name.erase(0, 1);
  if (name.starts_with('/')) name = name_in_path(name);
  for (const std::string_view prefix : {"posix/", "right/"})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

Result<const TimeZone*> zone_of_environment() {
  if (const char* const named = std::getenv("TZ"); named != nullptr) {
    const std::string name = without_prefixes(named);
    const Result<const TimeZone*> zone = time_zone(name.empty() ? "UTC" : name);
    PENSTOCK_TRY(zone.with("in the variable TZ"));
    return zone;
  }
  std::error_code error;
  const fs::path target = fs::canonical("/etc/localtime", error);
  const std::string name = error ? "UTC" : without_prefixes(target.string());
  if (!name.empty()) return time_zone(name);
  const Result<ZoneRules> rules = rules_of_file(target);
  PENSTOCK_TRY(rules.with("/etc/localtime"));
  static const TimeZone local("localtime", *rules);
  return &local;
}

}  // namespace

bool TimeZone::is_utc() const {
  return rules_.changes.empty() && !rules_.rule && rules_.offsets[0] == 0;
}

std::int32_t TimeZone::offset_at(std::int64_t instant) const {
  return rules_.offset_at(floor_divide(instant, second_microseconds));
}

std::int64_t TimeZone::local_of(std::int64_t instant) const {
  if (is_infinite({Kind::timestamp}, instant)) return instant;
  return within_instants(Int128{instant} + Int128{offset_at(instant)} * second_microseconds);
}

// The offsets a day before and a day behind are those around a change.
std::int64_t TimeZone::instant_of(std::int64_t local) const {
  if (is_infinite({Kind::timestamp}, local)) return local;
  const std::int64_t seconds = floor_divide(local, second_microseconds), day = 86400;
  const std::int32_t before = rules_.offset_at(seconds - day),
                     behind = rules_.offset_at(seconds + day);
  const bool is_behind = rules_.offset_at(seconds - behind) == behind;
  return within_instants(Int128{local} - Int128{is_behind ? behind : before} * second_microseconds);
}

Result<const TimeZone*> time_zone(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const TimeZone>, std::less<>> zones;
  thread_local const TimeZone* last = nullptr;
  thread_local std::string last_name;
  if (last != nullptr && last_name == name) return last;
  const std::scoped_lock lock(mutex);
  auto found = zones.find(name);
  if (found == zones.end()) {
    PENSTOCK_ASSIGN(TimeZone zone, open_zone(name));
    found = zones.emplace(std::string(name), std::make_unique<TimeZone>(std::move(zone))).first;
  }
  last = found->second.get();
  last_name = name;
  return last;
}

Result<const TimeZone*> session_time_zone() {
  static const Result<const TimeZone*> zone = zone_of_environment();
  return zone;
}

const TimeZone& session_zone_or_utc() {
  static const TimeZone utc("UTC", fixed_offset(0));
  const Result<const TimeZone*> zone = session_time_zone();
  return zone.ok() ? **zone : utc;
}

std::string offset_text(std::int32_t seconds) {
  const std::int32_t size = std::abs(seconds);
  std::string text = (seconds < 0 ? "-" : "+") + padded(size / 3600, 2);
  if (size % 3600 != 0) text += ":" + padded(size / 60 % 60, 2);
  if (size % 60 != 0) text += ":" + padded(size % 60, 2);
  return text;
}

}  // namespace penstock::expr
