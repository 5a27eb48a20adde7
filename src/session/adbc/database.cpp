#include "session/adbc/database.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "session/adbc/folder_views.hpp"

namespace penstock::adbc {
namespace {

constexpr std::array<std::string_view, 5> database_options = {
    "uri", "path", "penstock.device", "penstock.planner", "penstock.cache_limit"};

using OptionMapping = std::map<std::string, std::string, std::less<>>;

std::string value_in(const OptionMapping& options, std::string_view key) {
  const auto found = options.find(key);
  return found == options.end() ? std::string() : found->second;
}

Result<Planner> read_planner(const std::string& name) {
  if (name.empty() || name == "auto") return Planner::automatic;
  if (name == "own") return Planner::own;
  if (name == "duckdb") return Planner::duckdb;
  return Status(Code::invalid, "penstock.planner is auto, own or duckdb, not '" + name + "'");
}

Result<SessionOptions> session_options_of(const OptionMapping& options) {
  SessionOptions result;
  result.device = value_in(options, "penstock.device");
  PENSTOCK_ASSIGN(result.planner, read_planner(value_in(options, "penstock.planner")));
  const std::string limit = value_in(options, "penstock.cache_limit");
  if (limit.empty()) return result;
  std::uint64_t bytes = 0;
  const auto read = std::from_chars(limit.data(), limit.data() + limit.size(), bytes);
  if (read.ec != std::errc() || read.ptr != limit.data() + limit.size())
    return Status(Code::invalid, "penstock.cache_limit is a number of bytes, not '" + limit + "'");
  result.cache_limit_bytes = bytes;
  return result;
}

Result<std::string> folder_of(const OptionMapping& options) {
  const std::string uri = value_in(options, "uri"), path = value_in(options, "path");
  if (!uri.empty() && !path.empty() && uri != path)
    return Status(Code::invalid, "uri and path name two folders; give one of them");
  return uri.empty() ? path : uri;
}

}  // namespace

Outcome Database::set_option(const std::string& key, const OptionText& value) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(database_options, key) == database_options.end())
    return unknown_option("database", key);
  if (session_)
    return Outcome(status_invalid_state,
                   "the option '" + key + "' is set before the database opens");
  if (value)
    options_[key] = *value;
  else
    options_.erase(key);
  return {};
}

OptionText Database::option(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = options_.find(key);
  return found == options_.end() ? OptionText() : OptionText(found->second);
}

Outcome Database::init() {
  const std::lock_guard lock(mutex_);
  if (session_) return Outcome(status_invalid_state, "the database is open already");
  PENSTOCK_ASSIGN(const SessionOptions options, session_options_of(options_));
  PENSTOCK_ASSIGN(const std::string folder, folder_of(options_));
  const auto session = Session::create(options);
  PENSTOCK_TRY(define_folder_views(*session, folder));
  session_ = session;
  return {};
}

std::shared_ptr<Session> Database::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

AdbcStatusCode database_new(AdbcDatabase* database, AdbcError* error) {
  return enter(error, [&] { return make_state(database, std::make_shared<Database>()); });
}

AdbcStatusCode database_init(AdbcDatabase* database, AdbcError* error) {
  return with_state(database, error, [](Database& state) { return state.init(); });
}

AdbcStatusCode database_release(AdbcDatabase* database, AdbcError* error) {
  return enter(error, [&] { return release_state(database); });
}

}  // namespace penstock::adbc
