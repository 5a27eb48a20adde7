#include "session/statements/settings.hpp"

#include <charconv>
#include <cmath>

#include "base/ascii.hpp"
#include "base/thread_pool.hpp"
#include "expr/time_zone.hpp"

namespace penstock::session {
namespace {

Status wrong_value(const std::string& value, const char* wanted) {
  return {Code::invalid, "'" + value + "' is not " + wanted};
}

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr Unit units[] = {{"b", 1},           {"kb", 1e3},           {"mb", 1e6},
                          {"gb", 1e9},        {"tb", 1e12},          {"kib", 1024.0},
                          {"mib", 1048576.0}, {"gib", 1073741824.0}, {"tib", 1099511627776.0}};

Result<std::uint64_t> read_bytes(const std::string& value) {
  constexpr const char* wanted = "a size such as 4GB or 512MiB";
  double number = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), number);
  std::string unit = lower(std::string(read.ptr, value.data() + value.size()));
  unit.erase(0, unit.find_first_not_of(' '));
  for (const Unit& row : units)
    if (row.name == unit && read.ec == std::errc() && number * row.bytes >= 1 &&
        number * row.bytes < 1e18)
      return static_cast<std::uint64_t>(std::llround(number * row.bytes));
  return wrong_value(value, wanted);
}

const char* name_of(Planner planner) {
  return planner == Planner::own ? "own" : planner == Planner::duckdb ? "duckdb" : "auto";
}

// The zone is the process's, and there is one schema: the value that is there may be set.
Status keep(const std::string& name, const std::string& value, const std::string& now,
            const char* advice) {
  if (lower(value) == lower(now)) return {};
  return {Code::unsupported, name + " is '" + now + "' and stays so; " + advice};
}

std::string time_zone_name() { return expr::session_zone_or_utc().name(); }

}  // namespace

struct Settings::Row {
  std::string_view name, other_name;
  Status (*set)(Values&, const std::string& value);
  std::string (*text)(const Values&);
  void (*reset)(Values& now, const Values& first);
};

const Settings::Row Settings::rows[] = {
    {"threads", "worker_threads",
     [](Values& values, const std::string& value) -> Status {
       std::uint32_t count = 0;
       const char* const end = value.data() + value.size();
       const auto read = std::from_chars(value.data(), end, count);
       if (read.ec != std::errc() || read.ptr != end || count == 0 || count > 4096)
         return wrong_value(value, "a number of threads");
       values.threads = count;
       return {};
     },
     [](const Values& values) {
       return std::to_string(values.threads > 0 ? values.threads : host_core_count());
     },
     [](Values& now, const Values& first) { now.threads = first.threads; }},
    {"memory_limit", "max_memory",
     [](Values& values, const std::string& value) -> Status {
       PENSTOCK_ASSIGN(values.memory_limit_bytes, read_bytes(value));
       return {};
     },
     [](const Values& values) {
       return values.memory_limit_bytes == 0 ? std::string("all of the device's")
                                             : std::to_string(values.memory_limit_bytes) + " bytes";
     },
     [](Values& now, const Values& first) { now.memory_limit_bytes = first.memory_limit_bytes; }},
    {"planner", "",
     [](Values& values, const std::string& value) -> Status {
       for (const Planner planner : {Planner::own, Planner::duckdb, Planner::automatic})
         if (lower(value) == name_of(planner)) {
           values.planner = planner;
           return {};
         }
       return wrong_value(value, "a planner: own, duckdb or auto");
     },
     [](const Values& values) { return std::string(name_of(values.planner)); },
     [](Values& now, const Values& first) { now.planner = first.planner; }},
    {"validate", "",
     [](Values& values, const std::string& value) -> Status {
       const std::string word = lower(value);
       const bool is_on = word == "true" || word == "on" || word == "1";
       if (!is_on && word != "false" && word != "off" && word != "0")
         return wrong_value(value, "true or false");
       values.validate = is_on;
       return {};
     },
     [](const Values& values) { return std::string(values.validate ? "true" : "false"); },
     [](Values& now, const Values& first) { now.validate = first.validate; }},
    {"timezone", "",
     [](Values&, const std::string& value) {
       const bool is_utc = expr::session_zone_or_utc().name().ends_with("UTC");
       if (is_utc && (lower(value) == "utc" || lower(value) == "etc/utc")) return Status();
       return keep("TimeZone", value, time_zone_name(),
                   "the variable TZ sets it before the process starts");
     },
     [](const Values&) { return time_zone_name(); }, [](Values&, const Values&) {}},
    {"schema", "search_path",
     [](Values&, const std::string& value) {
       return keep("schema", value, "main", "a session has one schema");
     },
     [](const Values&) { return std::string("main"); }, [](Values&, const Values&) {}},
};

const Settings::Row* Settings::row_named(const std::string& name) {
  const std::string folded = lower(name);
  for (const Row& row : rows)
    if (folded == row.name || (!row.other_name.empty() && folded == row.other_name)) return &row;
  return nullptr;
}

Status Settings::unknown(const std::string& name) {
  std::string known;
  for (const Row& row : rows) known += (known.empty() ? "" : ", ") + std::string(row.name);
  return {Code::unsupported, "the setting " + name + " is not supported; there are " + known};
}

Status Settings::set(const std::string& name, const std::string& value) {
  const Row* const row = row_named(name);
  if (row == nullptr) return unknown(name);
  const std::lock_guard lock(mutex_);
  return row->set(now_, value);
}

Status Settings::reset(const std::string& name) {
  const Row* const row = row_named(name);
  if (row == nullptr) return unknown(name);
  const std::lock_guard lock(mutex_);
  row->reset(now_, first_);
  return {};
}

std::optional<std::string> Settings::value_of(const std::string& name) const {
  const Row* const row = row_named(name);
  if (row == nullptr) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return row->text(now_);
}

Planner Settings::planner() const {
  const std::lock_guard lock(mutex_);
  return now_.planner;
}

void Settings::apply(RunOptions& options) const {
  const std::lock_guard lock(mutex_);
  if (options.reading_threads == 0) options.reading_threads = now_.threads;
  if (options.memory_limit_bytes == 0) options.memory_limit_bytes = now_.memory_limit_bytes;
  options.validate |= now_.validate;
}

}  // namespace penstock::session
