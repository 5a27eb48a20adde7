#include "session/adbc/statement.hpp"

namespace penstock::adbc {
namespace {

constexpr std::string_view ingest_table = "adbc.ingest.target_table",
                           ingest_mode = "adbc.ingest.mode",
                           ingest_catalog = "adbc.ingest.target_catalog",
                           ingest_schema = "adbc.ingest.target_db_schema",
                           ingest_temporary = "adbc.ingest.temporary",
                           incremental = "adbc.statement.exec.incremental",
                           progress = "adbc.statement.exec.progress",
                           max_progress = "adbc.statement.exec.max_progress",
                           bind_by_name = "adbc.statement.bind_by_name";

// An option that is off and cannot be turned on.
Outcome keep_off(std::string_view key, const OptionText& value, const char* why) {
  if (!value) return {};
  PENSTOCK_ASSIGN(const bool is_on, read_boolean(key, value));
  if (!is_on) return {};
  return Outcome(status_not_implemented, std::string(key) + " is not supported: " + why);
}

}  // namespace

Outcome Statement::set_option(const std::string& key, const OptionText& value) {
  const std::lock_guard lock(mutex_);
  if (key == ingest_table) {
    if (value && value->empty())
      return Outcome(status_invalid_argument, "a table's name has a character at least");
    target_.table = value.value_or("");
    text_.clear();
    return {};
  }
  if (key == ingest_mode) {
    PENSTOCK_ASSIGN(target_.mode, value ? read_ingest_mode(*value) : IngestMode::create);
    return {};
  }
  if (key == ingest_catalog || key == ingest_schema) {
    const char* const name = value ? value->c_str() : nullptr;
    if (key == ingest_catalog ? means_catalog(name) : means_schema(name)) return {};
    return Outcome(status_not_implemented,
                   "tables are in the schema main, in a catalog without a name");
  }
  if (key == ingest_temporary)
    return keep_off(key, value, "a database's tables are in memory, and end with it");
  if (key == incremental) return keep_off(key, value, "a result comes whole");
  if (key == bind_by_name) {
    PENSTOCK_ASSIGN(binds_by_name_, value ? read_boolean(key, value) : false);
    return {};
  }
  return unknown_option("statement", key);
}

OptionText Statement::option(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  if (key == ingest_table && !target_.table.empty()) return target_.table;
  if (key == ingest_mode) return name_of(target_.mode);
  if (key == ingest_temporary || key == incremental) return "false";
  if (key == bind_by_name) return binds_by_name_ ? "true" : "false";
  if (key == progress) return std::to_string(rows_done_.load());
  if (key == max_progress) return std::to_string(rows_total_.load());
  return std::nullopt;
}

}  // namespace penstock::adbc
